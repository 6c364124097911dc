import type { DuckDBConnection } from '@duckdb/node-api';
import type { StagedFile, StagedTable } from '../contract.ts';
import type { StageJob } from '../job.ts';
import type { BrokenRecord, Numbering } from '../text/table.ts';
import { atOnce } from './at-once.ts';
import { readBadRecords } from './faults.ts';
import { run, runRows } from './run.ts';
import { writeParquet } from './write.ts';

const recordsAtOnce = 50_000;
/** Records per file; limits memory if most of a large file is bad. */
const recordsPerFile = 500_000;

const quarantineColumns = [
  { name: 'line', dataType: 'INTEGER', nullable: false },
  { name: 'column', dataType: 'STRING', nullable: true },
  { name: 'raw', dataType: 'STRING', nullable: false },
  { name: 'reason', dataType: 'STRING', nullable: false },
];

interface QuarantinedRow {
  line: number;
  at: number;
  column: string | null;
  raw: string;
  reason: string;
}

/**
 * Writes the bad records as a separate table, one row per record, in file order; undefined if there are none.
 */
export async function writeQuarantine(
  job: StageJob,
  connection: DuckDBConnection,
  numbering: Numbering,
): Promise<StagedTable | undefined> {
  const files: StagedFile[] = [];
  const batches = quarantinedRows(connection, numbering, job.signal);
  for (let isAtEnd = false; !isAtEnd; ) {
    await run(
      connection,
      'CREATE OR REPLACE TEMP TABLE quarantine ("line" BIGINT, "column" VARCHAR, raw VARCHAR, reason VARCHAR)',
    );
    let rows = 0;
    while (rows < recordsPerFile && !isAtEnd) {
      const batch = await batches.next();
      isAtEnd = batch.done === true;
      if (batch.done !== true) await append(connection, batch.value);
      rows += batch.value?.length ?? 0;
    }
    const { store } = job.deps;
    const options = {
      store,
      prefixUrl: job.target.prefixUrl,
      columns: 4,
      sourceBytes: 0,
    };
    const statement = (sql: string) => runRows(connection, sql, job.signal);
    if (rows > 0) files.push(...(await writeParquet(statement, 'FROM quarantine', options)));
  }
  await run(connection, 'DROP TABLE quarantine');
  if (files.length === 0) return undefined;
  return { columns: quarantineColumns, files, rows: files.reduce((sum, file) => sum + file.rows, 0) };
}

/** Records rejected by the engine and texts that are not records, merged in file order. */
async function* quarantinedRows(
  connection: DuckDBConnection,
  numbering: Numbering,
  signal: AbortSignal,
): AsyncGenerator<QuarantinedRow[], undefined> {
  const { broken } = numbering;
  let taken = 0;
  for (let start = 0; ; ) {
    const span = { start, end: Number.MAX_SAFE_INTEGER };
    const found = await readBadRecords(connection, span, recordsAtOnce, signal);
    const bad = atOnce(found);
    const raws = await numbering.readRaws(bad);
    const areAll = found.length < recordsAtOnce && bad.length === found.length;
    const last = areAll ? Number.MAX_SAFE_INTEGER : bad.at(-1)!.at;
    const rows: QuarantinedRow[] = bad.map((record, index) => ({ ...record, raw: raws[index]! }));
    const first = taken;
    while (taken < broken.length && broken[taken]!.at <= last) taken += 1;
    rows.push(...broken.slice(first, taken).map((record: BrokenRecord) => ({ ...record, column: null })));
    if (taken > first) rows.sort((a, b) => a.at - b.at);
    yield rows;
    if (last === Number.MAX_SAFE_INTEGER) return;
    start = last + 1;
  }
}

async function append(connection: DuckDBConnection, rows: readonly QuarantinedRow[]): Promise<void> {
  const appender = await connection.createAppender('quarantine', 'main', 'temp');
  for (const { line, column: name, raw, reason } of rows) {
    appender.appendBigInt(BigInt(line));
    if (name === null) appender.appendNull();
    else appender.appendVarchar(name);
    appender.appendVarchar(raw);
    appender.appendVarchar(reason);
    appender.endRow();
  }
  appender.closeSync();
}
