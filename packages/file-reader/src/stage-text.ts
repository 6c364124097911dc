import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { BadFileError, badRow, rawLimitChars } from './bad-file.ts';
import type { Staged, StagedFile } from './contract.ts';
import { planning, type StageJob } from './job.ts';
import { badRecords, findBadRecords, goodRecords, readBadRecords } from './out/faults.ts';
import { writeQuarantine } from './out/quarantine.ts';
import { blame, orTooLarge, runRows } from './out/run.ts';
import { hasRepeats } from './out/unique.ts';
import { clearPrefix, writeParquet } from './out/write.ts';
import type { TextSource } from './text/source.ts';
import type { Numbering, TextTable } from './text/table.ts';
import { detectTypes } from './values/detect.ts';
import {
  type PlannedColumn,
  planInferred,
  planMappings,
  sourceColumn,
  stagedColumns,
} from './values/plan.ts';
import { selectList, unfit } from './values/select.ts';
import { warningsOf } from './warnings.ts';

const sampleRows = 20_000;
const sampleValues = 2_000_000;

/**
 * A file without bad rows needs one pass: types are inferred from a sample, and writing stops at the first
 * value that does not fit. Only then are types inferred from the whole file, or its records numbered to
 * identify the bad ones.
 */
export async function stageText(
  job: StageJob,
  connection: DuckDBConnection,
  source: TextSource,
): Promise<Staged> {
  try {
    const clean = source.direct === undefined ? undefined : await stageClean(job, connection, source.direct);
    if (clean !== undefined) return clean;
    await clearPrefix(job.deps, job.target.prefixUrl);
    return await stageNumbered(job, connection, source);
  } catch (error) {
    throw orTooLarge(error);
  }
}

/** Undefined if the file has a bad row, or a question that only numbered records can answer. */
async function stageClean(
  job: StageJob,
  connection: DuckDBConnection,
  table: TextTable,
): Promise<Staged | undefined> {
  const { signal, tracker } = job;
  try {
    const count = Math.max(1_000, Math.min(sampleRows, Math.floor(sampleValues / table.names.length)));
    const sample = await planOf(job, connection, table, `(FROM ${table.from('skip')} LIMIT ${count})`);
    if (sample.every(({ inferred }) => inferred !== 'order')) {
      tracker.phase(table.numbering === undefined ? 0.02 : 0.3, 0.95);
      return await writeStrict(job, connection, table, sample);
    }
  } catch (error) {
    if (signal.aborted || blame(error) !== 'data') throw error;
    if (job.options.columnMappings !== undefined || !isUnfit(error)) return undefined;
  }
  await clearPrefix(job.deps, job.target.prefixUrl);
  try {
    const plan = await planOf(job, connection, table, table.from('skip'));
    return await writeStrict(job, connection, table, plan);
  } catch (error) {
    if (signal.aborted || blame(error) !== 'data') throw error;
    return undefined;
  }
}

const isUnfit = (error: unknown): boolean => error instanceof Error && error.message.includes(unfit);

/** The table's columns and their types. */
export function planOf(
  job: StageJob,
  connection: DuckDBConnection,
  table: TextTable,
  from: string,
): Promise<PlannedColumn[]> | PlannedColumn[] {
  const { columnMappings } = job.options;
  if (columnMappings !== undefined) return planMappings(table.names, columnMappings, table.form);
  return job.tracker
    .follow(connection, () => detectTypes(connection, table, from, job.signal))
    .then((types) => planInferred(table, types, planning(job)));
}

function usedColumns(plan: readonly PlannedColumn[]): Set<number> {
  return new Set(plan.flatMap(({ source }) => (source === undefined ? [] : [source])));
}

/** Undefined if a value of a unique column repeats: finding its record requires numbering. */
async function writeStrict(
  job: StageJob,
  connection: DuckDBConnection,
  table: TextTable,
  plan: PlannedColumn[],
): Promise<Staged | undefined> {
  const { loadDateMicros } = job;
  const list = selectList(table, plan, { loadDateMicros, onUnfit: 'error' });
  const files = await write(
    job,
    connection,
    plan,
    `SELECT ${list} FROM ${table.from('strict', usedColumns(plan))}`,
  );
  if (await hasRepeats(connection, files, plan, job.signal)) return undefined;
  return stagedOf(job, table, plan, { files, quarantine: undefined });
}

async function stageNumbered(
  job: StageJob,
  connection: DuckDBConnection,
  source: TextSource,
): Promise<Staged> {
  const { signal, tracker, target } = job;
  tracker.phase(0, 0.3);
  const onRead = (bytes: number): void => tracker.at(bytes / job.source.sizeBytes);
  const numbered = await source.number({ path: join(job.folder, 'records'), signal, onRead });
  try {
    const { table } = numbered;
    const numbering = table.numbering!;
    const hasAllFields = numbering.broken.length === 0 && numbering.illShaped === 0;
    if (source.direct === undefined && !table.isTagged && hasAllFields) {
      const clean = await stageClean(job, connection, table);
      if (clean !== undefined && clean.table.rows === numbering.records)
        return { ...clean, warnings: warningsOf(source, numbering, 0) };
      await clearPrefix(job.deps, target.prefixUrl);
    }
    tracker.phase(0.3, 0.4);
    const plan = await planOf(job, connection, table, table.from('skip'));
    tracker.phase(0.4, 0.6);
    await tracker.follow(connection, () => findBadRecords(connection, table, source.separator, plan, signal));
    if (!target.quarantine) await failAtFirst(connection, numbering);
    tracker.phase(0.6, 0.95);
    const list = selectList(table, plan, { loadDateMicros: job.loadDateMicros, onUnfit: 'null' });
    const files = await write(
      job,
      connection,
      plan,
      `SELECT ${list} FROM ${goodRecords(table.from('skip'))}`,
    );
    const [[bad] = []] = await runRows(connection, `SELECT count(*) FROM ${badRecords}`);
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    if (rows + Number(bad) !== numbering.records) {
      throw new BadFileError('malformed_file', "The quotes in the file don't follow the rules of CSV");
    }
    const quarantine = target.quarantine ? await writeQuarantine(job, connection, numbering) : undefined;
    const warnings = warningsOf(source, numbering, Number(bad));
    return { ...stagedOf(job, table, plan, { files, quarantine }), warnings };
  } finally {
    await numbered.close();
  }
}

async function failAtFirst(connection: DuckDBConnection, numbering: Numbering): Promise<void> {
  const [found] = await readBadRecords(connection, { start: 0, end: Number.MAX_SAFE_INTEGER }, 1, undefined);
  const broken = numbering.broken[0];
  if (broken !== undefined && (found === undefined || broken.at < found.at))
    throw badRow({ ...broken, column: null });
  if (found === undefined) return;
  const [raw = ''] = await numbering.readRaws([found], 4 * rawLimitChars);
  throw badRow({ ...found, raw });
}

function write(
  job: StageJob,
  connection: DuckDBConnection,
  plan: readonly PlannedColumn[],
  select: string,
): Promise<StagedFile[]> {
  const { prefixUrl } = job.target;
  const { store } = job.deps;
  const options = {
    store,
    prefixUrl,
    columns: plan.length,
    sourceBytes: job.source.sizeBytes,
  };
  const run = (sql: string) => runRows(connection, sql, job.signal);
  return job.tracker.follow(connection, () => writeParquet(run, select, options));
}

function stagedOf(
  job: StageJob,
  { names }: Pick<TextTable, 'names'>,
  plan: readonly PlannedColumn[],
  { files, quarantine }: { files: StagedFile[]; quarantine: Staged['quarantine'] },
): Staged {
  const sourceColumns = plan.flatMap(({ source, name }) =>
    source === undefined ? [] : [sourceColumn(names[source]!, name)],
  );
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const columns = stagedColumns(plan, job.options.includeLoadDate);
  return {
    table: { columns, files, rows },
    sourceColumns,
    quarantine,
    bytesRead: job.source.sizeBytes,
    skippedLines: [],
  };
}
