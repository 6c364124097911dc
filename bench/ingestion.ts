/**
 * A million records of 20 columns as newline-delimited JSON: staged in 200 pages by 4 clients and applied as
 * one batch, compared with the bare engine converting the same file to Parquet.
 *
 *   npm start                     (in another terminal)
 *   node bench/ingestion.ts [records] [clients] [rounds] [records per page]
 *   node bench/ingestion.ts 337000 4 3 50000 --parquet     (or --arrow)
 *
 * With columns, the bare engine is measured twice: converting the records, and reading the same Parquet pages.
 * `--keep` leaves the file for other loaders and prints its name. Also reported: the worker's peak memory
 * since it started, and the length of the batch's history.
 */
import { readFileSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { Client, Connection } from '@temporalio/client';
import { columnTypes } from '../api/plugins/column-body.ts';
import { batchProcess } from '../domain/intake/ingestion/process.ts';
import { openRowWriter } from '../packages/row-formats/index.ts';
import { ingest, pagesOf } from './batch.ts';
import { benchColumns, writeRecords } from './records.ts';
import { openApi, readStack } from './workspace.ts';

const numbers = process.argv
  .slice(2)
  .filter((argument) => /^\d+$/.test(argument))
  .map(Number);
const [records = 1_000_000, clients = 4, rounds = 3, recordsPerPage = 5_000] = numbers;
const format = ['parquet', 'arrow'].find((name) => process.argv.includes(`--${name}`));
const contentType = format && columnTypes[format as keyof typeof columnTypes];
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

/** The same records as pages of columns, in files that the bare engine can read too. */
async function columnPages(): Promise<{ pages: Buffer[]; files: string[] }> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`CREATE TABLE records AS FROM ${source()}`);
  const pages: Buffer[] = [];
  const files: string[] = [];
  for (let start = 0; start < records; start += recordsPerPage) {
    const path = join(tmpdir(), `bench-ingestion-${start}.parquet`);
    const select = `FROM records LIMIT ${recordsPerPage} OFFSET ${start}`;
    await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
    files.push(path);
    pages.push(format === 'arrow' ? await arrowOf(connection, select) : await readFile(path));
  }
  return { pages, files };
}

async function arrowOf(connection: DuckDBConnection, select: string): Promise<Buffer> {
  const result = await connection.stream(select);
  const columns = result.columnNames().map((name, index) => ({ name, type: result.columnType(index) }));
  const writer = await openRowWriter('arrow', columns, 1e9);
  const parts: Buffer[] = [];
  for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk())
    for (const piece of writer.add(chunk, chunk.rowCount))
      parts.push(Buffer.concat(piece.chunks.map((bytes) => Buffer.from(bytes))));
  parts.push(Buffer.concat(writer.end().chunks));
  return Buffer.concat(parts);
}

function source(): string {
  const types = [{ name: 's_id', engineType: 'BIGINT' }, ...benchColumns]
    .map(({ name, engineType }) => `${name}: '${engineType}'`)
    .join(', ');
  return `read_json('${file}', format = 'newline_delimited', columns = {${types}})`;
}

async function bareEngine(from: string): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  const target = join(tmpdir(), 'bench-ingestion.parquet');
  const startedMs = performance.now();
  await connection.run(`COPY (FROM ${from}) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`);
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
const columns = format === undefined ? undefined : await columnPages();
const pages = columns?.pages ?? (await readPages());
console.log(
  `${records} records in ${pages.length} pages of ${Math.round(pages[0]!.length / 1_024)} KiB, ${clients} clients`,
);
for (let round = 1; round <= rounds; round += 1) {
  const { id, stagedMs, totalMs } = await ingest(
    api,
    table.tableId,
    { mode: 'replace' },
    pages,
    clients,
    contentType,
  );
  const { historyLength } = await workflow.getHandle(batchProcess.workflowId(id)).describe();
  const engineMs = await bareEngine(source());
  const files = columns?.files.map((path) => `'${path}'`).join(', ');
  const columnsMs = files === undefined ? undefined : await bareEngine(`read_parquet([${files}])`);
  console.log(
    `round ${round}: staged ${rate(stagedMs)} rows/s, staged and applied ${rate(totalMs)} rows/s (${(totalMs / 1_000).toFixed(1)} s); bare engine ${rate(engineMs)} rows/s; ratio ${(engineMs / totalMs).toFixed(2)}${columnsMs === undefined ? '' : `, of the engine from Parquet ${(columnsMs / totalMs).toFixed(2)}`}; worker ${workerPeakMib()} MiB, ${historyLength} events`,
  );
}
for (const path of columns?.files ?? []) await rm(path);
if (keepsFile) console.log(file);
else await rm(file);
process.exit(0);
