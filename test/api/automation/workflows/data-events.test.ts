import { beforeAll, expect, test, vi } from 'vitest';
import { AppError } from '../../../../data/errors.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { startDataEventRuns } from '../../../../domain/automation/workflows/starts/data-events.ts';
import { startDataEvents } from '../../../../worker/data-events.ts';
import { projectOf } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { attachedTable } from '../../../support/runs.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape.
type Data = any;

const workspace = useWorkspace();
const url = '/v1/workflows';

let client: TestClient;
let project: string;
let sequence = 0;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
});

const graph = {
  version: 1,
  parameters: {},
  nodes: [{ id: 'one', type: 'query', name: 'One', config: { sql: 'SELECT 1 AS one' } }],
  edges: [],
};

async function madeTable(): Promise<string> {
  sequence += 1;
  return attachedTable(client, project, `events_${sequence}`, [{ s_id: 1, amount: 1 }]);
}

async function append(tableId: string): Promise<void> {
  sequence += 1;
  const body = { rows: [{ s_id: sequence + 1_000, amount: 1 }] };
  const answer = await client.call('POST', `/v1/tables/${tableId}/rows`, { body });
  expect(answer.status, answer.text).toBe(200);
}

/** An active workflow that waits for commits to its table. */
async function waiting(config: object = {}) {
  const tableId = await madeTable();
  const trigger = { type: 'data_event', config: { table_ids: [tableId], ...config } };
  const body = { project_id: project, title: 'Waiting', graph, triggers: [trigger] };
  const made = await client.call('POST', url, { body });
  expect(made.status, made.text).toBe(201);
  const { id, triggers } = made.body.data;
  const activate = async (revision: number) => {
    const answer = await client.call('POST', `${url}/${id}/activation`, {
      body: { expected_revision: revision },
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data;
  };
  await activate(1);
  return { id: id as string, tableId, trigger: triggers[0], activate };
}

/** What the worker does, as if that many seconds had passed. */
const look = (seconds = 0, deps: Data = workspace.deps) =>
  startDataEventRuns(deps, client.organizationId, Date.now() + seconds * 1_000);

const runsOf = (id: string) =>
  inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db
      .selectFrom('workflow_runs')
      .innerJoin('runs', 'runs.id', 'workflow_runs.id')
      .selectAll('workflow_runs')
      .select(['runs.trigger_type', 'runs.trigger_id'])
      .where('workflow_runs.workflow_id', '=', id)
      .orderBy('workflow_runs.created_at')
      .execute(),
  );

test('commits of one window are one run, and those after it another', async () => {
  const { id, tableId, trigger } = await waiting({ window_seconds: 3_600 });
  await look(7_200);
  expect(await runsOf(id)).toEqual([]);
  await append(tableId);
  await look();
  await append(tableId);
  await look(1_800);
  expect(await runsOf(id)).toEqual([]);
  await look(3_601);
  await look(7_200);
  expect(await runsOf(id)).toMatchObject([{ trigger_type: 'data_event', trigger_id: trigger.id }]);
  await append(tableId);
  await look(7_200);
  expect(await runsOf(id)).toHaveLength(2);
});

test('what was committed before the activation, or to another table, sets nothing off', async () => {
  const { id } = await waiting();
  await append(await madeTable());
  await look(60);
  await look(120);
  expect(await runsOf(id)).toEqual([]);
});

test('what is committed before anybody has looked is not lost', async () => {
  const { id, tableId } = await waiting();
  await append(tableId);
  await append(tableId);
  await look(60);
  expect(await runsOf(id)).toHaveLength(1);
});

test('workers that look at once start one run', async () => {
  const { id, tableId } = await waiting();
  await append(tableId);
  await Promise.all(Array.from({ length: 4 }, () => look(60)));
  await look(60);
  expect(await runsOf(id)).toHaveLength(1);
});

test('a run that could not be started is the same one at the next look', async () => {
  const { id, tableId } = await waiting();
  await append(tableId);
  const away = vi.fn(async () => {
    throw new AppError('workflows_unavailable', 'Away.');
  });
  const { deps } = workspace;
  const without = { ...deps, processes: { ...deps.processes, start: away } };
  await expect(look(60, without)).rejects.toMatchObject({ code: 'workflows_unavailable' });
  expect(away).toHaveBeenCalled();
  await append(tableId);
  await look(60);
  const [first] = await runsOf(id);
  expect(first!.id).toBe((away.mock.calls[0] as Data)[1].workflowId.split('/')[1]);
  await look(120);
  expect(await runsOf(id)).toHaveLength(2);
});

test('a run that cannot be started keeps no other from being started', async () => {
  const both = [await waiting(), await waiting()];
  for (const { tableId } of both) await append(tableId);
  const { deps } = workspace;
  let starts = 0;
  const start = async (...given: Parameters<typeof deps.processes.start>) => {
    starts += 1;
    if (starts === 1) throw new AppError('workflows_unavailable', 'Away.');
    return deps.processes.start(...given);
  };
  const started = async () => (await Promise.all(both.map(({ id }) => runsOf(id)))).flat().length;
  const flaky = { ...deps, processes: { ...deps.processes, start } };
  await expect(look(60, flaky)).rejects.toMatchObject({ code: 'workflows_unavailable' });
  expect(starts).toBe(2);
  await look(60);
  expect(await started()).toBe(2);
});

test('an activation in between loses nothing, and a pause forgets', async () => {
  const { id, tableId, activate } = await waiting();
  await append(tableId);
  const { revision } = await activate(2);
  await look(60);
  const runs = await runsOf(id);
  expect(runs).toHaveLength(1);
  await client.call('POST', `${url}/${id}/pause`);
  await append(tableId);
  await look(60);
  const resumed = await client.call('POST', `${url}/${id}/resume`);
  expect(resumed.status, resumed.text).toBe(200);
  expect(resumed.body.data.revision).toBeGreaterThan(revision);
  await look(60);
  expect(await runsOf(id)).toHaveLength(1);
  await append(tableId);
  await look(60);
  expect(await runsOf(id)).toHaveLength(2);
});

test('what its own runs commit sets a workflow off only where that is asked for', async () => {
  const [shy, bold] = [await waiting(), await waiting({ own_writes: true })];
  for (const { id, tableId } of [shy, bold]) {
    await append(tableId);
    await look(60);
    const [run] = await runsOf(id);
    await append(tableId);
    const { schema } = await workspace.deps.lake.catalog.get(client.organizationId);
    // The ledger entry of a node that writes to the table.
    await workspace.deps.lake.catalogPool.query(
      `UPDATE ${schema}.workspace_operation SET run_id = $1
       WHERE table_id = $2 AND snapshot_id = (
         SELECT max(snapshot_id) FROM ${schema}.workspace_operation WHERE table_id = $2)`,
      [run!.id, tableId],
    );
    await look(60);
  }
  expect(await runsOf(shy.id)).toHaveLength(1);
  expect(await runsOf(bold.id)).toHaveLength(2);
  await append(shy.tableId);
  await look(60);
  expect(await runsOf(shy.id)).toHaveLength(2);
});

test('the worker looks by itself, and an organization that cannot be looked at keeps no other waiting', async () => {
  const { deps } = workspace;
  const [first, own] = [client, project];
  const stranger = await workspace.organization();
  [client, project] = [stranger, await projectOf(stranger)];
  await waiting();
  [client, project] = [first, own];
  const { id, tableId } = await waiting({ window_seconds: 1 });
  const warned: Data[] = [];
  const get = (organizationId: string) =>
    organizationId === stranger.organizationId
      ? Promise.reject(new Error('Away.'))
      : deps.lake.catalog.get(organizationId);
  const logger = { warn: (said: Data) => warned.push(said) };
  const worker = startDataEvents({ ...deps, lake: { ...deps.lake, catalog: { get } }, logger });
  await append(tableId);
  await eventually(
    () => runsOf(id),
    (runs) => runs.length === 1,
  );
  await worker.stop();
  expect(new Set(warned.map(({ organizationId }) => organizationId))).toEqual(
    new Set([stranger.organizationId]),
  );
});

test('a table that is not attached to the project is a fault of the draft', async () => {
  const trigger = { type: 'data_event', config: { table_ids: ['tbl_nobodys'] } };
  const body = { project_id: project, title: 'Faulty', graph, triggers: [trigger] };
  const { id } = (await client.call('POST', url, { body })).body.data;
  expect((await client.call('POST', `${url}/${id}/validate`)).body.data).toMatchObject({
    valid: false,
    faults: [{ loc: ['body', 'triggers', 0, 'config', 'table_ids', 0], type: 'value_error' }],
  });
});

test('an event whose run is refused for good leaves a run that failed and says why', async () => {
  const { id, tableId, trigger } = await waiting();
  await append(tableId);
  // Not through the API, which would remove the trigger as well.
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db.updateTable('projects').set({ archived_at: new Date() }).where('id', '=', project).execute(),
  );
  await look(3_600);
  const listed = await client.call('GET', `${url}/${id}/runs`);
  expect(listed.body.items).toMatchObject([
    {
      status: 'failed',
      trigger: { type: 'data_event', id: trigger.id },
      error: { code: 'conflict', message: expect.stringContaining('archived') },
    },
  ]);
  expect(listed.body.items[0].finishedAt).not.toBeNull();
  // The commits have been handled: they trigger nothing more.
  await look(7_200);
  expect(await runsOf(id)).toHaveLength(1);
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db.updateTable('projects').set({ archived_at: null }).where('id', '=', project).execute(),
  );
});
