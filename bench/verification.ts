import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { identifier } from '../data/lake/sql.ts';
import { openBareLakes } from './lake.ts';
import {
  type Definition,
  gateTests,
  keys,
  names,
  orders,
  scannedRows,
  scanTests,
  writeFile,
} from './verification-data.ts';
import { openApi, quantile, readStack, uploadFile } from './workspace.ts';

const [rows = 10_000_000, rounds = 5] = process.argv.slice(2, 4).map(Number);
const parts = (process.argv[4] ?? 'scan,gate,preview').split(',');
const gateRows = 1_000_000;
const stack = readStack();
const api = await openApi(stack);
const lakes = await openBareLakes(stack);
const name = `bench_tests_${Date.now()}`;
const path = '/v1/verification-tests';

interface Answer<T> {
  data: T;
}
interface Run {
  id: string;
  status: string;
  error: unknown;
  finishedAt: string | null;
  results: { name: string; status: string; message: string | null; elapsedMs: number }[];
}
const shown = (ms: number): string => `${ms.toFixed(0)} ms`;
const median = (values: readonly number[]): number => quantile(values, 0.5);

async function upload(projectId: string, file: string, path: string): Promise<string> {
  return `/v1/projects/${projectId}/files/${await uploadFile(api, projectId, { file, path })}`;
}

async function importInto(file: string, target: object): Promise<{ tableId: string; elapsedMs: number }> {
  const startedMs = performance.now();
  const { data: begun } = await api.json<Answer<{ id: string; tableId: string }>>(
    'POST',
    `${file}/imports`,
    target,
  );
  for (;;) {
    const { data } = await api.json<Answer<Run>>('GET', `/v1/table-imports/${begun.id}`);
    if (data.status === 'failed') throw new Error(JSON.stringify(data.error));
    if (data.status === 'succeeded')
      return { tableId: begun.tableId, elapsedMs: performance.now() - startedMs };
    await wait(20);
  }
}

const defined: string[] = [];

async function define(definition: Definition, more: object = {}): Promise<string> {
  const body = { name: definition.kind, ...definition, ...more };
  const { data } = await api.json<Answer<{ id: string }>>('POST', `${path}/definitions`, body);
  defined.push(data.id);
  return data.id;
}

async function verify(tableId: string): Promise<{ elapsedMs: number; run: Run }> {
  const startedMs = performance.now();
  const { data: begun } = await api.json<Answer<Run>>('POST', `${path}/runs`, { table_ids: [tableId] });
  for (;;) {
    const { data } = await api.json<Answer<Run>>('GET', `${path}/runs/${begun.id}`);
    if (data.finishedAt !== null) {
      const odd = data.results.find(({ status }) => status === 'error');
      if (data.status !== 'succeeded' || odd !== undefined)
        throw new Error(JSON.stringify(odd ?? data.error));
      return { elapsedMs: performance.now() - startedMs, run: data };
    }
    await wait(50);
  }
}

async function scan(projectId: string): Promise<void> {
  const source = await writeFile(join(lakes.workDir, 'facts.parquet'), scannedRows(rows), 'parquet');
  const file = await upload(projectId, source, 'facts.parquet');
  const { tableId } = await importInto(file, { table_name: name });
  const ids: string[] = [];
  for (const test of scanTests(tableId)) ids.push(await define(test, { keep_rows: false }));
  await timeRuns(tableId, '500 tests');
  for (const id of ids.slice(-10)) await api.json('PATCH', `${path}/definitions/${id}`, { enabled: false });
  await timeRuns(tableId, '490 tests, none of keys');
}

/** Each run follows a scan, so that a machine that slows down affects both. */
async function timeRuns(tableId: string, what: string): Promise<void> {
  const times = { run: [] as number[], rows: [] as number[], keys: [] as number[], scan: [] as number[] };
  const bareKeys: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const scanMs = await bareScan(tableId);
    const bareKeysMs = await bareUnique(tableId);
    const { elapsedMs, run } = await verify(tableId);
    // The first round reads the files from the object store.
    if (round === 0) continue;
    const [keys, others] = [true, false].map((of) =>
      run.results.filter((result) => (result.name === 'unique') === of).map((result) => result.elapsedMs),
    );
    times.scan.push(scanMs);
    bareKeys.push(bareKeysMs);
    times.run.push(elapsedMs);
    times.rows.push(others![0] ?? 0);
    times.keys.push(keys!.reduce((sum, one) => sum + one, 0));
  }
  const scans = (values: readonly number[]) => {
    const ratios = values.map((value, round) => value / times.scan[round]!);
    return `${shown(median(values))}, ${median(ratios).toFixed(1)} scans`;
  };
  console.log(`${what}: a scan by the bare engine ${shown(median(times.scan))}; the run ${scans(times.run)} \
(aim: 3), of which what rows decide ${scans(times.rows)}, keys ${scans(times.keys)}; grouping by the ten keys by the bare engine ${scans(bareKeys)}`);
}

/** Counts the values of each column. */
function bareScan(tableId: string): Promise<number> {
  const counts = names.map((one) => `count(${identifier(one)})`).join(', ');
  return lakes.use(tableId, async (connection) => {
    const startedMs = performance.now();
    await connection.run(`SELECT ${counts} FROM ${identifier(name)}`);
    return performance.now() - startedMs;
  });
}

/** Groups by each of the keys, and counts the rows of those that repeat. */
function bareUnique(tableId: string): Promise<number> {
  return lakes.use(tableId, async (connection) => {
    const startedMs = performance.now();
    for (const key of keys) {
      const repeated = `SELECT count(*) AS n FROM ${identifier(name)} WHERE ${key} IS NOT NULL GROUP BY ${key} HAVING n > 1`;
      await connection.read(`SELECT sum(n) FROM (${repeated})`);
    }
    return performance.now() - startedMs;
  });
}

async function gate(projectId: string): Promise<void> {
  const file = await upload(
    projectId,
    await writeFile(join(lakes.workDir, 'orders.csv'), orders(gateRows), 'csv'),
    'orders.csv',
  );
  const shops = await writeFile(
    join(lakes.workDir, 'shops.csv'),
    'SELECT i AS no, i % 7 AS area FROM range(1000) AS t(i)',
    'csv',
  );
  const toTable = (
    await importInto(await upload(projectId, shops, 'shops.csv'), { table_name: `${name}_shops` })
  ).tableId;
  const plain = (await importInto(file, { table_name: `${name}_plain` })).tableId;
  const gated = (await importInto(file, { table_name: `${name}_gated` })).tableId;
  for (const test of gateTests(gated, toTable, gateRows)) await define(test, { blocking: true });
  const times = { plain: [] as number[], gated: [] as number[] };
  for (let round = 0; round <= rounds; round += 1)
    for (const [what, tableId] of [
      ['plain', plain],
      ['gated', gated],
    ] as const) {
      const { elapsedMs } = await importInto(file, { table_id: tableId, mode: 'replace' });
      if (round > 0) times[what].push(elapsedMs);
      if (what === 'gated') await testedAfterwards(gated, round + 1);
    }
  const ratio = median(times.gated) / median(times.plain);
  console.log(`import of ${gateRows} CSV rows: ${shown(median(times.plain))}, with ten blocking tests \
${shown(median(times.gated))}, ratio ${ratio.toFixed(2)} (aim: 1.25)`);
}

/** Tests run by themselves ten seconds after a version, and would disturb the next import. */
async function testedAfterwards(tableId: string, runs: number): Promise<void> {
  for (;;) {
    const { items } = await api.json<{ items: Run[] }>('GET', `${path}/runs?table_id=${tableId}&limit=200`);
    if (items.filter(({ finishedAt }) => finishedAt !== null).length >= runs) return;
    await wait(100);
  }
}

async function preview(): Promise<void> {
  const tableIds: string[] = [];
  const named = (index: number) => `${name}_t_${String(index).padStart(3, '0')}`;
  for (let index = 0; index < 500; index += 1) {
    const list = [{ name: 'v', data_type: 'INTEGER' }];
    const body = { name: named(index), kind: 'data', columns: list };
    tableIds.push(
      (await api.json<Answer<{ tableId: string }>>('POST', '/v1/grid/tables', body)).data.tableId,
    );
    const of = { kind: 'expression', params: { expression: `v >= ${index}` } };
    await define({ ...of, target: { table_id: tableIds.at(-1)! } });
    const pattern = `^${named(index).slice(0, -1)}[0-${index % 5}]$`;
    await define({ ...of, target: { selector: { name_pattern: pattern } } });
  }
  const times: number[] = [];
  let total = 0;
  for (let request = 0; request < 50; request += 1) {
    const startedMs = performance.now();
    const { data } = await api.json<Answer<{ total: number }>>('POST', `${path}/effective-set/previews`, {
      table_ids: tableIds,
    });
    times.push(performance.now() - startedMs);
    total = data.total;
  }
  console.log(`preview of 500 tables and 1,000 definitions, ${total} tests: p50 ${median(times).toFixed(0)} ms, \
p99 ${quantile(times, 0.99).toFixed(0)} ms (aim: 300 ms)`);
}

try {
  const { data: project } = await api.json<Answer<{ id: string }>>('POST', '/v1/projects', { name });
  if (parts.includes('scan')) await scan(project.id);
  if (parts.includes('gate')) await gate(project.id);
  if (parts.includes('preview')) await preview();
} finally {
  // An organization may have 2,000 of them.
  for (const id of defined) await api.call('DELETE', `${path}/definitions/${id}?confirm=true`);
  await lakes.close();
}
process.exit(0);
