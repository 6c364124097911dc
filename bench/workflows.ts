/**
 * The overhead of a run of a workflow: a chain of ten trivial nodes, a webhook call, and the time from a
 * commit to the run that it triggers.
 *
 *   node bench/workflows.ts [runs] [calls] [commits]
 *
 * With `npm start` in another terminal.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sign } from '../data/webhooks/signature.ts';
import { createHttpClient, openApi, quantile, readStack } from './workspace.ts';

const [runs = 30, calls = 200, commits = 30] = process.argv.slice(2).map(Number);
const stack = readStack();
const { json } = await openApi(stack);

interface Trigger {
  config: { hookUrl: string };
  secret: string;
}
interface Data<T> {
  data: T;
}
interface Run {
  id: string;
  status: string;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

const { data: project } = await json<Data<{ id: string }>>('POST', '/v1/projects', { name: 'Bench' });
const node = (id: string, type: string, config: object) => ({ id, type, name: id, config });
const past = { until: '2020-01-01T00:00:00Z' };

async function activated(graph: object, triggers: object[]): Promise<{ id: string; triggers: Trigger[] }> {
  const body = { project_id: project.id, title: 'Bench', graph: { version: 1, ...graph }, triggers };
  const { data } = await json<Data<{ id: string; revision: number; triggers: Trigger[] }>>(
    'POST',
    '/v1/workflows',
    body,
  );
  await json('POST', `/v1/workflows/${data.id}/activation`, { expected_revision: data.revision });
  return data;
}

async function ended(workflowId: string, runId: string): Promise<Run> {
  for (;;) {
    const { data } = await json<Data<Run>>('GET', `/v1/workflows/${workflowId}/runs/${runId}`);
    if (data.finishedAt !== null) return data;
    await wait(20);
  }
}

const print = (what: string, values: readonly number[]) =>
  process.stdout.write(
    `${what}: p50 ${quantile(values, 0.5).toFixed(0)} ms, p99 ${quantile(values, 0.99).toFixed(0)} ms (${values.length})\n`,
  );
const msOf = (time: string | null) => new Date(time!).getTime();

const ids = Array.from({ length: 10 }, (_, index) => `n${index}`);
const chain = await activated(
  {
    nodes: ids.map((id) => node(id, 'wait', past)),
    edges: ids.slice(1).map((id, index) => ({ from: `n${index}.done`, to: `${id}.start` })),
  },
  [],
);
const chained: number[] = [];
for (let count = 0; count < runs; count += 1) {
  const { data } = await json<Data<Run>>('POST', `/v1/workflows/${chain.id}/runs`, {});
  const run = await ended(chain.id, data.id);
  chained.push(msOf(run.finishedAt) - msOf(run.createdAt));
}
print('ten nodes that do nothing, one after the other, from the call to the end', chained);

const hooked = await activated({ nodes: [node('one', 'wait', past)] }, [{ type: 'webhook' }]);
const [{ config, secret }] = hooked.triggers as [Trigger];
const { origin, pathname } = new URL(config.hookUrl);
const send = createHttpClient(origin, 1);
const taken: number[] = [];
let lastRunId = '';
for (let count = 0; count < calls; count += 1) {
  const body = Buffer.from('{}'.padEnd(2 + count));
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const begunMs = performance.now();
  const answer = await send(
    'POST',
    pathname,
    {
      'content-type': 'application/json',
      'x-webhook-timestamp': timestamp,
      'x-webhook-signature': sign(secret, timestamp, body),
    },
    body,
  );
  taken.push(performance.now() - begunMs);
  if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
  lastRunId = (JSON.parse(answer.text) as Data<{ runId: string }>).data.runId;
  await wait(50);
}
print('a call of a webhook, taken', taken);
await ended(hooked.id, lastRunId);

const table = await json<Data<{ tableId: string }>>('POST', '/v1/grid/tables', {
  name: `bench_${randomUUID().slice(0, 8)}`,
  kind: 'data',
  columns: [{ name: 'a' }],
});
const { tableId } = table.data;
await json('POST', `/v1/projects/${project.id}/catalog-entries`, { table_id: tableId });
const windowSeconds = 1;
const event = await activated({ nodes: [node('one', 'wait', past)] }, [
  { type: 'data_event', config: { table_ids: [tableId], window_seconds: windowSeconds } },
]);
const begun: number[] = [];
let seen = '';
for (let count = 0; count < commits; count += 1) {
  await json('POST', `/v1/tables/${tableId}/rows`, { rows: [{ s_id: count, a: count }] });
  const committedMs = Date.now();
  for (;;) {
    const { items } = await json<{ items: Run[] }>('GET', `/v1/workflows/${event.id}/runs?limit=1`);
    const [run] = items;
    if (run !== undefined && run.id !== seen && run.startedAt !== null) {
      seen = run.id;
      begun.push(msOf(run.startedAt) - committedMs - windowSeconds * 1_000);
      break;
    }
    await wait(20);
  }
}
print('from a commit to the start of its run, beyond the window', begun);
process.exit(0);
