import type { DuckDBConnection } from '@duckdb/node-api';
import { BadFileError, badRow } from '../bad-file.ts';
import { badRecords } from '../out/faults.ts';
import { run, runRows } from '../out/run.ts';
import { literal } from '../sql.ts';
import { type ParquetFile, rowNumber } from './types.ts';

/** Maximum digits of the engine's decimals: it reads wider columns as doubles, which are rounded. */
const maxPrecision = 38;

/**
 * The top-level columns that are or contain decimals that the engine cannot read exactly, each with a
 * description `path DECIMAL(p,s)`. Schemas are listed in pre-order, with each node's number of children;
 * those of several files (`files` is a SQL list) follow each other.
 */
export async function wideDecimals(
  connection: DuckDBConnection,
  files: string,
): Promise<ReadonlyMap<string, string>> {
  const nodes = await runRows(
    connection,
    `SELECT name, num_children, precision, scale FROM parquet_schema(${files})`,
  );
  const found = new Map<string, string>();
  const path: string[] = [];
  const childrenLeft: number[] = [];
  for (const [name, children, precision, scale] of nodes) {
    path.push(String(name));
    const [, column] = path;
    if (column !== undefined && Number(precision ?? 0) > maxPrecision)
      found.set(column, `${path.slice(1).join('.')} DECIMAL(${precision},${scale ?? 0})`);
    childrenLeft.push(Number(children ?? 0));
    while (childrenLeft.at(-1) === 0) {
      childrenLeft.pop();
      path.pop();
      const last = childrenLeft.length - 1;
      if (last >= 0) childrenLeft[last]! -= 1;
    }
  }
  return found;
}

/**
 * Rejects a file if a requested column cannot be read exactly; undefined `wanted` requests all.
 *
 * @throws BadFileError
 */
export function refuseWideDecimals(file: ParquetFile, wanted?: readonly string[]): void {
  for (const [column, what] of file.wideDecimals) {
    if (wanted !== undefined && !wanted.includes(column)) continue;
    throw new BadFileError(
      'unsupported_column',
      `Column ${JSON.stringify(column)} (${what}) has decimals of more than ${maxPrecision} digits, which the import would round. ` +
        `Write the column as DECIMAL(${maxPrecision},s) or as text, or list only the other columns in column_mappings`,
      { column },
    );
  }
}

const cutsNanoseconds =
  'TIMESTAMP keeps microseconds and would lose the nanoseconds. Map the column to STRING in column_mappings to keep them, or write it in microseconds';

/** SQL that is true for a row whose time would lose its nanoseconds; undefined if no row can have one. */
export function losesNanoseconds({ columns }: ParquetFile): string | undefined {
  const losses = columns.flatMap((column) => column.losesNanoseconds ?? []);
  return losses.length === 0 ? undefined : `(${losses.join(' OR ')}) IS TRUE`;
}

/** Fills the temporary table of bad records with the rows among `where` that would lose nanoseconds. */
export async function findNanoseconds(
  connection: DuckDBConnection,
  file: ParquetFile,
  where: string,
  signal?: AbortSignal,
): Promise<void> {
  const names = file.columns.flatMap(({ name, losesNanoseconds: loses }) =>
    loses === undefined ? [] : `WHEN ${loses} THEN ${literal(name)}`,
  );
  await run(
    connection,
    `CREATE OR REPLACE TEMP TABLE ${badRecords} AS
     SELECT ${rowNumber} + 1 AS _line, ${rowNumber} AS _at, 0 AS _bytes, CASE ${names.join(' ')} END AS col,
       ${literal(cutsNanoseconds)} AS reason, CAST(NULL AS BIGINT) AS aside
     FROM ${file.from} WHERE ${where} AND ${losesNanoseconds(file) ?? 'false'}`,
    signal,
  );
}

/**
 * Rejects the first row whose time would lose its nanoseconds.
 *
 * @throws BadFileError
 */
export async function refuseNanoseconds(
  connection: DuckDBConnection,
  file: ParquetFile,
  signal?: AbortSignal,
): Promise<void> {
  const columns = file.columns.filter(({ losesNanoseconds }) => losesNanoseconds !== undefined);
  if (columns.length === 0) return;
  const firsts = columns.map(
    ({ losesNanoseconds, text }) =>
      `min({place: ${rowNumber}, text: ${text}}) FILTER (WHERE ${losesNanoseconds})`,
  );
  const terms = firsts.flatMap((first) => [`(${first}).place`, `(${first}).text`]);
  const [found = []] = await runRows(connection, `SELECT ${terms.join(', ')} FROM ${file.from}`, signal);
  for (const [index, { name }] of columns.entries()) {
    const place = found[index * 2];
    if (place === null || place === undefined) continue;
    throw badRow({
      line: Number(place) + 1,
      column: name,
      raw: String(found[index * 2 + 1]),
      reason: cutsNanoseconds,
    });
  }
}
