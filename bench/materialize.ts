/**
 * A calculated table that groups ten million rows: its full build compared with the bare engine's CREATE TABLE
 * AS in the same lake, and its refresh after 10,000 rows were added compared with the full build. Then the
 * time of `status` with 50 inputs, and what writing a view adds to checking its query.
 *
 *   npm start                     (in another terminal)
 *   node bench/materialize.ts [rows] [rounds]
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { literal } from '../data/lake/sql.ts';
import { openBareLakes } from './lake.ts';
import { openApi, quantile, readStack, uploadFile } from './workspace.ts';

const [rows = 10_000_000, rounds = 5] = process.argv.slice(2).map(Number);
const added = 10_000;
const stack = readStack();
const api = await openApi(stack);
const lakes = await openBareLakes(stack);
const { workDir } = lakes;
const name = `bench_facts_${Date.now()}`;
const grouped = `SELECT shop, day, count(*) AS n, sum(amount) AS total, avg(amount) AS mean, max(quantity) AS most
  FROM ${name} GROUP BY shop, day`;

interface Answer<T> {
  data: T;
}
interface Run {
  id: string;
  status: string;
  output: { mode: string; rowCount: number } | null;
  error: unknown;
}

/** A Parquet file of rows with ids from `from`. */
async function writeParquet(file: string, from: number, count: number): Promise<string> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT i AS id, hash(i) % 200 AS shop, DATE '2026-01-01' + CAST(hash(i + 1) % 300 AS INTEGER) AS day,
      CAST((hash(i + 2) % 1000000) / 100.0 AS DECIMAL(18,2)) AS amount, CAST(hash(i + 3) % 1000 AS BIGINT) AS quantity
      FROM range(${from}, ${from + count}) AS t(i)) TO ${literal(file)} (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  return file;
}

/** Imports a file into the table, which the first one makes. */
async function importFile(projectId: string, file: string, tableId?: string): Promise<string> {
  const path = `facts-${Date.now()}.parquet`;
  const fileId = await uploadFile(api, projectId, { file, path });
  const target = tableId === undefined ? { table_name: name } : { table_id: tableId, mode: 'append' };
  const { data: begun } = await api.json<Answer<{ id: string; tableId: string }>>(
    'POST',
    `/v1/projects/${projectId}/files/${fileId}/imports`,
    target,
  );
  for (;;) {
    const { data } = await api.json<Answer<{ status: string; error: unknown }>>(
      'GET',
      `/v1/table-imports/${begun.id}`,
    );
    if (data.status === 'succeeded') return begun.tableId;
    if (data.status === 'failed') throw new Error(JSON.stringify(data.error));
    await wait(100);
  }
}

/** How long a build took, as its process measured it and as its caller sees it. */
async function materialize(id: string, mode: string): Promise<{ buildMs: number; totalMs: number }> {
  const startedMs = performance.now();
  const { data: run } = await api.json<Answer<Run>>('POST', `/v1/grid/tables/${id}/materialize`);
  for (;;) {
    const { data } = await api.json<Answer<Run>>('GET', `/v1/grid/tables/${id}/runs/${run.id}`);
    if (data.status === 'failed') throw new Error(JSON.stringify(data.error));
    if (data.status === 'succeeded') {
      if (data.output?.mode !== mode) throw new Error(`The build was ${data.output?.mode}, not ${mode}.`);
      break;
    }
    await wait(10);
  }
  const totalMs = performance.now() - startedMs;
  const { data } = await api.json<Answer<{ lastRefresh: { elapsedMs: number } }>>(
    'GET',
    `/v1/grid/tables/${id}/status`,
  );
  return { buildMs: data.lastRefresh.elapsedMs, totalMs };
}

async function calc(tableName: string, query: string): Promise<string> {
  const body = { name: tableName, query };
  return (await api.json<Answer<{ tableId: string }>>('POST', '/v1/grid/tables', body)).data.tableId;
}

async function bare(tableId: string, round: number): Promise<number> {
  return lakes.use(tableId, async (connection) => {
    const startedMs = performance.now();
    await connection.run(`CREATE TABLE ${name}_bare_${round} AS ${grouped}`);
    const elapsedMs = performance.now() - startedMs;
    await connection.run(`DROP TABLE ${name}_bare_${round}`);
    return elapsedMs;
  });
}

const median = (values: readonly number[]): number => quantile(values, 0.5);
const shown = (ms: number): string => `${ms.toFixed(0)} ms`;

async function builds(projectId: string): Promise<void> {
  const tableId = await importFile(projectId, await writeParquet(join(workDir, 'facts.parquet'), 0, rows));
  const times = { bare: [] as number[], full: [] as number[], total: [] as number[] };
  const refreshes = { build: [] as number[], total: [] as number[] };
  await bare(tableId, 0);
  for (let round = 1; round <= rounds; round += 1) {
    times.bare.push(await bare(tableId, round));
    const id = await calc(`${name}_full_${round}`, grouped);
    const { buildMs, totalMs } = await materialize(id, 'full');
    times.full.push(buildMs);
    times.total.push(totalMs);
    const more = await writeParquet(join(workDir, 'more.parquet'), rows + round * added, added);
    await importFile(projectId, more, tableId);
    const refresh = await materialize(id, 'incremental');
    refreshes.build.push(refresh.buildMs);
    refreshes.total.push(refresh.totalMs);
  }
  const ratio = (one: number, other: number) => (one / other).toFixed(3);
  console.log(`group-by over ${rows} rows: bare CREATE TABLE AS ${shown(median(times.bare))}, build \
${shown(median(times.full))} (${ratio(median(times.full), median(times.bare))} of bare), with its process \
${shown(median(times.total))} (${ratio(median(times.total), median(times.bare))})`);
  console.log(`refresh after ${added} rows: build ${shown(median(refreshes.build))} \
(${ratio(median(refreshes.build), median(times.full))} of the full build), with its process \
${shown(median(refreshes.total))} (${ratio(median(refreshes.total), median(times.total))})`);
}

async function status(): Promise<void> {
  const inputs = Array.from({ length: 50 }, (_, index) => `${name}_input_${index}`);
  for (const input of inputs) {
    const columns = [{ name: 'v', data_type: 'INTEGER' }];
    await api.json('POST', '/v1/grid/tables', { name: input, kind: 'data', columns });
  }
  const query = inputs.map((input) => `SELECT v FROM ${input}`).join(' UNION ALL ');
  const id = await calc(`${name}_of_inputs`, query);
  await materialize(id, 'full');
  const times: number[] = [];
  for (let request = 0; request < 200; request += 1) {
    const startedMs = performance.now();
    await api.call('GET', `/v1/grid/tables/${id}/status`);
    times.push(performance.now() - startedMs);
  }
  console.log(
    `status with 50 inputs: p50 ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
  );
}

/** A query that gives no row is checked, bound and run: what writing the view does besides is the difference. */
async function views(): Promise<void> {
  const query = `SELECT shop, day, sum(amount) AS total FROM ${name} GROUP BY shop, day HAVING count(*) > 5`;
  const times = { checked: [] as number[], written: [] as number[] };
  for (let index = 0; index < 50; index += 1) {
    let startedMs = performance.now();
    await api.json('POST', '/v1/query-executions', { sql: `DESCRIBE ${query}` });
    times.checked.push(performance.now() - startedMs);
    startedMs = performance.now();
    await api.json('POST', '/v1/views', { name: `${name}_view_${index}`, query });
    times.written.push(performance.now() - startedMs);
  }
  console.log(`a view: query described in p50 ${median(times.checked).toFixed(1)} ms, view written in p50 \
${median(times.written).toFixed(1)} ms`);
}

try {
  const { data: project } = await api.json<Answer<{ id: string }>>('POST', '/v1/projects', { name });
  await builds(project.id);
  await status();
  await views();
} finally {
  await lakes.close();
}
process.exit(0);
