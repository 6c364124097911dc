import { randomUUID } from 'node:crypto';
import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import { identifier, literal } from '../../../../data/lake/sql.ts';
import { withoutTail } from '../../../../packages/sql-guard/index.ts';
import type { BuiltFile } from './contract.ts';
import { type StoredType, storedType } from './stored-type.ts';

const rowGroupRows = 122_880;
/** For files that are soon read whole: all threads write and read even a small one. */
export const smallRowGroupRows = 16_384;
const fileSizeBytes = 256 * 1024 * 1024;

/** A statement whose columns have the types in which they are stored, and those columns. */
export async function storedAs(
  connection: DuckDBConnection,
  select: string,
  named: (own: readonly string[]) => string[] = (own) => [...own],
  typeOf: (type: DuckDBType) => StoredType = storedType,
): Promise<{ sql: string; columns: { name: string; dataType: string }[] }> {
  const prepared = await connection.prepare(select);
  const own = Array.from({ length: prepared.columnCount }, (_, index) => prepared.columnName(index));
  const types = own.map((_, index) => typeOf(prepared.columnType(index)));
  prepared.destroySync();
  const names = named(own);
  const places = names.map((_, index) => `c${index}`);
  const casts = names.map(
    (name, index) => `${asStored(places[index]!, types[index]!, name)} AS ${identifier(name)}`,
  );
  return {
    // Named by position, because the engine renames columns of a subquery that have the same name.
    sql: `SELECT ${casts.join(', ')} FROM (${withoutTail(select)}\n) AS result(${places.join(', ')})`,
    columns: names.map((name, index) => ({ name, dataType: types[index]!.dataType })),
  };
}

function asStored(value: string, { cast, refusal }: StoredType, name: string): string {
  if (cast === undefined) return value;
  if (refusal === undefined) return `CAST(${value} AS ${cast})`;
  const held = `TRY_CAST(${value} AS ${cast})`;
  const isLost = `${value} IS NOT NULL AND ${held} IS NULL`;
  return `CASE WHEN ${isLost} THEN error(${literal(refusal(name))}) ELSE ${held} END`;
}

/** Writes the rows of a statement to new files of the folder; one without rows may be among them. */
export async function writeFiles(
  connection: DuckDBConnection,
  select: string,
  folderUrl: string,
  rowGroup = rowGroupRows,
): Promise<BuiltFile[]> {
  const url = `${folderUrl}${randomUUID()}`;
  const settings = [
    'FORMAT parquet',
    'COMPRESSION zstd',
    `ROW_GROUP_SIZE ${rowGroup}`,
    `FILE_SIZE_BYTES ${fileSizeBytes}`,
    "FILENAME_PATTERN 'part_{i}'",
    'RETURN_STATS',
  ];
  const written = await connection.runAndReadAll(
    `COPY (${select}\n) TO ${literal(url)} (${settings.join(', ')})`,
  );
  return written
    .getRows()
    .map(([file, rows, size]) => ({ url: String(file), rows: Number(rows), sizeBytes: Number(size) }));
}
