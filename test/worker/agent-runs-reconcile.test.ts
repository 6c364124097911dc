import { beforeAll, expect, test, vi } from 'vitest';
import { AppError } from '../../data/errors.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { processSteps } from '../../data/processes/reconcile.ts';
import { agentRunSteps } from '../../domain/analyst/agent-runs/reconcile.ts';
import { projectOf, useModelServer } from '../support/conversations.ts';
import { reconcile } from '../support/reconcile.ts';
import { endedRun } from '../support/runs.ts';
import { useWorker } from '../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../support/workspace.ts';

const asked = Promise.withResolvers<void>();
const models = useModelServer(({ messages }) => {
  if (!String(messages.at(-1)!.content).includes('slowly')) return { text: 'Done.' };
  asked.resolve();
  return { endless: { delta: 'slow ', everyMs: 20 } };
});
const workspace = useOwnWorkspace({}, models.environment);
useWorker(workspace);

let client: TestClient;
let project: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
});

async function start(instructions: string) {
  const url = `/v1/projects/${project}/playbooks`;
  const body = { title: 'Sales', instructions, model: 'local/scripted' };
  const { id } = (await client.call('POST', url, { body })).body.data;
  return client.call('POST', `${url}/${id}/runs`, { body: {} });
}

const runs = async () => (await client.call('GET', `/v1/projects/${project}/runs`)).body.items;

test('a run whose process was ended by force ends failed', async () => {
  const { id } = (await start('Answer slowly.')).body.data;
  await asked.promise;
  await workspace.temporal.workflow.getHandle(`agent-run/${id}`).terminate('by force');
  await reconcile(workspace, agentRunSteps(workspace.activityDeps as never, 0));
  expect(await endedRun(client, project, id)).toMatchObject({
    status: 'failed',
    output: null,
    error: { code: 'terminated' },
  });
});

test('what a run that ended worked with is removed, where its process was ended by force before', async () => {
  const { organizationId } = client;
  const spy = vi
    .spyOn(workspace.deps.objects, 'removeAll')
    .mockRejectedValue(new AppError('storage_unavailable', 'Away.'));
  const { id } = (await start('Sum it up.')).body.data;
  expect(await endedRun(client, project, id)).toMatchObject({ status: 'succeeded' });
  await workspace.temporal.workflow.getHandle(`agent-run/${id}`).terminate('by force');
  spy.mockRestore();
  const conversations = () =>
    inOrganization(workspace.deps.db, organizationId, (db) =>
      db.selectFrom('conversations').select('id').where('run_id', '=', id).execute(),
    );
  expect(await conversations()).toHaveLength(1);
  await reconcile(workspace, agentRunSteps(workspace.activityDeps as never, 0));
  expect(await conversations()).toEqual([]);
  expect(await endedRun(client, project, id)).toMatchObject({ status: 'succeeded' });
});

test('without workflows nothing of a run stays', async () => {
  const before = (await runs()).length;
  const spy = vi
    .spyOn(workspace.deps.processes, 'start')
    .mockImplementation(async (organizationId, _start, undo) => {
      if (undo !== undefined) await inOrganization(workspace.deps.db, organizationId, undo);
      throw new AppError('workflows_unavailable', 'Away.');
    });
  const answer = await start('Sum it up.').finally(() => spy.mockRestore());
  expect(answer.status).toBe(503);
  expect(await runs()).toHaveLength(before);
});

test('a run whose start was not answered is started by the worker', async () => {
  const spy = vi
    .spyOn(workspace.deps.processes, 'start')
    .mockRejectedValue(new AppError('workflows_unavailable', 'Nobody knows.'));
  const answer = await start('Sum it up.').finally(() => spy.mockRestore());
  expect(answer.status).toBe(503);
  await reconcile(workspace, processSteps(workspace.deps, 0));
  const [run] = await runs();
  expect(await endedRun(client, project, run.id)).toMatchObject({ status: 'succeeded' });
});
