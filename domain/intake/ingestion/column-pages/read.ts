import { createHash } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import type { EngineConnection, LakeEngine } from '../../../../data/lake/engine/contract.ts';
import { isOutOfMemory } from '../../../../data/lake/engine/failure.ts';
import { identifier, literal } from '../../../../data/lake/sql.ts';
import type { BadRecord, PageReading, PageRules } from '../../../tables/row-input/page/page.ts';
import type { BodyReader } from '../../../tables/row-input/reading/reader.ts';
import { rowIdColumn } from '../../../tables/tables/column-name.ts';
import { duckDbType, type LakeColumn } from '../../../tables/tables/columns.ts';
import { badRows, findBad, refuseFaults, refuseRepeated } from './faults.ts';
import { type Choice, type ColumnPlan, type PageFault, planColumns } from './plan.ts';
import { badPage, checkParquetFrame, damagedPage, largePage, pageLimits, type SentColumns } from './sent.ts';
import { openPageFile, type PageFile, rowNumber } from './source.ts';

/** What is kept about a page, whichever way it was read. */
export type PageSummary = Omit<PageReading, 'feedBytes' | 'columns'> & {
  columns: readonly { name: string; dataType: string; isNew?: boolean }[];
  /** The local file with the records that fit, if they aren't at the page's own path. */
  file?: string;
};

export interface ColumnPage {
  body: SentColumns;
  columns: readonly LakeColumn[];
  rules: PageRules;
  /** The records that fit are written to `<path>.parquet`. */
  path: string;
}

/** Of the bytes as they were sent. */
export const hashOfColumns = ({ bytes }: SentColumns): string =>
  createHash('sha256').update(bytes).digest('hex');

/** The file beside a page's path with what was sent, as Parquet. */
export const sentFile = (path: string): string => `${path}.sent.parquet`;

/**
 * Reads a page of columns and writes those of its table, without a value of JavaScript for any cell. Throws
 * with up to 20 faults, each at its place, unless the batch keeps bad records aside.
 */
export async function readColumnPage(
  { engine, reader }: { engine: LakeEngine; reader: BodyReader },
  organizationId: string,
  page: ColumnPage,
): Promise<PageSummary> {
  const { body, path } = page;
  if (body.format === 'arrow') {
    await reader.read(organizationId, 'arrow', { body, path: sentFile(path), limits: pageLimits });
  } else {
    checkParquetFrame(body.bytes);
    await writeFile(sentFile(path), body.bytes);
  }
  const tooLong = new AbortController();
  const timer = setTimeout(() => tooLong.abort(slowPage()), pageLimits.milliseconds);
  try {
    const read = await engine.scratch(organizationId, (connection) => readFile(connection, page), {
      signal: tooLong.signal,
    });
    return { sha256: hashOfColumns(body), sizeBytes: body.bytes.length, ...read };
  } catch (error) {
    throw ofPage(error);
  } finally {
    clearTimeout(timer);
  }
}

const slowPage = (): Error => badPage('Reading the page takes too long. Send smaller pages.');

/** Bytes of anybody may also break the engine, whose process is then replaced. */
const ofData =
  /^(Invalid Input|Conversion|Invalid|Out of Range|Not implemented|Serialization|IO|INTERNAL) Error/;

/** A failure to read the file is the page's, unless this machine is the cause. */
function ofPage(error: unknown): unknown {
  if (isOutOfMemory(error)) return largePage();
  if (!(error instanceof Error) || /space left|too many open files/i.test(error.message)) return error;
  return ofData.test(error.message) ? damagedPage() : error;
}

type Read = Omit<PageSummary, 'sha256' | 'sizeBytes'>;

async function readFile(connection: EngineConnection, page: ColumnPage): Promise<Read> {
  const { rules, path } = page;
  const file = await openPageFile(connection, sentFile(path));
  const plan = planColumns(page.columns, file.columns, rules);
  const rowId = rowIdOf(plan);
  const checked = await check(connection, file, plan, { rowId, where: undefined, rules });
  const faults = [...plan.faults, ...checked.choices.flatMap((choice) => choice.faults)].filter((fault) =>
    checked.present.has(fault),
  );
  const setAside = rules.onBadRecord === 'quarantine';
  if (!setAside && faults.length > 0) await refuseFaults(connection, file, faults);
  if (!setAside && checked.hasRepeats) await refuseRepeated(connection, file, rowId);
  if (faults.length === 0 && !checked.hasRepeats)
    return write(connection, page, { file, plan, checked, bad: [], where: undefined });
  const bad = await findBad(connection, file, { plan, faults, rowId: rules.repeats ? undefined : rowId });
  const where = `${rowNumber} NOT IN (SELECT r FROM ${badRows})`;
  const left = await check(connection, file, plan, { rowId, where, rules });
  return write(connection, page, { file, plan, checked: left, bad, where });
}

/** SQL for the s_id of a record; null if it has none that fits. */
function rowIdOf({ columns }: ColumnPlan): string {
  const [choice] = columns.find(({ name }) => name === rowIdColumn)?.choices ?? [];
  return choice?.value ?? 'CAST(NULL AS BIGINT)';
}

interface Checked {
  records: number;
  rowIds: PageReading['rowIds'];
  hasRepeats: boolean;
  /** Whether each column of the plan has a value. */
  isUsed: boolean[];
  /** The type of each column of the plan. */
  choices: Choice[];
  /** The faults that some record has. */
  present: Set<PageFault>;
}

/** Everything that has to be known about the records, in one pass over them. */
async function check(
  connection: EngineConnection,
  { from }: PageFile,
  { columns, faults }: ColumnPlan,
  { rowId, where, rules }: { rowId: string; where: string | undefined; rules: PageRules },
): Promise<Checked> {
  const all = [...faults, ...columns.flatMap(({ choices }) => choices.flatMap((choice) => choice.faults))];
  const terms = [
    'count(*)',
    `min(${rowId})`,
    `max(${rowId})`,
    rules.repeats ? '0' : `count(${rowId}) - count(DISTINCT ${rowId})`,
    ...columns.map(({ source }) => `count(${source.value}) > 0`),
    ...all.map((fault) => `coalesce(bool_or(${fault.where}), false)`),
  ];
  const { rows } = await connection.read(
    `SELECT ${terms.join(', ')} FROM ${from} ${where === undefined ? '' : `WHERE ${where}`}`,
  );
  const [count, min, max, repeats, ...more] = rows[0]!;
  const present = new Set(all.filter((_, index) => more[columns.length + index] === true));
  return {
    records: Number(count),
    rowIds: min === null ? undefined : { min: BigInt(min as bigint), max: BigInt(max as bigint) },
    hasRepeats: Number(repeats) > 0,
    isUsed: columns.map((_, index) => more[index] === true),
    choices: columns.map(
      ({ choices }) =>
        choices.find((one) => !one.faults.some((fault) => present.has(fault))) ?? choices.at(-1)!,
    ),
    present,
  };
}

/** A stream without compression may be much larger than what a batch should keep. */
const maxKeptBytes = 67_108_864;
const isSmall = async (path: string): Promise<boolean> => (await stat(path)).size <= maxKeptBytes;

function isStoredAs(engineType: string, dataType: string): boolean {
  const type = duckDbType(dataType);
  return engineType.replaceAll(' ', '') === (type === 'TIMESTAMPTZ' ? 'TIMESTAMPWITHTIMEZONE' : type);
}

/** Writes the records that fit, unless the file that was sent has exactly these columns. */
async function write(
  connection: EngineConnection,
  { path }: ColumnPage,
  found: {
    file: PageFile;
    plan: ColumnPlan;
    checked: Checked;
    bad: BadRecord[];
    where: string | undefined;
  },
): Promise<Read> {
  const { file, plan, checked, bad, where } = found;
  const { records, rowIds, isUsed, choices } = checked;
  const columns = plan.columns.flatMap(({ name, isNew }, index) =>
    isUsed[index] === true ? [{ name, dataType: choices[index]!.dataType, ...(isNew ? { isNew } : {}) }] : [],
  );
  const hasMore = file.columns.length > plan.columns.length;
  const isAsItStands =
    !hasMore &&
    plan.columns.every(
      ({ source }, index) =>
        isUsed[index] !== true || isStoredAs(source.engineType, choices[index]!.dataType),
    );
  if (isAsItStands && where === undefined && (await isSmall(sentFile(path))))
    return { records, rowIds, bad, columns, file: sentFile(path) };
  const values = plan.columns.flatMap(({ name }, index) =>
    isUsed[index] === true ? [`${choices[index]!.value} AS ${identifier(name)}`] : [],
  );
  if (records > 0) {
    await connection.run(
      `COPY (SELECT ${values.join(', ')} FROM ${file.from}
             ${where === undefined ? '' : `WHERE ${where} ORDER BY ${rowNumber}`})
       TO ${literal(`${path}.parquet`)} (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION snappy)`,
    );
  }
  return { records, rowIds, bad, columns };
}
