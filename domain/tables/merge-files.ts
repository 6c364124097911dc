import { notFound } from '../../data/errors.ts';
import { commitOperations, type LakeDeps } from '../../data/lake/commit.ts';
import type { EngineConnection } from '../../data/lake/engine/contract.ts';
import { findOperations, type LakeOperation } from '../../data/lake/ledger.ts';
import { identifier, literal } from '../../data/lake/sql.ts';
import { duckDbType, findPhysicalTable, type LakeColumn, type PhysicalTable } from './columns.ts';
import { fillFromFiles, type StagedFiles } from './fill.ts';
import { fitColumns } from './fit-columns.ts';
import { flushHeld, renewableBytes } from './flush.ts';
import { addColumnStatements, retypeColumns } from './retype.ts';

export interface FileMerge {
  organizationId: string;
  tableId: string;
  tableName: string;
  /** Each key once. */
  staged: StagedFiles;
  /** A staged row replaces those of its key; without a key it is added. */
  keys: readonly string[];
  /** Without a key: a staged row that the table has from this value on is the same one, and not added. */
  overlap: { column: string; value: string } | undefined;
  operationId: string;
  runId: string;
  committedBy: string;
}

export interface Merged {
  version: number;
  /** The table's columns as they were; undefined where the commit was an earlier try's. */
  before: readonly LakeColumn[] | undefined;
  after: readonly LakeColumn[];
}

/**
 * Merges staged files into a table in one commit. New columns are added behind; a column whose values no longer fit takes a type
 * that holds old and new, a text in the last resort. The same operation again returns the version it became.
 */
export async function mergeFiles(deps: LakeDeps, merge: FileMerge): Promise<Merged> {
  const { organizationId, operationId, tableId } = merge;
  const lake = await deps.catalog.get(organizationId);
  return deps.locks.hold(tableId, async () => {
    const done = (await findOperations(deps.catalogPool, lake.schema, [operationId])).get(operationId);
    const physical = await findPhysicalTable(deps.catalogPool, lake.schema, merge.tableName);
    if (physical === undefined) throw notFound('The table');
    if (done !== undefined) return { version: done.version, before: undefined, after: physical.columns };
    let after: readonly LakeColumn[] = physical.columns;
    const work = async (connection: EngineConnection): Promise<LakeOperation[]> => {
      const { operation, columns } = await mergeInto(connection, lake.schema, physical, merge);
      after = columns;
      return [operation];
    };
    const version = await deps.engine.use(lake.writer, async (connection) => {
      await connection.run("SET TimeZone = 'UTC'");
      if (physical.sizeBytes > renewableBytes) await flushHeld(deps, lake, physical, connection);
      return commitOperations(deps, lake, work, connection);
    });
    return { version, before: physical.columns, after };
  });
}

async function mergeInto(
  connection: EngineConnection,
  catalogName: string,
  physical: PhysicalTable,
  merge: FileMerge,
): Promise<{ operation: LakeOperation; columns: readonly LakeColumn[] }> {
  const { staged, keys, tableId, operationId, runId, committedBy } = merge;
  const operation = (kind: LakeOperation['operation'], rowsAdded: number, rowsRemoved: number) => ({
    id: operationId,
    tableId,
    operation: kind,
    rowsAdded,
    rowsRemoved,
    runId,
    committedBy,
  });
  const table = identifier(physical.name);
  const { rows: some } = await connection.read(`SELECT 1 FROM ${table} LIMIT 1`);
  if (some.length === 0) {
    // Its types were nobody's yet.
    await connection.run(`DROP TABLE ${table}`);
    await fillFromFiles(connection, catalogName, physical.name, staged);
    return { operation: operation('replace', staged.rows, 0), columns: staged.columns };
  }
  const source = `read_parquet([${staged.files.map(({ url }) => literal(url)).join(', ')}])`;
  const { columns, retypes, added } = await fitColumns(connection, physical, { ...staged, source });
  if (retypes.size > 0) await retypeColumns(connection, physical.name, physical.columns, retypes, 'declared');
  for (const [place, { name, nullable }] of physical.columns.entries())
    if (!nullable && columns[place]!.nullable)
      await connection.run(`ALTER TABLE ${table} ALTER ${identifier(name)} DROP NOT NULL`);
  for (const column of added)
    for (const statement of addColumnStatements(physical.name, column)) await connection.run(statement);
  const values = columns.map(({ name, dataType }) => {
    const own = staged.columns.find((column) => isSame(column.name, name));
    const value = own === undefined ? 'NULL' : `s.${identifier(own.name)}`;
    return own?.dataType === dataType
      ? `${value} AS ${identifier(name)}`
      : `CAST(${value} AS ${duckDbType(dataType)}) AS ${identifier(name)}`;
  });
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE incoming_rows AS SELECT ${values.join(', ')} FROM ${source} AS s`,
  );
  const names = columns.map(({ name }) => identifier(name)).join(', ');
  if (keys.length > 0) {
    const own = keys.map((key) => identifier(columns.find(({ name }) => isSame(name, key))?.name ?? key));
    const removed = await connection.run(
      `DELETE FROM ${table} AS t USING temp.main.incoming_rows AS i
       WHERE ${own.map((key) => `t.${key} IS NOT DISTINCT FROM i.${key}`).join(' AND ')}`,
    );
    const inserted = await connection.run(
      `INSERT INTO ${table} (${names}) SELECT ${names} FROM temp.main.incoming_rows`,
    );
    await connection.run('DROP TABLE temp.main.incoming_rows');
    return { operation: operation('upsert', inserted, removed), columns };
  }
  const inserted = await connection.run(
    `INSERT INTO ${table} (${names}) SELECT ${names} FROM temp.main.incoming_rows${exceptKnown(physical.name, columns, merge.overlap)}`,
  );
  await connection.run('DROP TABLE temp.main.incoming_rows');
  return { operation: operation('append', inserted, 0), columns };
}

function exceptKnown(table: string, columns: readonly LakeColumn[], overlap: FileMerge['overlap']): string {
  if (overlap === undefined) return '';
  const names = columns.map(({ name }) => identifier(name)).join(', ');
  const known = ` EXCEPT ALL SELECT ${names} FROM ${identifier(table)}`;
  const column = columns.find(({ name }) => isSame(name, overlap.column));
  if (column === undefined) return known;
  // Where the value is none of the column's type, every row is looked at.
  const value = `TRY_CAST(${literal(overlap.value)} AS ${duckDbType(column.dataType)})`;
  return `${known} WHERE ${value} IS NULL OR ${identifier(column.name)} >= ${value}`;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
