import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { rawLimitChars } from './bad-file.ts';
import type { BadRow, Preview } from './contract.ts';
import type { PreviewJob } from './job.ts';
import { badRecords, findBadRecords, goodRecords } from './out/faults.ts';
import { jsonRows } from './out/json-rows.ts';
import { blame, needsTooMuch, runRows } from './out/run.ts';
import type { NumberedTable, TextSource } from './text/source.ts';
import type { Numbering, TextTable } from './text/table.ts';
import { detectTypes } from './values/detect.ts';
import { type PlannedColumn, planInferred, planMappings, previewColumns } from './values/plan.ts';
import { selectList } from './values/select.ts';

/** Up to this size a preview reads the whole file: for its number of records, and for its types. */
const wholeBytes = 64 * 1024 * 1024;
/** Records of a larger file that types are detected from. */
const sampledRecords = 200_000;
/** How far back a preview looks for the first occurrence of a repeated value. */
const repeatRecords = 100_000;

export async function previewText(
  job: PreviewJob,
  connection: DuckDBConnection,
  source: TextSource,
): Promise<Preview> {
  try {
    return await previewPage(job, connection, source);
  } catch (error) {
    if (blame(error) === 'memory') throw needsTooMuch(error);
    throw error;
  }
}

async function previewPage(
  job: PreviewJob,
  connection: DuckDBConnection,
  source: TextSource,
): Promise<Preview> {
  const { pageNumber, pageSize } = job.page;
  const window = { from: (pageNumber - 1) * pageSize, to: pageNumber * pageSize };
  const isWhole = job.source.sizeBytes <= wholeBytes;
  const hasUnique = job.options.columnMappings?.some(({ unique }) => unique) === true;
  const kept = hasUnique && window.to <= repeatRecords ? { ...window, from: 0 } : window;
  const numbered = await source.number({
    path: join(job.folder, 'page'),
    window: { ...kept, countAll: isWhole },
  });
  try {
    const { table } = numbered;
    const numbering = table.numbering!;
    const plan = await planOf(job, connection, source, numbered, isWhole);
    await findBadRecords(connection, table, source.separator, plan, undefined);
    const first = kept === window ? 0 : await lineOf(connection, table, numbering, window.from);
    const list = selectList(table, plan, { loadDateMicros: loadDateMicros(job), onUnfit: 'null' });
    const rows = await jsonRows(
      connection,
      `SELECT ${list} FROM ${goodRecords(table)} WHERE _line >= ${first} ORDER BY _line`,
    );
    return {
      columns: previewColumns(plan, job.options.includeLoadDate),
      rows,
      pageNumber,
      pageSize,
      totalRows: numbered.total,
      badRows: (await badRows(connection, numbering)).filter(({ line }) => line >= first),
      detectedCsv: source.effective,
    };
  } finally {
    await numbered.close();
  }
}

async function planOf(
  job: PreviewJob,
  connection: DuckDBConnection,
  source: TextSource,
  page: NumberedTable,
  isWhole: boolean,
): Promise<PlannedColumn[]> {
  const { columnMappings, includeLoadDate } = job.options;
  const { table } = page;
  if (columnMappings !== undefined) return planMappings(table.names, columnMappings, table.form);
  if (source.direct !== undefined) {
    const from = source.direct.from('skip');
    const types = await typesOf(
      connection,
      source.direct,
      isWhole ? from : `(FROM ${from} LIMIT ${sampledRecords})`,
    );
    if (types !== undefined) return planInferred(source.direct, types, includeLoadDate);
  }
  const to = isWhole ? Number.POSITIVE_INFINITY : sampledRecords;
  const all = await source.number({
    path: join(job.folder, 'all'),
    window: { from: 0, to, countAll: false },
  });
  try {
    const types = await detectTypes(connection, all.table, all.table.from('skip'), undefined);
    return planInferred(all.table, types, includeLoadDate);
  } finally {
    await all.close();
  }
}

/** Undefined where the engine's own reader cannot make sense of the file. */
async function typesOf(connection: DuckDBConnection, table: TextTable, from: string) {
  try {
    return await detectTypes(connection, table, from, undefined);
  } catch (error) {
    if (blame(error) === 'data') return undefined;
    throw error;
  }
}

/** The line of the record at an index, among all that were kept, bad ones included. */
async function lineOf(
  connection: DuckDBConnection,
  table: TextTable,
  numbering: Numbering,
  index: number,
): Promise<number> {
  const lines = await runRows(
    connection,
    `SELECT _line FROM ${table.from('skip')} UNION SELECT _line FROM ${badRecords}`,
  );
  const all = [...lines.map(([line]) => Number(line)), ...numbering.broken.map(({ line }) => line)].sort(
    (a, b) => a - b,
  );
  return all[index] ?? Number.MAX_SAFE_INTEGER;
}

async function badRows(connection: DuckDBConnection, numbering: Numbering): Promise<BadRow[]> {
  const found = await runRows(connection, `SELECT _line, _at, _bytes, col, reason FROM ${badRecords}`);
  const rows: BadRow[] = numbering.broken.map((broken) => ({
    ...broken,
    raw: broken.raw.slice(0, rawLimitChars),
    column: null,
  }));
  for (const [line, at, bytes, column, reason] of found) {
    const raw = await numbering.readRaw(Number(at), Math.min(Number(bytes), 4 * rawLimitChars));
    rows.push({
      line: Number(line),
      column: column === null ? null : String(column),
      raw: raw.toString().slice(0, rawLimitChars),
      reason: String(reason),
    });
  }
  return rows.sort((a, b) => a.line - b.line);
}

function loadDateMicros(job: PreviewJob): bigint | undefined {
  return job.options.includeLoadDate ? BigInt(Date.now()) * 1_000n : undefined;
}
