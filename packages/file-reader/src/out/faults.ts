import type { DuckDBConnection } from '@duckdb/node-api';
import { literal } from '../sql.ts';
import type { RecordPlace, TextTable } from '../text/table.ts';
import type { PageSpan } from '../text/window.ts';
import { type AlikeColumns, alikeColumns } from '../values/alike.ts';
import type { PlannedColumn } from '../values/plan.ts';
import { valueSql } from '../values/select.ts';
import { typeName } from '../values/types.ts';
import { run, runRows } from './run.ts';

/** Temporary table with one row per bad record: `_line`, `_at`, `_bytes`, `col`, `reason`, `aside`. */
export const badRecords = 'bad_records';
const shownChars = 100;

/** Fills the temporary table with all records that cannot become rows, each with its first fault. */
export async function findBadRecords(
  connection: DuckDBConnection,
  table: TextTable,
  separator: string,
  plan: readonly PlannedColumn[],
  signal: AbortSignal | undefined,
): Promise<void> {
  await run(connection, `DROP TABLE IF EXISTS reject_errors; DROP TABLE IF EXISTS reject_scans`);
  await run(
    connection,
    `CREATE OR REPLACE TEMP TABLE ${badRecords} AS
     SELECT _line, _at, _bytes, ${ofColumn(plan, ({ sourceName }) => literal(sourceName))} AS col,
       CASE WHEN shown IS NULL THEN 'The value is empty, and the column is not nullable'
       ELSE concat('"', replace(left(shown, ${shownChars}), chr(0), ''), '" does not fit ',
         ${ofColumn(plan, ({ type }) => literal(typeName(type)))}) END AS reason,
       CAST(NULL AS BIGINT) AS aside
     FROM (SELECT _line, _at, _bytes, unnest(fault) FROM (${firstFaults(table, plan)}))`,
    signal,
  );
  if (table.isParsed) await run(connection, structuralFaults(table, separator), signal);
  if (table.illShaped !== undefined && table.numbering?.illShaped !== 0)
    await run(connection, shapeFaults(table, table.illShaped), signal);
  for (const column of plan)
    if (column.unique && column.source !== undefined) {
      await run(connection, repeatedValues(table, column), signal);
    }
}

/**
 * Relation with the first fault of each bad record: a struct of the column's 1-based position in the plan and
 * the text. All columns of the plan are read, so that the reader detects its own faults. Good records are
 * removed by unnesting an empty list, because for a condition the engine would compute the lists of all texts
 * again.
 */
function firstFaults(table: TextTable, plan: readonly PlannedColumn[]): string {
  const groups = alikeColumns(table, plan);
  const lists = groups.map(({ texts }, index) => `${texts} AS l${index}`);
  const places = groups.map((group, index) => `${firstPlace(group, `l${index}`)} AS p${index}`);
  const faults = groups.map(
    ({ positions }, index) => `CASE WHEN p${index} > 0
      THEN {'position': [${positions.map((position) => position + 1).join(', ')}][p${index}], 'shown': CAST(l${index}[p${index}] AS VARCHAR)} END`,
  );
  const used = new Set(plan.flatMap(({ source }) => (source === undefined ? [] : [source])));
  const row = '_line, _at, _bytes';
  const first = `list_min([${[...faults, noFault].join(',\n')}])`;
  return `SELECT ${row}, unnest(list_filter([${first}], lambda f: f IS NOT NULL)) AS fault
    FROM (SELECT *${places.map((place) => `,\n${place}`).join('')}
      FROM (SELECT ${[row, ...lists].join(',\n')} FROM ${table.from('store', used)}))`;
}

/** Never true. Prevents the engine from skipping the records if no column can have a fault. */
const noFault = `CASE WHEN _line < 0 THEN {'position': 0, 'shown': ''} END`;

/** SQL for the position of the first text in a list that is not a value of the column. */
function firstPlace({ value, isNullable, isText }: AlikeColumns, list: string): string {
  // Never true, but forces the texts to be read, since they may have invalid bytes.
  if (isText && isNullable) return `CASE WHEN len(${list}) < 0 THEN 1 END`;
  const fault = isNullable ? `v IS NOT NULL AND (${value}) IS NULL` : `(${value}) IS NULL`;
  return `list_position(list_transform(${list}, lambda v: ${fault}), true)`;
}

/** SQL for a value of the column at `position` of the plan. */
function ofColumn(plan: readonly PlannedColumn[], value: (column: PlannedColumn) => string): string {
  return `[${plan.map(value).join(', ')}][position]`;
}

/** Records that the reader itself rejected; like every record they start with three numbers. */
function structuralFaults(table: TextTable, separator: string): string {
  const part = (index: number): string =>
    `TRY_CAST(split_part(csv_line, ${literal(separator)}, ${index}) AS BIGINT)`;
  const names = table.names.map((name, index) => `WHEN 'c${index}' THEN ${literal(name)}`).join(' ');
  return `INSERT INTO ${badRecords}
    SELECT l, a, any_value(b),
      max(CASE WHEN error_type = 'INVALID ENCODING' THEN CASE column_name ${names} END END),
      max(CASE
        WHEN error_type = 'INVALID ENCODING' THEN 'The value has bytes that are no characters in the encoding of the file'
        WHEN error_type = 'UNQUOTED VALUE' THEN 'A quoted value is followed by other text or not closed'
        WHEN error_type = 'LINE SIZE OVER MAXIMUM' THEN 'The record is too long'
        ELSE 'The record is malformed' END),
      NULL
    FROM (SELECT *, ${part(1)} AS l, ${part(2)} AS a, ${part(3)} AS b FROM reject_errors)
    WHERE l IS NOT NULL
    GROUP BY l, a`;
}

/**
 * Records whose number of fields, counted before the engine read them, is wrong: the engine would report each
 * missing field separately.
 */
function shapeFaults(table: TextTable, illShaped: string): string {
  return `INSERT INTO ${badRecords}
    SELECT _line, _at, _bytes, NULL, concat('Expected ${table.names.length} fields, found ', fields), aside FROM ${illShaped}`;
}

/** All records after the first with the same value in a unique column; values of bad records do not count. */
function repeatedValues(table: TextTable, column: PlannedColumn): string {
  const text = `c${column.source}`;
  return `INSERT INTO ${badRecords}
    SELECT _line, _at, _bytes, ${literal(column.sourceName)},
      concat('"', left(shown, ${shownChars}), '" repeats line ', first_line, ', and the column is unique'), NULL
    FROM (
      SELECT *, row_number() OVER same AS occurrence, first_value(_line) OVER same AS first_line
      FROM (SELECT _line, _at, _bytes, ${text} AS shown, ${valueSql(table, column)} AS value FROM ${table.from('skip')}) AS good
      ANTI JOIN (SELECT _at AS bad_at FROM ${badRecords}) AS known ON good._at = known.bad_at
      WHERE value IS NOT NULL
      WINDOW same AS (PARTITION BY value ORDER BY _at)
    ) WHERE occurrence > 1`;
}

/** The good records of a relation that has `_at`. */
export function goodRecords(from: string): string {
  return `${from} AS good ANTI JOIN (SELECT _at AS bad_at FROM ${badRecords}) AS known ON good._at = known.bad_at`;
}

/** Location and fault of a bad record. */
export interface BadRecord extends RecordPlace {
  line: number;
  column: string | null;
  reason: string;
}

/** How many records of the table are bad. */
export async function countBadRecords(connection: DuckDBConnection): Promise<number> {
  const [[count]] = (await runRows(
    connection,
    `SELECT count(DISTINCT _at) FROM ${badRecords}`,
    undefined,
  )) as [[bigint]];
  return Number(count);
}

/** Bad records in file order. */
export async function readBadRecords(
  connection: DuckDBConnection,
  span: PageSpan,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<BadRecord[]> {
  const rows = await runRows(
    connection,
    `SELECT _line, _at, _bytes, col, reason, aside FROM ${badRecords}
     WHERE _at >= ${span.start} AND _at < ${span.end} ORDER BY _at LIMIT ${limit}`,
    signal,
  );
  return rows.map(([line, at, bytes, column, reason, aside]) => ({
    line: Number(line),
    at: Number(at),
    bytes: Number(bytes),
    column: column === null || column === undefined ? null : String(column),
    reason: String(reason),
    aside: aside === null || aside === undefined ? undefined : Number(aside),
  }));
}
