import type { EngineConnection } from '../../../../data/lake/engine/contract.ts';
import { literal } from '../../../../data/lake/sql.ts';
import { typedColumn } from '../../../../packages/file-reader/index.ts';
import { badPage, damagedPage, largePage, pageLimits } from './sent.ts';

export interface PageColumnSource {
  name: string;
  /** The type that the engine reads. */
  engineType: string;
  dataType: string;
  /** SQL for the value in this type, and as a text. */
  value: string;
  text: string;
  losesNanoseconds?: string;
}

export interface PageFile {
  /** Relation of its rows, with their position `file_row_number`. */
  from: string;
  rows: number;
  columns: PageColumnSource[];
}

export const rowNumber = 'file_row_number';

/** Opens a Parquet file of flat columns that is within the limits of a page. */
export async function openPageFile(connection: EngineConnection, path: string): Promise<PageFile> {
  const file = literal(path);
  await checkRows(connection, file);
  const { rows: elements } = await connection.read(
    `SELECT name, coalesce(num_children, 0) > 0 OR repetition_type = 'REPEATED', precision > 38
     FROM parquet_schema(${file}) OFFSET 1`,
  );
  const seen = new Set<string>();
  for (const [given, isNested, isWide] of elements) {
    const name = String(given);
    if (isNested === true)
      throw badPage('The column is nested. Send a document as JSON text.', 'columns', name);
    if (isWide === true) throw badPage('The column has more than 38 digits.', 'columns', name);
    if (seen.has(name.toLowerCase()) || name.toLowerCase() === rowNumber)
      throw badPage('The name of the column is taken. Rename the column.', 'columns', name);
    seen.add(name.toLowerCase());
  }
  const plain = `read_parquet(${file}, hive_partitioning = false)`;
  const { rows: described } = await connection.read(`DESCRIBE FROM ${plain}`);
  const columns = described.map(([name, type]) => ({
    name: String(name),
    engineType: String(type),
    ...typedColumn(String(name), String(type)),
  }));
  if (columns.length !== elements.length) throw damagedPage();
  const from = `read_parquet(${file}, hive_partitioning = false, ${rowNumber} = true)`;
  return { from, rows: await countWithin(connection, from, columns), columns };
}

/** By the groups' own counts, which the reader goes by. */
async function checkRows(connection: EngineConnection, file: string): Promise<void> {
  const { rows } = await connection.read(
    `SELECT coalesce(sum(n), 0), count(*), coalesce(min(n), 0) FROM (
       SELECT any_value(row_group_num_rows) AS n FROM parquet_metadata(${file}) GROUP BY row_group_id)`,
  );
  const [count, groups, least] = rows[0]!.map(Number);
  if (least! < 0) throw damagedPage();
  if (count! > pageLimits.rows)
    throw badPage(`The page has ${count} records. The limit is ${pageLimits.rows}.`);
  if (groups! > pageLimits.batches)
    throw badPage(`The page has ${groups} row groups. The limit is ${pageLimits.batches}.`);
}

/** A few bytes of a dictionary may be the texts of every row. */
async function countWithin(
  connection: EngineConnection,
  from: string,
  columns: readonly PageColumnSource[],
): Promise<number> {
  const lengths = columns.flatMap(({ dataType, value }) => {
    if (dataType === 'BLOB') return `coalesce(sum(octet_length(${value})), 0)`;
    const text = dataType === 'STRING' ? value : `CAST(${value} AS VARCHAR)`;
    return dataType === 'STRING' || dataType === 'JSON' ? `coalesce(sum(strlen(${text})), 0)` : [];
  });
  const { rows } = await connection.read(`SELECT count(*), ${['0', ...lengths].join(' + ')} FROM ${from}`);
  const [count, bytes] = rows[0]!.map(Number);
  if (bytes! > pageLimits.valueBytes) throw largePage();
  return count!;
}
