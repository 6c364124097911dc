/**
 * What traces and metrics cost: one API process that sends both to a collector and is scraped, and one that
 * has neither, beside each other on the stores of a running stack. One client asks them in turn, request by
 * request, so that whatever else the machine does slows both alike. Processor time (Linux only) is of the API
 * process alone, for each request.
 *
 *   npm start                (in another terminal)
 *   node bench/telemetry.ts [seconds [both | traces | metrics | neither]]
 *
 * `neither` shows how alike two equal processes are.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../data/process-environment.ts';
import { openApi, quantile, readStack } from './workspace.ts';

const seconds = Number(process.argv[2] ?? 60);
const what = process.argv[3] ?? 'both';
const warmUp = 300;
const stack = readStack();
const folder = mkdtempSync(join(tmpdir(), 'bench-telemetry-'));
let receivedBytes = 0;
const collector = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
  });
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

const without = await start('without', { METRICS_PORT: 'off' });
const hasMetrics = what === 'both' || what === 'metrics';
const withBoth = await start('with', {
  METRICS_PORT: hasMetrics ? '0' : 'off',
  ...(hasMetrics ? { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${endpoint}/v1/metrics` } : {}),
  ...(what === 'both' || what === 'traces'
    ? { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/v1/traces` }
    : {}),
  OTEL_METRIC_EXPORT_INTERVAL: '15000',
});
const sides = [without, withBoth];
const scraping = setInterval(
  () =>
    hasMetrics &&
    void fetch(`http://127.0.0.1:${withBoth.metricsPort}/metrics`).then((scraped) => scraped.arrayBuffer()),
  15_000,
);
const { data } = await without.api.json<{ data: { tableId: string } }>('POST', '/v1/grid/tables', {
  name: `telemetry_${Date.now()}`,
  kind: 'data',
  columns: [{ name: 'n', data_type: 'INTEGER' }],
});
const rows = `/v1/tables/${data.tableId}/rows`;
let rowId = 0;
type Api = Awaited<ReturnType<typeof openApi>>;
const cases: Readonly<Record<string, (api: Api) => Promise<unknown>>> = {
  'GET /v1/me': (api) => api.call('GET', '/v1/me'),
  'SELECT 1': (api) => api.call('POST', '/v1/query-executions', '{"sql":"SELECT 1"}'),
  'append of a row': (api) => api.call('POST', rows, `{"rows":[{"s_id":${++rowId},"n":1}]}`),
};
for (const [name, call] of Object.entries(cases)) {
  const off: number[] = [];
  const on: number[] = [];
  const untilMs = performance.now() + seconds * 1_000;
  const cpuBefore = sides.map(({ child }) => cpuOf(child.pid));
  for (let turn = 0; performance.now() < untilMs; turn += 1) {
    // Who is first changes, and the first requests of all only warm up.
    for (const side of turn % 2 === 0 ? sides : sides.toReversed()) {
      const startedMs = performance.now();
      await call(side.api);
      if (turn >= warmUp) (side === without ? off : on).push((performance.now() - startedMs) * 1_000);
    }
  }
  const [cpuOff, cpuOn] = sides.map(
    ({ child }, at) => (cpuOf(child.pid) - cpuBefore[at]!) / (off.length + warmUp),
  );
  const shown = [0.25, 0.5, 0.75].map((q) => {
    const [before, after] = [quantile(off, q), quantile(on, q)];
    return `p${q * 100} ${before.toFixed(0)} and ${after.toFixed(0)} µs (${((after / before - 1) * 100).toFixed(1)} %)`;
  });
  console.log(
    `${name}, ${off.length} each: ${shown.join(', ')}; processor ${cpuOff?.toFixed(0)} and ${cpuOn?.toFixed(0)} µs`,
  );
}
console.log(`The collector received ${(receivedBytes / 1e6).toFixed(1)} MB.`);
clearInterval(scraping);
await without.api.call('DELETE', `/v1/tables/${data.tableId}?confirm=true`);
for (const { child } of sides) {
  child.kill('SIGTERM');
  await once(child, 'exit');
}
rmSync(folder, { recursive: true, force: true });
process.exit(0);

async function start(name: string, environment: Record<string, string>) {
  const child = fork(join(import.meta.dirname, '../api/main.ts'), [], {
    env: {
      ...process.env,
      ...processEnvironment,
      ...stack.environment,
      WORK_DIR: join(folder, name),
      PORT: '0',
      ...environment,
    },
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [ready] = (await once(child, 'message')) as [{ port: number; metricsPort?: number }];
  const apiUrl = `http://127.0.0.1:${ready.port}`;
  return { child, api: await openApi({ ...stack, apiUrl }, 1), metricsPort: ready.metricsPort };
}

/** Processor time that a process has used, in microseconds. */
function cpuOf(pid: number | undefined): number {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const read = (task: string) => readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8');
    return tasks.reduce((sum, task) => sum + Number(read(task).split(' ')[0]), 0) / 1_000;
  } catch {
    return Number.NaN;
  }
}
