import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import type { StagedTable } from '../contract.ts';
import type { StageJob } from '../job.ts';
import type { Numbering } from '../text/table.ts';
import { column } from '../values/plan.ts';
import { badRecords } from './faults.ts';
import { run, runRows } from './run.ts';
import { writeParquet } from './write.ts';

/** Bad records that stand this close together are read with one read. */
const readAheadBytes = 8 * 1024 * 1024;
const placesAtOnce = 50_000;

const quarantineColumns = [
  column('line', 'INTEGER', false),
  column('column', 'STRING', true),
  column('raw', 'STRING', false),
  column('reason', 'STRING', false),
];

/** Writes the bad records as a table of their own, one row a record, in the order of their lines. */
export async function writeQuarantine(
  job: StageJob,
  connection: DuckDBConnection,
  numbering: Numbering,
): Promise<StagedTable> {
  await run(
    connection,
    'CREATE OR REPLACE TEMP TABLE quarantine ("line" BIGINT, "column" VARCHAR, raw VARCHAR, reason VARCHAR)',
  );
  const appender = await connection.createAppender('quarantine', 'main', 'temp');
  for (const { line, raw, reason } of numbering.broken) append(appender, { line, column: null, raw, reason });
  for (let last = -1; ; ) {
    const places = await placesAfter(connection, last, job.signal);
    if (places.length === 0) break;
    await appendAll(appender, numbering, places);
    last = places.at(-1)!.at;
  }
  appender.closeSync();
  const options = { prefixUrl: job.target.prefixUrl, columns: 4, sourceBytes: 0, signal: job.signal };
  const files = await writeParquet(connection, 'FROM quarantine ORDER BY "line"', options);
  return { columns: quarantineColumns, files, rows: files.reduce((sum, file) => sum + file.rows, 0) };
}

interface Place {
  line: number;
  at: number;
  bytes: number;
  column: string | null;
  reason: string;
}

/** Page by page: a result that is still open would end with the appender's first flush. */
async function placesAfter(connection: DuckDBConnection, at: number, signal: AbortSignal): Promise<Place[]> {
  const rows = await runRows(
    connection,
    `SELECT _line, _at, _bytes, col, reason FROM ${badRecords} WHERE _at > ${at} ORDER BY _at LIMIT ${placesAtOnce}`,
    signal,
  );
  return rows.map(([line, start, bytes, name, reason]) => ({
    line: Number(line),
    at: Number(start),
    bytes: Number(bytes),
    column: name === null ? null : String(name),
    reason: String(reason),
  }));
}

async function appendAll(
  appender: DuckDBAppender,
  numbering: Numbering,
  places: readonly Place[],
): Promise<void> {
  for (let start = 0; start < places.length; ) {
    const from = places[start]!.at;
    let end = start + 1;
    while (end < places.length && places[end]!.at + places[end]!.bytes - from <= readAheadBytes) end += 1;
    const last = places[end - 1]!;
    const texts = await numbering.readRaw(from, last.at + last.bytes - from);
    for (const place of places.slice(start, end)) {
      const raw = texts.subarray(place.at - from, place.at - from + place.bytes).toString();
      append(appender, { ...place, raw });
    }
    start = end;
  }
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
