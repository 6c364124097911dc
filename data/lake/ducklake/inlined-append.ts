import type pg from 'pg';
import { identifier } from '../sql.ts';

/** Rows to append, as JSON text, and the table as the caller knows it. */
export interface InlinedRows {
  /** The service's id of the table, and who may read and write it. */
  tableId: string;
  access: { readers: readonly string[] | null; writers: readonly string[] | null };
  lakeTableId: number;
  /** All columns of the table, in its order. */
  columns: readonly InlinedRowColumn[];
  /** The integer column whose values no other row of the table may have, and the values of the new rows. */
  idColumn: string;
  ids: readonly bigint[];
  /** A JSON list of an object for each row; a member that is missing is null. */
  text: string;
}

export interface InlinedRowColumn {
  name: string;
  /** DuckLake's name of the type. */
  type: string;
  /** The member of a row with the value; undefined for the column that takes the time of the commit. */
  member: string | undefined;
}

export type InlinedAppend =
  | { outcome: 'written'; version: number }
  /** Other inlined rows have these ids. */
  | { outcome: 'taken'; taken: Set<bigint> }
  /**
   * Nothing was written. Rows in files may have the ids (`in_files`); or the table is not what was described,
   * enforces a key or never had inlined rows, an operation is committed already, or a value, a size or the
   * table's statistics are such that only an engine can do it.
   */
  | { outcome: 'in_files' | 'unfit' };

/** How a type is read from JSON, kept in the catalog, and described by the table's statistics. */
interface Storage {
  read: string;
  stored: (value: string) => string;
  min: (value: string) => string;
  max: (value: string) => string;
}

const same = (value: string): string => value;
const least = (value: string): string => `min(${value})::text`;
const greatest = (value: string): string => `max(${value})::text`;
const leastText = (value: string): string => `min(${value} COLLATE "C")`;
const greatestText = (value: string): string => `max(${value} COLLATE "C")`;
const bytes = (value: string): string => `convert_to(${value}, 'UTF8')`;

/** A double as DuckDB writes it. */
const doubleText = (value: string): string => `CASE ${value}
  WHEN 'NaN' THEN 'nan' WHEN 'Infinity' THEN 'inf' WHEN '-Infinity' THEN '-inf'
  ELSE ${value}::text || CASE WHEN ${value}::text ~ '[.e]' THEN '' ELSE '.0' END END`;

const text = { read: 'text', stored: same, min: leastText, max: greatestText } as const;
const number = { stored: same, min: least, max: greatest } as const;

const storages: Readonly<Record<string, Storage>> = {
  int64: { ...number, read: 'bigint' },
  float64: {
    ...{ read: 'float8', stored: same },
    min: (value) => doubleText(`min(${value})`),
    max: (value) => doubleText(`max(${value})`),
  },
  boolean: {
    ...{ read: 'boolean', stored: same },
    min: (value) => `bool_and(${value})::text`,
    max: (value) => `bool_or(${value})::text`,
  },
  varchar: { ...text, stored: bytes },
  json: { ...text, stored: bytes },
  // Texts of one form, which compare as what they say does.
  date: text,
  timestamp: text,
  timestamptz: text,
  time: { ...text, read: 'time', min: least, max: greatest },
};

function storageOf(type: string): Storage | undefined {
  const decimal = /^decimal\((\d+),(\d+)\)$/.exec(type);
  return decimal === null ? storages[type] : { ...number, read: `numeric(${decimal[1]}, ${decimal[2]})` };
}

/** Whether the catalog can keep values of the type without an engine: not nested ones, and not bytes. */
export const isInlinedType = (type: string): boolean => storageOf(type) !== undefined;

/**
 * Appends rows to a table of a lake in one commit, by one statement and without an engine: within
 * milliseconds, and as DuckLake's own commit would leave the catalog. The statement holds the table's lock.
 *
 * Only for types whose text in the rows is that of the engine; in PostgreSQL no text contains U+0000.
 */
export async function appendInlined(
  session: Pick<pg.ClientBase, 'query'>,
  schemaName: string,
  rows: InlinedRows,
  extraInfo: string,
): Promise<InlinedAppend> {
  const statement = writeStatementOf(rows);
  if (statement === undefined) return { outcome: 'unfit' };
  try {
    const { rows: found } = await session.query<{
      outcome: InlinedAppend['outcome'];
      version: number;
      taken: string[];
    }>(
      `SELECT outcome, version, taken::text[]
       FROM public.append_inlined_rows($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        rows.tableId,
        rows.access.readers,
        rows.access.writers,
        schemaName,
        rows.lakeTableId,
        rows.columns.map(({ name }) => name),
        rows.columns.map(({ type }) => type),
        rows.idColumn,
        rows.ids.map(String),
        statement,
        rows.text,
        extraInfo,
      ],
    );
    const { outcome, version, taken } = found[0]!;
    if (outcome === 'written') return { outcome, version };
    return outcome === 'taken' ? { outcome, taken: new Set(taken.map(BigInt)) } : { outcome };
  } catch (error) {
    if (isRefusal(error)) return { outcome: 'unfit' };
    throw error;
  }
}

/** The statement that writes these rows; undefined if only an engine can. */
export function writeStatementOf({ columns, text }: InlinedRows): string | undefined {
  return text.includes('\\u0000') ? undefined : writeStatement(columns);
}

/** PostgreSQL refused a value, a size, or an operation that is in the ledger already. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(22|54|23505)/.test(String(error.code));

/**
 * The statement that writes the rows, for PostgreSQL's format() with the name of the table of inlined rows,
 * whose columns are the row's id, the snapshots between which it is there, and those of the table.
 * $1 are the rows, $2 is the first row's id, $3 the snapshot, $4 the time. It gives, by column, the least and
 * the greatest value as in the statistics, and whether one is null. Undefined if a column has a type that
 * only an engine writes.
 */
function writeStatement(columns: readonly InlinedRowColumn[]): string | undefined {
  const parts = columns.map(partOf);
  if (!parts.every((part) => part !== undefined)) return undefined;
  const sent = parts.filter(({ read }) => read !== undefined);
  const before = `
    WITH i AS MATERIALIZED (
      SELECT * FROM ROWS FROM (json_to_recordset($1) AS (${sent.map(({ read }) => read).join(', ')}))
        WITH ORDINALITY AS r(${sent.map(({ member }) => member).join(', ')}, ordinal)),
    stored AS (
      INSERT INTO `;
  // By position: DuckLake writes some names without quotes, which PostgreSQL then has in small letters.
  const after = `
      SELECT $2 + i.ordinal - 1, $3, NULL::bigint, ${parts.map(({ stored }) => stored).join(', ')} FROM i)
    SELECT ARRAY[${parts.map(({ min }) => min).join(', ')}], ARRAY[${parts.map(({ max }) => max).join(', ')}],
      ARRAY[${parts.map(({ hasNull }) => hasNull).join(', ')}] FROM i`;
  return `${forFormat(before)}%1$I${forFormat(after)}`;
}

const forFormat = (statement: string): string => statement.replaceAll('%', '%%');

interface Part {
  member: string | undefined;
  read: string | undefined;
  stored: string;
  min: string;
  max: string;
  hasNull: string;
}

function partOf({ type, member: sent }: InlinedRowColumn): Part | undefined {
  const storage = storageOf(type);
  if (storage === undefined) return undefined;
  if (sent === undefined) {
    const time = '$4::text';
    return { member: undefined, read: undefined, stored: time, min: time, max: time, hasNull: 'false' };
  }
  const member = identifier(sent);
  const value = `i.${member}`;
  return {
    ...{ member, read: `${member} ${storage.read}`, stored: storage.stored(value) },
    ...{ min: storage.min(value), max: storage.max(value), hasNull: `bool_or(${value} IS NULL)` },
  };
}
