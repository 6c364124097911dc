import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import type { StagedTable } from '../contract.ts';
import type { StageJob } from '../job.ts';
import type { Numbering } from '../text/table.ts';
import { column } from '../values/plan.ts';
import { readBadRecords } from './faults.ts';
import { run } from './run.ts';
import { writeParquet } from './write.ts';

const recordsAtOnce = 20_000;

const quarantineColumns = [
  column('line', 'INTEGER', false),
  column('column', 'STRING', true),
  column('raw', 'STRING', false),
  column('reason', 'STRING', false),
];

/** Writes the bad records as a table of their own, one row a record, in the order of their lines; none when there are none. */
export async function writeQuarantine(
  job: StageJob,
  connection: DuckDBConnection,
  numbering: Numbering,
): Promise<StagedTable | undefined> {
  await run(
    connection,
    'CREATE OR REPLACE TEMP TABLE quarantine ("line" BIGINT, "column" VARCHAR, raw VARCHAR, reason VARCHAR)',
  );
  const appender = await connection.createAppender('quarantine', 'main', 'temp');
  for (const { line, raw, reason } of numbering.broken) append(appender, { line, column: null, raw, reason });
  for (let start = 0; ; ) {
    // In parts, because a result that is still open would end with the appender's first flush.
    const bad = await readBadRecords(
      connection,
      { start, end: Number.MAX_SAFE_INTEGER },
      recordsAtOnce,
      job.signal,
    );
    if (bad.length === 0) break;
    const raws = await numbering.readRaws(bad);
    for (const [index, record] of bad.entries()) append(appender, { ...record, raw: raws[index]! });
    start = bad.at(-1)!.at + 1;
  }
  appender.closeSync();
  const { objects } = job.deps;
  const options = {
    objects,
    prefixUrl: job.target.prefixUrl,
    columns: 4,
    sourceBytes: 0,
    signal: job.signal,
  };
  const files = await writeParquet(connection, 'FROM quarantine ORDER BY "line"', options);
  if (files.length === 0) return undefined;
  return { columns: quarantineColumns, files, rows: files.reduce((sum, file) => sum + file.rows, 0) };
}

function append(
  appender: DuckDBAppender,
  row: { line: number; column: string | null; raw: string; reason: string },
): void {
  appender.appendBigInt(BigInt(row.line));
  if (row.column === null) appender.appendNull();
  else appender.appendVarchar(row.column);
  appender.appendVarchar(row.raw);
  appender.appendVarchar(row.reason);
  appender.endRow();
}
