import { expect, test, vi } from 'vitest';
import { buildApp } from '../../../api/app.ts';
import { AppError } from '../../../data/errors.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { processSteps } from '../../../data/processes/reconcile.ts';
import { runSteps } from '../../../domain/workspace/runs/reconcile.ts';
import {
  beginStep,
  insertRun,
  moveRun,
  type RunStatus,
  runStates,
} from '../../../domain/workspace/runs/runs.ts';
import { eventually } from '../../support/eventually.ts';
import { reconcile } from '../../support/reconcile.ts';
import { useWorker } from '../../support/worker.ts';
import { type TestClient, useOrganization, useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

async function projectOf(client: TestClient): Promise<string> {
  return (await client.call('POST', '/v1/projects', { body: { name: 'Runs' } })).body.data.id;
}

async function beginImport(
  client: TestClient,
  project: string,
  name: string,
  content = 'a\n1\n2\n',
  table = name,
) {
  const path = `/v1/projects/${project}/files`;
  const file = await client.call('PUT', `${path}/content?path=${name}.csv`, { body: { content } });
  const body = { table_name: table };
  const started = await client.call('POST', `${path}/${file.body.data.id}/imports`, { body });
  expect(started.status, started.text).toBe(202);
  return started.body.data as { id: string; tableId: string };
}

async function endOf(client: TestClient, url: string) {
  return eventually(
    async () => (await client.call('GET', url)).body.data,
    ({ finishedAt }) => finishedAt !== null,
  );
}

/** A process's status in Temporal, and its outcome. */
async function endInTemporal(workflowId: string) {
  const handle = workspace.temporal.workflow.getHandle(workflowId);
  await handle.result().catch(() => undefined);
  const { status, searchAttributes } = await handle.describe();
  return [status.name, searchAttributes['Outcome']];
}

/** A run without a process, as a feature would add it. */
async function addRun(client: TestClient, project: string, id: string, ownerId: string | null = null) {
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    insertRun(db, {
      organization_id: client.organizationId,
      id,
      project_id: project,
      kind: 'playbook',
      trigger_type: 'schedule',
      trigger_id: 'sch_1',
      title: `Run ${id}`,
      resource_type: 'playbook',
      resource_id: 'pbk_1',
      workflow_id: `playbook-run/${id}`,
      owner_id: ownerId,
    }),
  );
}

test('an import is a run under its own id, with what it made and how it came there', async () => {
  const project = await projectOf(client);
  const { id, tableId } = await beginImport(client, project, 'cities');
  const run = await endOf(client, `/v1/projects/${project}/runs/${id}`);
  expect(run).toMatchObject({
    id,
    projectId: project,
    kind: 'import',
    status: 'succeeded',
    trigger: { type: 'api', id: client.clientId },
    title: 'Import of cities.csv into cities',
    progress: 1,
    output: { tableId, rowsImported: 2 },
    error: null,
    resource: { type: 'table-import', id },
    workflowId: `table-import/${id}`,
  });
  expect(run.steps.map(({ id: step, status }: { id: string; status: string }) => [step, status])).toEqual([
    ['read', 'succeeded'],
    ['commit', 'succeeded'],
  ]);
  expect(await endInTemporal(run.workflowId)).toEqual(['COMPLETED', ['succeeded']]);
});

test('an import that failed is a run that failed, in Temporal too', async () => {
  const project = await projectOf(client);
  const { id } = await beginImport(client, project, 'bad', '');
  const run = await endOf(client, `/v1/projects/${project}/runs/${id}`);
  expect(run).toMatchObject({ status: 'failed', output: null, steps: [{ id: 'read', status: 'failed' }] });
  const { error } = (await client.call('GET', `/v1/table-imports/${id}`)).body.data;
  expect(run.error).toEqual(error);
  expect(await endInTemporal(run.workflowId)).toEqual(['FAILED', ['failed']]);
});

test('runs are listed newest first, a page at a time, by kind and status', async () => {
  const project = await projectOf(client);
  const { id } = await beginImport(client, project, 'listed');
  const url = `/v1/projects/${project}/runs`;
  await endOf(client, `${url}/${id}`);
  // Ids of other kinds sort elsewhere: the order is by time.
  await addRun(client, project, 'aaa_1');
  await addRun(client, project, 'run_2');
  const all = await client.call('GET', url);
  expect(all.body.items.map((run: { id: string }) => run.id)).toEqual(['run_2', 'aaa_1', id]);
  const first = await client.call('GET', `${url}?limit=2`);
  const second = await client.call('GET', `${url}?limit=2&cursor=${first.body.nextCursor}`);
  expect([...first.body.items, ...second.body.items]).toEqual(all.body.items);
  expect(second.body.nextCursor).toBeNull();
  const filtered = await client.call('GET', `${url}?kind=import&status=succeeded`);
  expect(filtered.body.items).toMatchObject([{ id }]);
  const wrong = await client.call('GET', `${url}?kind=dance`);
  expect([wrong.status, wrong.body.detail[0].loc]).toEqual([422, ['query', 'kind']]);
});

test('a run of somebody alone is shown to nobody else, and a run is of its project only', async () => {
  const project = await projectOf(client);
  await addRun(client, project, 'wfr_mine', client.clientId);
  await addRun(client, project, 'wfr_theirs', 'usr_somebody');
  const list = await client.call('GET', `/v1/projects/${project}/runs`);
  expect(list.body.items).toMatchObject([{ id: 'wfr_mine' }]);
  const hidden = await client.call('GET', `/v1/projects/${project}/runs/wfr_theirs`);
  expect(hidden.status).toBe(404);
  const elsewhere = await client.call('GET', `/v1/projects/${await projectOf(client)}/runs/wfr_mine`);
  expect(elsewhere.status).toBe(404);
});

test('pages go through shared runs and own ones together, past those of others', async () => {
  const project = await projectOf(client);
  const owners = [null, client.clientId, 'usr_somebody'];
  const ids = Array.from({ length: 12 }, (_, index) => `run_${String(index).padStart(2, '0')}`);
  for (const [index, id] of ids.entries()) await addRun(client, project, id, owners[index % 3]);
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const url = `/v1/projects/${project}/runs?limit=3&kind=playbook&status=queued`;
    const { body } = await client.call('GET', cursor === '' ? url : `${url}&cursor=${cursor}`);
    seen.push(...body.items.map((run: { id: string }) => run.id));
    cursor = body.nextCursor;
  }
  expect(seen).toEqual(ids.filter((_, index) => index % 3 < 2).reverse());
});

test('cancelling a run ends the process behind it, once; a cancel that was lost is asked again', async () => {
  const project = await projectOf(client);
  const { files } = workspace.deps;
  const begun = Promise.withResolvers<void>();
  const spy = vi.spyOn(files, 'stage').mockImplementation(async (...[, , , signal]) => {
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw signal.reason;
  });
  const { id } = await beginImport(client, project, 'stopped');
  await begun.promise;
  const url = `/v1/projects/${project}/runs/${id}`;
  const unconfirmed = await client.call('POST', `${url}/cancel`);
  expect([unconfirmed.status, unconfirmed.body.detail[0].loc]).toEqual([422, ['query', 'confirm']]);
  const lost = vi.spyOn(workspace.deps.processes, 'cancel').mockRejectedValueOnce(new Error('lost'));
  const asked = await client.call('POST', `${url}/cancel?confirm=true`);
  expect([asked.status, asked.headers['location']]).toEqual([202, url]);
  lost.mockRestore();
  await reconcile(workspace, runSteps(workspace.deps, 0));
  expect(await endOf(client, url)).toMatchObject({ status: 'cancelled', output: null });
  spy.mockRestore();
  const again = await client.call('POST', `${url}/cancel?confirm=true`);
  expect([again.status, again.body.data.status]).toEqual([200, 'cancelled']);
  expect(await endInTemporal(`table-import/${id}`)).toEqual(['CANCELLED', ['cancelled']]);
});

test('an import that is cancelled before its process has begun never becomes a table', async () => {
  const project = await projectOf(client);
  const path = `/v1/projects/${project}/files`;
  const file = await client.call('PUT', `${path}/content?path=late.csv`, { body: { content: 'a\n1\n' } });
  const unanswered = vi
    .spyOn(workspace.deps.processes, 'start')
    .mockRejectedValueOnce(new AppError('workflows_unavailable', 'unanswered'));
  const body = { table_name: 'late' };
  const started = await client.call('POST', `${path}/${file.body.data.id}/imports`, { body });
  unanswered.mockRestore();
  expect(started.status).toBe(503);
  const runs = `/v1/projects/${project}/runs`;
  const { id } = (await client.call('GET', runs)).body.items[0];
  const asked = await client.call('POST', `${runs}/${id}/cancel?confirm=true`);
  expect([asked.status, asked.body.data.status]).toEqual([202, 'queued']);
  await reconcile(workspace, processSteps(workspace.deps, 0));
  expect(await endOf(client, `${runs}/${id}`)).toMatchObject({ status: 'cancelled' });
  const { tables } = (await client.call('GET', '/v1/tables')).body;
  expect(tables.filter(({ name }: { name: string }) => name === 'late')).toEqual([]);
});

test('a cursor that was made up is refused', async () => {
  const url = `/v1/projects/${await projectOf(client)}/runs`;
  await addRun(client, url.split('/')[3]!, 'run_a');
  await addRun(client, url.split('/')[3]!, 'run_b');
  const { nextCursor } = (await client.call('GET', `${url}?limit=1`)).body;
  const [list] = JSON.parse(Buffer.from(nextCursor, 'base64url').toString());
  for (const place of ['abc', ['x', 'y'], [], 5, null]) {
    const cursor = Buffer.from(JSON.stringify([list, place])).toString('base64url');
    const answer = await client.call('GET', `${url}?cursor=${cursor}`);
    expect([answer.status, answer.body.detail?.[0].loc]).toEqual([422, ['query', 'cursor']]);
  }
});

test('a name is cut for its summary between characters', async () => {
  const project = await projectOf(client);
  const { id } = await beginImport(client, project, 'x', 'a\n1\n', `x${'😀'.repeat(120)}`);
  const run = await endOf(client, `/v1/projects/${project}/runs/${id}`);
  expect(run.status).toBe('succeeded');
});

test('a run moves along its table of states only, and ends its step with it', async () => {
  const project = await projectOf(client);
  const statuses = Object.keys(runStates.transitions) as RunStatus[];
  const { db } = workspace.deps;
  const within = <T>(work: Parameters<typeof inOrganization<T>>[2]) =>
    inOrganization(db, client.organizationId, work);
  for (const from of statuses) {
    for (const to of statuses) {
      const row = { organization_id: client.organizationId, id: `run_${from}_${to}` };
      await addRun(client, project, row.id);
      await within((transaction) =>
        beginStep(transaction, row.organization_id, row.id, { id: 'one', name: 'One', type: 'step' }),
      );
      await workspace.deps.lake.catalogPool.query('UPDATE runs SET status = $1 WHERE id = $2', [
        from,
        row.id,
      ]);
      const moved = within((transaction) => moveRun(transaction, row, from, to));
      if (!runStates.transitions[from].includes(to)) await expect(moved).rejects.toThrow('change from');
      else {
        const ended = runStates.isEnd(to);
        expect(await moved).toMatchObject({
          status: to,
          steps: [{ id: 'one', status: ended ? to : 'running' }],
        });
        expect(await within((transaction) => moveRun(transaction, row, from, to))).toBeUndefined();
      }
    }
  }
});

test('the Temporal UI is named where the operator has set it', async () => {
  const workflowsUrl = 'http://temporal-ui.test/namespaces/default/workflows/';
  expect((await client.call('GET', '/v1/temporal-ui')).body).toEqual({ data: { workflowsUrl } });
  const app = await buildApp({ ...workspace.deps, temporalUi: undefined });
  const headers = { authorization: `Bearer ${await client.token()}` };
  const unset = await app.inject({ method: 'GET', url: '/v1/temporal-ui', headers });
  expect(unset.json()).toEqual({ data: { workflowsUrl: null } });
  await app.close();
});
