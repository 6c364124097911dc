import { stringify } from 'csv-stringify/sync';
import { isRawNumber, type JsonValue, parseExactJson } from '../../../data/exact-json.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import { readText } from '../../../data/objects/read.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { isReadFromJson, valueFromText } from '../query/answered-types.ts';
import type { QueryAnswer } from '../query/request.ts';

/**
 * Rows of a query's result, kept in the object store. Later steps receive this reference, never the rows
 * themselves.
 */
export interface StoredRows {
  objectKey: string;
  rowCount: number;
  columns: { name: string; dataType: string }[];
}

export async function storeRows(
  objects: Pick<ObjectStore, 'put'>,
  key: string,
  answer: Pick<QueryAnswer, 'columns' | 'rowsWithColumnOrderJson' | 'rowCount'>,
): Promise<StoredRows> {
  const body = Buffer.from(answer.rowsWithColumnOrderJson ?? '[]');
  await objects.put(key, body, 'application/json');
  return { objectKey: key, rowCount: answer.rowCount, columns: answer.columns };
}

/** Reads the values by position; numbers keep their exact value. */
export async function readRows(
  objects: Pick<ObjectStore, 'read'>,
  { objectKey }: StoredRows,
): Promise<JsonValue[][]> {
  const rows = parseExactJson(await readText(objects, objectKey)) as { value: JsonValue }[][];
  return rows.map((cells) => cells.map(({ value }) => value));
}

/** The rows as a SELECT, in which each column has its type. */
export async function rowsSelect(objects: Pick<ObjectStore, 'read'>, kept: StoredRows): Promise<string> {
  const rows = await readRows(objects, kept);
  const columns = kept.columns.map(
    ({ name, dataType }, index) => `${valueFromText(dataType, `r[${index + 1}]`)} AS ${identifier(name)}`,
  );
  const texts = kept.columns.map(({ dataType }) => (isReadFromJson(dataType) ? jsonText : cellText));
  // One literal, however many rows there are: the engine's parser takes much longer for as many SELECTs.
  const cells = JSON.stringify(rows.map((row) => row.map((value, index) => texts[index]!(value))));
  return `SELECT ${columns.join(', ')}
    FROM (SELECT unnest(CAST(CAST(${literal(cells)} AS JSON) AS VARCHAR[][])) AS r)`;
}

/**
 * The rows as a file: CSV with a header (RFC 4180), or a JSON list of objects by column. Numbers keep their
 * digits.
 */
export async function rowsDocument(
  objects: Pick<ObjectStore, 'read'>,
  kept: StoredRows,
  format: 'csv' | 'json',
): Promise<Buffer> {
  const rows = await readRows(objects, kept);
  const names = kept.columns.map(({ name }) => name);
  if (format === 'csv')
    return Buffer.from(
      stringify([names, ...rows.map((row) => row.map(cellText))], {
        record_delimiter: '\r\n',
        cast: { string: textCell },
      }),
    );
  const records = rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
  return Buffer.from(JSON.stringify(records));
}

/** An empty string is quoted to distinguish it from null. */
const textCell = (text: string) => (text === '' ? { value: '', quoted_empty: true } : text);

const jsonText = (value: JsonValue): string | null => (value === null ? null : JSON.stringify(value));

function cellText(value: JsonValue | undefined): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  return isRawNumber(value) ? value.rawJSON : JSON.stringify(value);
}
