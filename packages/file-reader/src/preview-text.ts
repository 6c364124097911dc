import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { rawLimitChars } from './bad-file.ts';
import type { BadRow, Preview } from './contract.ts';
import { type PreviewJob, planning } from './job.ts';
import { countBadRecords, findBadRecords, readBadRecords } from './out/faults.ts';
import { readPage } from './out/page.ts';
import { blame, orTooLarge } from './out/run.ts';
import type { NumberedTable, TextSource } from './text/source.ts';
import type { Numbering, TextTable } from './text/table.ts';
import type { PageSpan, RecordWindow } from './text/window.ts';
import { detectTypes } from './values/detect.ts';
import { type PlannedColumn, planInferred, planMappings, previewColumns } from './values/plan.ts';
import { warningsOf } from './warnings.ts';

interface Reach {
  /** Up to this size, a preview reads the whole file to count its records and infer types. */
  wholeBytes: number;
  /** Up to this size, all records are checked, so that the bad ones can be counted. */
  checkedBytes: number;
  /** Records of a larger file from which types are inferred. */
  sampledRecords: number;
}

const mebibyte = 1024 * 1024;
/** What is read in about a second. */
const csvReach: Reach = { wholeBytes: 32 * mebibyte, checkedBytes: 16 * mebibyte, sampledRecords: 200_000 };
/** Formats whose records are taken apart one by one. */
const otherReach: Reach = { wholeBytes: 8 * mebibyte, checkedBytes: 8 * mebibyte, sampledRecords: 50_000 };

/** Unique columns are compared with all earlier records only on pages that end within this many records. */
const repeatRecords = 100_000;

export async function previewText(
  job: PreviewJob,
  connection: DuckDBConnection,
  source: TextSource,
): Promise<Preview> {
  try {
    return await previewPage(job, connection, source);
  } catch (error) {
    throw orTooLarge(error);
  }
}

async function previewPage(
  job: PreviewJob,
  connection: DuckDBConnection,
  source: TextSource,
): Promise<Preview> {
  const inferred = await inferDirect(job, connection, source);
  const numbered = await source.number({
    path: join(job.folder, 'records'),
    window: windowOf(job, inferred !== undefined),
    signal: job.signal,
  });
  try {
    const { table, page } = numbered;
    const numbering = table.numbering!;
    const plan = inferred ?? (await planOf(job, connection, source, numbered));
    await findBadRecords(connection, table, source.separator, plan, undefined);
    const rows = await readPage(connection, table, plan, { ...job, page });
    const bad = (await countBadRecords(connection)) + numbering.broken.length;
    return {
      columns: previewColumns(plan, job.options.includeLoadDate),
      rows,
      ...job.page,
      totalRows: numbered.total,
      badRows: await badRowsOf(connection, numbering, page, job.page.pageSize),
      badRowsTotal: isChecked(job) ? bad : null,
      detectedCsv: source.effective,
      warnings: warningsOf(source, numbering, bad),
      sheets: source.sheets === undefined ? null : [...source.sheets],
    };
  } finally {
    await numbered.close();
  }
}

const reachOf = ({ source }: PreviewJob): Reach => (source.format === 'csv' ? csvReach : otherReach);
const isWhole = (job: PreviewJob): boolean => job.source.sizeBytes <= reachOf(job).wholeBytes;

/** Whether all records are checked, so that the bad ones can be counted. */
export const isChecked = (job: PreviewJob): boolean => job.source.sizeBytes <= reachOf(job).checkedBytes;

/** The records to read: only the page, unless earlier values or type inference require others. */
function windowOf(job: PreviewJob, isInferred: boolean): RecordWindow {
  const { pageNumber, pageSize } = job.page;
  const page = { from: (pageNumber - 1) * pageSize, to: pageNumber * pageSize };
  const countAll = isWhole(job);
  if (isChecked(job)) return { from: 0, to: Number.POSITIVE_INFINITY, countAll, page };
  const mappings = job.options.columnMappings;
  if (mappings === undefined && !isInferred) {
    return {
      from: 0,
      to: countAll ? Number.POSITIVE_INFINITY : Math.max(page.to, reachOf(job).sampledRecords),
      countAll,
      page,
    };
  }
  const hasUnique = mappings?.some(({ unique }) => unique) === true;
  return { from: hasUnique && page.to <= repeatRecords ? 0 : page.from, to: page.to, countAll, page };
}

/** The plan with types inferred by the engine's own parallel reader, if it can read the file. */
async function inferDirect(
  job: PreviewJob,
  connection: DuckDBConnection,
  { direct }: TextSource,
): Promise<PlannedColumn[] | undefined> {
  if (direct === undefined || job.options.columnMappings !== undefined) return undefined;
  const from = direct.from('skip');
  const some = isWhole(job) ? from : `(FROM ${from} LIMIT ${reachOf(job).sampledRecords})`;
  const types = await typesOf(connection, direct, some);
  return types === undefined ? undefined : planInferred(direct, types, planning(job));
}

async function planOf(
  job: PreviewJob,
  connection: DuckDBConnection,
  source: TextSource,
  { table, total }: NumberedTable,
): Promise<PlannedColumn[]> {
  const { columnMappings } = job.options;
  if (columnMappings !== undefined) {
    const isPartial = total === null && source.effective === null;
    return planMappings(table.names, columnMappings, table.form, isPartial);
  }
  const types = await detectTypes(connection, table, table.from('skip'), undefined);
  return planInferred(table, types, planning(job));
}

/** Undefined if the engine's own reader cannot parse the file. */
async function typesOf(connection: DuckDBConnection, table: TextTable, from: string) {
  try {
    return await detectTypes(connection, table, from, undefined);
  } catch (error) {
    if (blame(error) === 'data') return undefined;
    throw error;
  }
}

/** The bad records of a page, each with its text. */
export async function badRowsOf(
  connection: DuckDBConnection,
  numbering: Numbering,
  page: PageSpan,
  limit: number,
): Promise<BadRow[]> {
  const bad = await readBadRecords(connection, page, limit, undefined);
  const raws = await numbering.readRaws(bad, 4 * rawLimitChars);
  const broken = numbering.broken
    .filter(({ at }) => at >= page.start && at < page.end)
    .map((record) => ({ ...record, column: null }));
  return [...bad.map((record, index) => ({ ...record, raw: raws[index]! })), ...broken]
    .sort((a, b) => a.at - b.at)
    .map(({ line, column, raw, reason }) => ({ line, column, raw: raw.slice(0, rawLimitChars), reason }));
}
