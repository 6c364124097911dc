import { ValidationError, type ValidationFault } from '../../../../data/errors.ts';
import type { EngineConnection, SqlValue } from '../../../../data/lake/engine/contract.ts';
import { identifier } from '../../../../data/lake/sql.ts';
import { duplicateRowId } from '../../../tables/row-input/duplicates.ts';
import type { BadRecord } from '../../../tables/row-input/page/page.ts';
import { maxFaults } from '../../../tables/row-input/plan.ts';
import { rowIdColumn } from '../../../tables/tables/column-name.ts';
import type { ColumnPlan, PageFault } from './plan.ts';
import { badPage, pageLimits } from './sent.ts';
import { type PageColumnSource, type PageFile, rowNumber } from './source.ts';

const shownCharacters = 40;
/** Reasons of all records; each may have one for every column. */
const maxReasons = 100_000;

function select({ from }: PageFile, fault: PageFault, index: number, limit: number): string {
  const text = fault.text === undefined ? 'NULL' : `left(${fault.text}, ${shownCharacters})`;
  return `(SELECT ${rowNumber} AS r, ${index} AS f, ${text} AS t FROM ${from} WHERE ${fault.where}
           ORDER BY r LIMIT ${limit})`;
}

async function found(
  connection: EngineConnection,
  file: PageFile,
  faults: readonly PageFault[],
  limit: number,
): Promise<{ row: number; fault: PageFault; msg: string }[]> {
  const { rows } = await connection.read(
    `SELECT r, f, t FROM (${faults.map((fault, index) => select(file, fault, index, limit)).join(' UNION ALL ')})
     ORDER BY r, f LIMIT ${limit}`,
  );
  return rows.map(([row, index, text]) => {
    const fault = faults[Number(index)]!;
    return { row: Number(row), fault, msg: messageOf(fault, text ?? null) };
  });
}

function messageOf({ text, msg }: PageFault, value: SqlValue): string {
  return text === undefined ? msg : `The value ${String(value)} ${msg}`;
}

/** Throws with the first faults, each at its record and column. */
export async function refuseFaults(
  connection: EngineConnection,
  file: PageFile,
  faults: readonly PageFault[],
): Promise<never> {
  const first = await found(connection, file, faults.slice(0, maxFaults), maxFaults);
  throw new ValidationError(
    first.map(
      ({ row, fault, msg }): ValidationFault => ({
        loc: ['body', 'records', row, fault.column],
        msg,
        type: fault.type,
      }),
    ),
  );
}

/** Throws with the first s_ids that occur more than once. */
export async function refuseRepeated(
  connection: EngineConnection,
  { from }: PageFile,
  rowId: string,
): Promise<never> {
  const { rows } = await connection.read(
    `SELECT ${rowId} AS id FROM ${from} GROUP BY id HAVING count(*) > 1 ORDER BY min(${rowNumber}) LIMIT 10`,
  );
  throw duplicateRowId(rows.map(([id]) => id as bigint));
}

/** The positions of the bad records, in a temporary table of the connection. */
export const badRows = 'temp.main.bad_records';

/** Finds every record that doesn't fit, with its reasons and its content. */
export async function findBad(
  connection: EngineConnection,
  file: PageFile,
  { plan, faults, rowId }: { plan: ColumnPlan; faults: readonly PageFault[]; rowId: string | undefined },
): Promise<BadRecord[]> {
  const reasons = new Map<number, string>();
  const all = faults.length === 0 ? [] : await found(connection, file, faults, maxReasons);
  if (all.length === maxReasons) throw tooManyBad();
  for (const { row, fault, msg } of all) {
    const before = reasons.get(row);
    reasons.set(row, `${before === undefined ? '' : `${before} `}${fault.column}: ${msg}`);
  }
  await keep(connection, reasons);
  if (rowId !== undefined) {
    const { rows } = await connection.read(
      `SELECT ${rowNumber} FROM ${file.from} WHERE ${rowNumber} NOT IN (SELECT r FROM ${badRows})
       QUALIFY row_number() OVER (PARTITION BY ${rowId} ORDER BY ${rowNumber}) > 1
       ORDER BY 1 LIMIT ${pageLimits.bad + 1}`,
    );
    for (const [row] of rows)
      reasons.set(Number(row), `${rowIdColumn}: An earlier record of the page already has this s_id.`);
    await keep(connection, reasons);
  }
  const values = file.columns.map((column) => `${asSent(column, plan)} AS ${identifier(column.name)}`);
  const texts = await connection.readTexts(
    `SELECT ${[rowNumber, ...values].join(', ')} FROM ${file.from}
     WHERE ${rowNumber} IN (SELECT r FROM ${badRows}) ORDER BY 1`,
  );
  return texts.map(({ first, text: record }) => {
    const index = Number(first);
    return { index, reason: reasons.get(index)!, record };
  });
}

/** As a page of JSON would send it, so that it fits in a replay: numbers with all digits, and documents. */
function asSent(column: PageColumnSource, { columns }: ColumnPlan): string {
  const { name, dataType, value, text } = column;
  if (dataType === 'INTEGER' || dataType.startsWith('DECIMAL(')) return `CAST(${text} AS JSON)`;
  const document = columns.find((one) => one.name === name)?.choices.find((one) => one.dataType === 'JSON');
  return document === undefined ? value : `coalesce(${document.value}, to_json(${text}))`;
}

async function keep(connection: EngineConnection, reasons: ReadonlyMap<number, string>): Promise<void> {
  if (reasons.size > pageLimits.bad) throw tooManyBad();
  const rows = [...reasons.keys()].join(', ');
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE bad_records AS SELECT unnest(CAST([${rows}] AS BIGINT[])) AS r`,
  );
}

function tooManyBad(): Error {
  return badPage(
    `More than ${pageLimits.bad} records of the page don't fit. Correct the page, or send it as smaller ones.`,
  );
}
