/**
 * A million records of 20 columns as newline-delimited JSON: staged in 200 pages by 4 clients and applied as
 * one batch, compared with the bare engine converting the same file to Parquet.
 *
 *   npm start                     (in another terminal)
 *   node bench/ingestion.ts [records] [clients] [rounds] [records per page]
 *
 * `--keep` leaves the file for other loaders and prints its name. Also reported: the worker's peak memory
 * since it started, and the length of the batch's history.
 */
import { readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Client, Connection } from '@temporalio/client';
import { batchProcess } from '../domain/intake/ingestion/process.ts';
import { ingest, pagesOf } from './batch.ts';
import { benchColumns, writeRecords } from './records.ts';
import { openApi, readStack } from './workspace.ts';

const numbers = process.argv
  .slice(2)
  .filter((argument) => /^\d+$/.test(argument))
  .map(Number);
const [records = 1_000_000, clients = 4, rounds = 3, recordsPerPage = 5_000] = numbers;
const keepsFile = process.argv.includes('--keep');
const file = join(tmpdir(), `bench-ingestion-${records}.ndjson`);
await writeRecords(file, records);

const stack = readStack();
const api = await openApi(stack);
const temporal = await Connection.connect({ address: stack.temporalAddress });
const { workflow } = new Client({ connection: temporal });
const { data: table } = await api.json<{ data: { tableId: string } }>('POST', '/v1/grid/tables', {
  name: `bench_ingestion_${Date.now()}`,
  kind: 'data',
  columns: benchColumns.map(({ name, dataType }) => ({ name, data_type: dataType })),
});
/** Reads the file a few pages at a time: as a single text it would exceed the maximum string length. */
async function readPages(): Promise<Buffer[]> {
  const handle = await open(file);
  const pages: Buffer[] = [];
  let lines: string[] = [];
  for await (const line of handle.readLines()) {
    lines.push(line);
    if (lines.length < recordsPerPage) continue;
    pages.push(...pagesOf(lines, recordsPerPage));
    lines = [];
  }
  return [...pages, ...pagesOf(lines, recordsPerPage)];
}

async function bareEngine(): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  const types = [{ name: 's_id', engineType: 'BIGINT' }, ...benchColumns]
    .map(({ name, engineType }) => `${name}: '${engineType}'`)
    .join(', ');
  const target = join(tmpdir(), 'bench-ingestion.parquet');
  const startedMs = performance.now();
  await connection.run(
    `COPY (FROM read_json('${file}', format = 'newline_delimited', columns = {${types}})) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`,
  );
  const elapsedMs = performance.now() - startedMs;
  connection.closeSync();
  instance.closeSync();
  await rm(target);
  return elapsedMs;
}

function workerPeakMib(): number {
  const status = readFileSync(`/proc/${stack.pids.worker}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1_024);
}

const rate = (ms: number) => Math.round((records / ms) * 1_000);
const pages = await readPages();
console.log(
  `${records} records in ${pages.length} pages of ${Math.round(pages[0]!.length / 1_024)} KiB, ${clients} clients`,
);
for (let round = 1; round <= rounds; round += 1) {
  const { id, stagedMs, totalMs } = await ingest(api, table.tableId, { mode: 'replace' }, pages, clients);
  const { historyLength } = await workflow.getHandle(batchProcess.workflowId(id)).describe();
  const engineMs = await bareEngine();
  console.log(
    `round ${round}: staged ${rate(stagedMs)} rows/s, staged and applied ${rate(totalMs)} rows/s (${(totalMs / 1_000).toFixed(1)} s); bare engine ${rate(engineMs)} rows/s; ratio ${(engineMs / totalMs).toFixed(2)}; worker ${workerPeakMib()} MiB, ${historyLength} events`,
  );
}
if (keepsFile) console.log(file);
else await rm(file);
process.exit(0);
