/**
 * How cost grows: what an organization's requests take while it has more and more tables, while its lake has
 * more and more snapshots, while it has more and more runs (half of them another person's own, the newest of
 * them runs of one workflow, fired by one schedule), or while there are more and more other organizations.
 *
 *   npm start                                       (in another terminal)
 *   node bench/growth.ts tables 100 1000 5000       sizes at which to measure, in ascending order
 *   node bench/growth.ts snapshots 1000 10000 50000
 *   node bench/growth.ts runs 1000 100000 1000000
 *   node bench/growth.ts histories 1000 10000 100000
 *   node bench/growth.ts organizations 10 100 1000
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { provisionOrganization } from '../domain/workspace/organizations/provision.ts';
import { copyTables } from './growth-tables.ts';
import { openApi, quantile, readStack } from './workspace.ts';

const stack = readStack();
const provision = { DATABASE_URL: stack.databaseUrl };
const columns = [
  { name: 'id', data_type: 'INTEGER' },
  { name: 'name', data_type: 'STRING' },
  { name: 'at', data_type: 'TIMESTAMP' },
];
let lastId = 0;
const newRows = () =>
  Array.from({ length: 10 }, () => ({
    s_id: ++lastId,
    id: lastId,
    name: `name ${lastId}`,
    at: '2026-01-01T00:00:00',
  }));

/** An organization's API, a table to work with, and a workflow with a schedule. */
interface Place {
  organizationId: string;
  api: Awaited<ReturnType<typeof openApi>>;
  tableId: string;
  projectId: string;
  workflowId: string;
  scheduleId: string;
}

const created = async (api: Place['api'], path: string, body: object): Promise<string> =>
  (await api.json<{ data: { id: string } }>('POST', path, body)).data.id;

async function newPlace(name: string): Promise<Place> {
  const made = await provisionOrganization(provision, { name });
  const api = await openApi({ ...stack, ...made });
  const tableId = await newTable(api, 'subject');
  await append({ api, tableId });
  const projectId = await created(api, '/v1/projects', { name: 'Bench' });
  const workflowId = await newWorkflow(api, projectId);
  const playbookId = await created(api, `/v1/projects/${projectId}/playbooks`, {
    title: 'Bench',
    instructions: '- count of subject',
  });
  const scheduleId = await created(api, '/v1/schedules', {
    kind: 'playbook',
    target: { project_id: projectId, playbook_id: playbookId },
    schedule: { type: 'daily', zone_id: 'Europe/Berlin', time_of_day: '08:00' },
  });
  return { organizationId: made.organizationId, api, tableId, projectId, workflowId, scheduleId };
}

async function newWorkflow(api: Place['api'], projectId: string): Promise<string> {
  const node = { id: 'past', type: 'wait', name: 'Past', config: { until: '2020-01-01T00:00:00Z' } };
  const graph = { version: 1, nodes: [node], edges: [] };
  const id = await created(api, '/v1/workflows', {
    project_id: projectId,
    title: 'Bench',
    graph,
    triggers: [],
  });
  const { data } = await api.json<{ data: { revision: number } }>('GET', `/v1/workflows/${id}`);
  await api.json('POST', `/v1/workflows/${id}/activation`, { expected_revision: data.revision });
  return id;
}

async function runWorkflow({ api, workflowId }: Place): Promise<void> {
  const id = await created(api, `/v1/workflows/${workflowId}/runs`, {});
  for (;;) {
    const { data } = await api.json<{ data: { finishedAt: string | null } }>(
      'GET',
      `/v1/workflows/${workflowId}/runs/${id}`,
    );
    if (data.finishedAt !== null) return;
    await wait(10);
  }
}

async function newTable(api: Place['api'], name: string): Promise<string> {
  const body = { name, kind: 'data', columns };
  return (await api.json<{ data: { tableId: string } }>('POST', '/v1/grid/tables', body)).data.tableId;
}

const append = ({ api, tableId }: Pick<Place, 'api' | 'tableId'>) =>
  api.call('POST', `/v1/tables/${tableId}/rows`, JSON.stringify({ rows: newRows() }));

/** Does work `count` times, some at once. */
async function times(count: number, atOnce: number, work: (index: number) => Promise<unknown>) {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

let made = 0;
let modelId: string | undefined;
/** The requests that are measured: each what a user does all the time. */
const requests: Readonly<Record<string, (place: Place) => Promise<unknown>>> = {
  'GET /v1/me': ({ api }) => api.call('GET', '/v1/me'),
  'a SELECT': ({ api }) =>
    api.call('POST', '/v1/query-executions', JSON.stringify({ sql: 'SELECT count(*) FROM subject' })),
  'an append': append,
  'one table': ({ api, tableId }) => api.call('GET', `/v1/tables/${tableId}`),
  'its rows': ({ api, tableId }) => api.call('GET', `/v1/tables/${tableId}/rows?limit=10`),
  'its versions': ({ api, tableId }) => api.call('GET', `/v1/tables/${tableId}/versions?limit=50`),
  'all tables': ({ api }) => api.call('GET', '/v1/tables'),
  'the catalog': ({ api }) => api.call('GET', '/v1/tables/catalog?compact=true'),
  'its lineage': ({ api, tableId }) => api.call('GET', `/v1/tables/${tableId}/lineage`),
  'its tests': ({ api, tableId }) => api.call('GET', `/v1/tables/${tableId}/verification`),
  'a new table': ({ api }) => newTable(api, `made_${made++}`),
  'a new view': ({ api }) =>
    api.call(
      'POST',
      '/v1/views',
      JSON.stringify({ name: `view_${made++}`, query: 'SELECT id FROM subject' }),
    ),
};

/** The requests of lists of runs, in which the first half of the newest are another person's. */
const requestsOfRuns: typeof requests = {
  'runs of a project': ({ api, projectId }) => api.call('GET', `/v1/projects/${projectId}/runs`),
  '… the one failed': ({ api, projectId }) => api.call('GET', `/v1/projects/${projectId}/runs?status=failed`),
  '… of imports': ({ api, projectId }) => api.call('GET', `/v1/projects/${projectId}/runs?kind=import`),
  '… of workflows': ({ api, projectId }) => api.call('GET', `/v1/projects/${projectId}/runs?kind=workflow`),
  'of the workflow': ({ api, workflowId }) => api.call('GET', `/v1/workflows/${workflowId}/runs`),
  '… that failed': ({ api, workflowId }) => api.call('GET', `/v1/workflows/${workflowId}/runs?status=failed`),
  'the workflow': ({ api, workflowId }) => api.call('GET', `/v1/workflows/${workflowId}`),
  'all workflows': ({ api, projectId }) => api.call('GET', `/v1/workflows?project_id=${projectId}`),
  'of the schedule': ({ api, scheduleId }) => api.call('GET', `/v1/schedules/${scheduleId}/runs`),
  'the schedule': ({ api, scheduleId }) => api.call('GET', `/v1/schedules/${scheduleId}`),
  'all schedules': ({ api }) => api.call('GET', '/v1/schedules'),
  'audit events': ({ api }) => api.call('GET', '/v1/audit-events'),
  'a run to its end': runWorkflow,
};

/** Runs that ended, as many as an organization's services leave behind in years. */
async function addRuns(
  { organizationId, projectId, workflowId, scheduleId }: Place,
  from: number,
  to: number,
) {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  const span = [organizationId, from, to];
  await client.query(
    `INSERT INTO runs (organization_id, id, project_id, kind, status, trigger_type, title, steps, resource_type, resource_id,
        workflow_id, owner_id, created_at, started_at, finished_at)
      SELECT $1, 'run_' || lpad(n::text, 9, '0'), $4, CASE n % 4 WHEN 0 THEN 'import' WHEN 1 THEN 'playbook' ELSE 'workflow' END,
        CASE WHEN n = 3 THEN 'failed' ELSE 'succeeded' END, 'schedule', 'Run ' || n,
        '[{"id":"read","name":"Read the file","type":"read","status":"succeeded","detail":null,"startedAt":null,"finishedAt":null,"error":null}]',
        CASE n % 4 WHEN 0 THEN 'import' WHEN 1 THEN 'playbook' ELSE 'workflow' END, 'of_' || n, 'run/' || n,
        CASE WHEN n % 4 > 0 AND n - $2 > ($3 - $2) / 2 THEN 'usr_other' END, at, at, at
      FROM (SELECT n, now() - make_interval(secs => 2000000 - n) AS at FROM generate_series($2::int + 1, $3::int) AS n) AS made`,
    [...span, projectId],
  );
  await client.query(
    `INSERT INTO workflow_runs (organization_id, id, project_id, workflow_id, version_id, owner_id, params, created_at)
      SELECT r.organization_id, r.id, r.project_id, v.workflow_id, v.id, v.created_by, '{}', r.created_at
      FROM runs AS r, workflow_versions AS v
      WHERE r.organization_id = $1 AND r.kind = 'workflow' AND r.id LIKE 'run_%' AND v.workflow_id = $4
        AND r.id > 'run_' || lpad($2::text, 9, '0') AND r.id <= 'run_' || lpad($3::text, 9, '0')`,
    [...span, workflowId],
  );
  await client.query(
    `INSERT INTO workflow_run_nodes (organization_id, id, run_id, node_id, position, status, attempts)
      SELECT organization_id, 'node' || id, id, 'past', 0, 'succeeded', 1 FROM workflow_runs
      WHERE organization_id = $1
        AND id > 'run_' || lpad($2::text, 9, '0') AND id <= 'run_' || lpad($3::text, 9, '0')`,
    span,
  );
  await client.query(
    `INSERT INTO schedule_runs (organization_id, id, schedule_id, project_id, fire_key, origin, scheduled_for, local_time, zone_id,
        status, run_id, has_run, fired_at, finished_at, created_at)
      SELECT organization_id, 'fire' || id, $4, project_id, id, 'cadence', created_at, '08:00', 'Europe/Berlin',
        'succeeded', id, true, created_at, created_at, created_at
      FROM runs
      WHERE organization_id = $1 AND kind = 'playbook'
        AND id > 'run_' || lpad($2::text, 9, '0') AND id <= 'run_' || lpad($3::text, 9, '0')`,
    [...span, scheduleId],
  );
  await client.query('ANALYZE');
  await client.end();
}

/** Copies of an empty table, a thousand in a commit. */
async function addTables({ organizationId, api }: Place, from: number, to: number): Promise<void> {
  modelId ??= await newTable(api, 'model');
  const model = { organizationId, id: modelId, name: 'model' };
  for (let at = from; at < to; at += 1_000)
    await copyTables(stack.databaseUrl, model, { from: at, to: Math.min(at + 1_000, to) });
}

/** Histories of processes that were ended before a worker saw them: a worker would take hours for so many. */
async function addHistories({ organizationId }: Place, from: number, to: number): Promise<void> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  const { workflow } = new Client({ connection });
  await times(to - from, 32, async (index) => {
    const workflowId = `bench/${organizationId}/${from + index}`;
    const handle = await workflow.start('bench', { taskQueue: 'bench', workflowId });
    await handle.terminate();
  });
  await connection.close();
}

async function measure(place: Place, requests: typeof requestsOfRuns, size: number): Promise<void> {
  for (const [what, request] of Object.entries(requests)) {
    const taken: number[] = [];
    for (let round = 0; round < 25; round += 1) {
      const startedMs = performance.now();
      await request(place);
      taken.push(performance.now() - startedMs);
    }
    const [p50, most] = [quantile(taken, 0.5), Math.max(...taken)].map((ms) => ms.toFixed(1));
    process.stdout.write(`${String(size).padStart(8)}  ${what.padEnd(14)} p50 ${p50} ms, most ${most} ms\n`);
  }
}

/** Makes more of what grows, from one size to the next. */
const growing: Readonly<Record<string, (place: Place, from: number, to: number) => Promise<unknown>>> = {
  tables: addTables,
  snapshots: async ({ api }, from, to) => {
    // Appends to one table that arrive together are one commit: eight tables are eight.
    const lanes = await Promise.all(
      Array.from({ length: 8 }, (_, lane) => newTable(api, `lane_${from}_${lane}`)),
    );
    await Promise.all(
      lanes.map((tableId) => times(Math.ceil((to - from) / lanes.length), 1, () => append({ api, tableId }))),
    );
  },
  runs: addRuns,
  histories: addHistories,
  organizations: (_, from, to) => times(to - from, 8, (index) => newPlace(`Other ${from + index}`)),
};

const [what = 'tables', ...sizes] = process.argv.slice(2);
const grow = growing[what];
if (grow === undefined) throw new Error(`Unknown: ${what}. Known: ${Object.keys(growing).join(', ')}.`);
const place = await newPlace('Bench of growth');
let size = 0;
for (const next of sizes.map(Number)) {
  const startedMs = performance.now();
  await grow(place, size, next);
  process.stdout.write(`${next} ${what} after ${((performance.now() - startedMs) / 1000).toFixed(0)} s\n`);
  size = next;
  await measure(place, what === 'runs' || what === 'histories' ? requestsOfRuns : requests, size);
}
