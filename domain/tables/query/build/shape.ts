import { createHash } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { identifier } from '../../../../data/lake/sql.ts';
import { dataTypeName } from '../../../../packages/row-formats/index.ts';

/** A table as it is at a snapshot. */
export const tableAt = (name: string, snapshotId: number): string =>
  `lake.main.${identifier(name)} AT (VERSION => ${snapshotId})`;

/** The columns of a table at a snapshot. */
export async function columnsAt(
  connection: DuckDBConnection,
  name: string,
  snapshotId: number,
): Promise<{ name: string; dataType: string }[]> {
  const statement = await connection.prepare(`SELECT * FROM ${tableAt(name, snapshotId)}`);
  const columns = Array.from({ length: statement.columnCount }, (_, index) => ({
    name: statement.columnName(index),
    dataType: dataTypeName(statement.columnType(index)),
  }));
  statement.destroySync();
  return columns;
}

/**
 * Columns and types of all that a build reads, in a few characters: where they differ, what was built before
 * may mean something else.
 */
export async function shapeOf(
  connection: DuckDBConnection,
  atVersions: ReadonlyMap<string, number>,
): Promise<string> {
  const tables: unknown[] = [];
  for (const [name, snapshotId] of [...atVersions].sort(([one], [other]) => (one < other ? -1 : 1)))
    tables.push([name, await columnsAt(connection, name, snapshotId)]);
  return createHash('sha256').update(JSON.stringify(tables)).digest('base64url');
}
