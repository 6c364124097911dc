import type { DuckDBConnection } from '@duckdb/node-api';
import type { Preview, Staged } from '../contract.ts';
import type { PreviewJob, StageJob } from '../job.ts';
import { loadDateColumn } from '../options.ts';
import { countBadRecords } from '../out/faults.ts';
import { jsonRows } from '../out/json-rows.ts';
import { writeQuarantine } from '../out/quarantine.ts';
import { runRows } from '../out/run.ts';
import { writeParquet } from '../out/write.ts';
import { badRowsOf, isChecked } from '../preview-text.ts';
import { identifier } from '../sql.ts';
import { columnNames } from '../text/names.ts';
import { sourceColumn } from '../values/plan.ts';
import { findNanoseconds, losesNanoseconds, refuseNanoseconds, refuseWideDecimals } from './exactness.ts';
import { blamingFile } from './file.ts';
import { numberingOf } from './source.ts';
import { type ParquetFile, rowNumber } from './types.ts';

interface TypedPlan {
  list: string;
  columns: { sourceName: string; targetName: string; dataType: string; nullable: boolean }[];
}

/** Plan with each column in its own type. */
function typedPlan(
  file: ParquetFile,
  { loadDateMicros, options, deps }: Pick<StageJob, 'loadDateMicros' | 'options' | 'deps'>,
): TypedPlan {
  const typed = file.columns.map((column) => ({
    ...column,
    ...(options.nested === 'native' ? column.native : undefined),
  }));
  const names = columnNames(
    file.columns.map(({ name }) => name),
    deps.isReserved,
    loadDateMicros === undefined ? [] : [loadDateColumn],
  );
  const terms = typed.map(({ value }, index) => `${value} AS ${identifier(names[index]!)}`);
  const columns = typed.map(({ name, dataType }, index) => ({
    sourceName: name,
    targetName: names[index]!,
    dataType,
    nullable: true,
  }));
  if (loadDateMicros !== undefined) {
    terms.push(`make_timestamp(${loadDateMicros}) AS ${identifier(loadDateColumn)}`);
    columns.push({
      sourceName: loadDateColumn,
      targetName: loadDateColumn,
      dataType: 'TIMESTAMP',
      nullable: false,
    });
  }
  return { list: terms.join(', '), columns };
}

export async function stageTyped(
  job: StageJob,
  connection: DuckDBConnection,
  file: ParquetFile,
): Promise<Staged> {
  const { list, columns } = typedPlan(file, job);
  const options = {
    store: job.deps.store,
    prefixUrl: job.target.prefixUrl,
    columns: columns.length,
    sourceBytes: job.source.sizeBytes,
  };
  const run = (sql: string) => runRows(connection, sql, job.signal);
  refuseWideDecimals(file);
  const bad = losesNanoseconds(file);
  const isQuarantined = bad !== undefined && job.target.quarantine;
  await blamingFile(() =>
    isQuarantined
      ? findNanoseconds(connection, file, 'true', job.signal)
      : refuseNanoseconds(connection, file, job.signal),
  );
  job.tracker.phase(0, 0.95);
  const good = isQuarantined ? `${file.from} WHERE NOT (${bad})` : file.from;
  const files = await blamingFile(() =>
    job.tracker.follow(connection, () => writeParquet(run, `SELECT ${list} FROM ${good}`, options)),
  );
  const quarantine = isQuarantined
    ? await blamingFile(() => writeQuarantine(job, connection, numberingOf(connection, file, file.rows)))
    : undefined;
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const written = columns.map(({ targetName: name, dataType, nullable }) => ({ name, dataType, nullable }));
  return {
    table: { columns: written, files, rows },
    sourceColumns: columns
      .slice(0, file.columns.length)
      .map(({ sourceName, targetName }) => sourceColumn(sourceName, targetName)),
    quarantine,
    bytesRead: job.source.sizeBytes,
    skippedLines: [],
  };
}

export async function previewTyped(
  job: PreviewJob,
  connection: DuckDBConnection,
  file: ParquetFile,
): Promise<Preview> {
  const { list, columns } = typedPlan(file, job);
  const { pageNumber, pageSize } = job.page;
  const from = (pageNumber - 1) * pageSize;
  const where = `${rowNumber} >= ${from} AND ${rowNumber} < ${from + pageSize}`;
  refuseWideDecimals(file);
  const bad = losesNanoseconds(file);
  const good = bad === undefined ? where : `${where} AND NOT (${bad})`;
  const rows = await blamingFile(() =>
    jsonRows(job.deps, connection, `SELECT ${list} FROM ${file.from} WHERE ${good}`),
  );
  const found =
    bad === undefined
      ? { badRows: [], badRowsTotal: 0 }
      : await blamingFile(() => badRowsOnPage(job, connection, file));
  return {
    columns,
    rows,
    pageNumber,
    pageSize,
    totalRows: file.rows,
    ...found,
    detectedCsv: null,
    warnings: [],
    sheets: null,
  };
}

async function badRowsOnPage(
  job: PreviewJob,
  connection: DuckDBConnection,
  file: ParquetFile,
): Promise<Pick<Preview, 'badRows' | 'badRowsTotal'>> {
  const { pageNumber, pageSize } = job.page;
  const page = { start: (pageNumber - 1) * pageSize, end: pageNumber * pageSize };
  const onPage = `${rowNumber} >= ${page.start} AND ${rowNumber} < ${page.end}`;
  await findNanoseconds(connection, file, isChecked(job) ? 'true' : onPage);
  return {
    badRows: await badRowsOf(connection, numberingOf(connection, file, pageSize), page, pageSize),
    badRowsTotal: isChecked(job) ? await countBadRecords(connection) : null,
  };
}
