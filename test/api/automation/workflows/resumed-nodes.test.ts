import { beforeAll, expect, test, vi } from 'vitest';
import { AppError } from '../../../../data/errors.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { workflowRunSteps } from '../../../../domain/automation/workflows/runs/reconcile.ts';
import { runSteps } from '../../../../domain/workspace/runs/reconcile.ts';
import { decidedSignal } from '../../../../workflows/automation/workflow-run/names.ts';
import { projectOf, useModelServer } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { endedRun } from '../../../support/runs.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

/** A resume repeats the work of every node that did not succeed. */
const models = useModelServer(() => ({ endless: { delta: 'slow ', everyMs: 50 } }));
const workspace = useOwnWorkspace({}, models.environment);
useWorker(workspace);

let client: TestClient;
let project: string;
let workflows: ReturnType<typeof workflowsOf>;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  workflows = workflowsOf(client, () => project);
});

const urlOf = (id: string, runId: string) => `/v1/workflows/${id}/runs/${runId}`;
const handleOf = (runId: string) => workspace.temporal.workflow.getHandle(`workflow-run/${runId}`);

const approvals = async (id: string, runId: string) =>
  (await client.call('GET', `${urlOf(id, runId)}/approvals`)).body.items;

async function resume(id: string, runId: string): Promise<void> {
  const answer = await client.call('POST', `${urlOf(id, runId)}/resume`);
  expect(answer.status, answer.text).toBe(202);
}

async function asked(change: object = {}) {
  const { id } = await workflows.active(graphOf([node('release', 'approval', { message: 'Well?' }, change)]));
  const { id: runId } = await workflows.start(id);
  await workflows.until(id, runId, ({ status }) => status === 'waiting');
  const [first] = await approvals(id, runId);
  return { id, runId, first };
}

/** A person is asked again, and the new decision counts. */
async function isAskedAnew({ id, runId, first }: Awaited<ReturnType<typeof asked>>): Promise<void> {
  await resume(id, runId);
  await workflows.until(id, runId, ({ status }) => status === 'waiting');
  const seen: { id: string; status: string }[] = await approvals(id, runId);
  expect(seen.map(({ status }) => status)).toEqual(['pending', 'expired']);
  const second = seen[0]!;
  expect(second.id).not.toBe(first.id);
  const decide = { body: { decision: 'allow' } };
  expect((await client.call('POST', `${urlOf(id, runId)}/approvals/${second.id}`, decide)).status).toBe(200);
  expect(await workflows.ended(id, runId)).toMatchObject({ status: 'succeeded' });
}

/** The runs of the analyst that a run of a workflow started, in order. */
const childrenOf = async (runId: string): Promise<string[]> =>
  inOrganization(workspace.deps.db, client.organizationId, async (db) => {
    const rows = await db
      .selectFrom('runs')
      .select('id')
      .where('kind', '=', 'report')
      .where('trigger_id', '=', runId)
      .orderBy('created_at')
      .execute();
    return rows.map(({ id }) => id);
  });

const untilChildren = (runId: string, count: number) =>
  eventually(
    () => childrenOf(runId),
    (ids) => ids.length === count,
  );

test('after an approval that nobody decided in time, somebody is asked anew', async () => {
  const run = await asked();
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db
      .updateTable('workflow_approvals')
      .set({ expires_at: new Date(Date.now() - 1_000) })
      .where('run_id', '=', run.runId)
      .execute(),
  );
  await handleOf(run.runId).signal(decidedSignal, run.first.id);
  expect(await workflows.ended(run.id, run.runId)).toMatchObject({
    status: 'failed',
    error: { code: 'approval_expired' },
  });
  await isAskedAnew(run);
});

test('one that nobody decided in time is denied, which may be said once more', async () => {
  const { id } = await workflows.active(
    graphOf([node('release', 'approval', { message: 'Well?', expires_in_seconds: 1 })]),
  );
  const { id: runId } = await workflows.start(id);
  expect(await workflows.ended(id, runId)).toMatchObject({ error: { code: 'approval_expired' } });
  const [approval] = await approvals(id, runId);
  const decided = (decision: string) =>
    client.call('POST', `${urlOf(id, runId)}/approvals/${approval.id}`, { body: { decision } });
  const denied = await decided('deny');
  expect([denied.status, denied.body.data]).toEqual([200, { ...approval, status: 'expired' }]);
  const allowed = await decided('allow');
  expect([allowed.status, allowed.body.code]).toEqual([409, 'conflict']);
});

test('after a termination, somebody is asked anew', async () => {
  const run = await asked();
  await handleOf(run.runId).terminate('by force');
  await reconcile(workspace, workflowRunSteps(workspace.activityDeps, 0));
  expect(await workflows.ended(run.id, run.runId)).toMatchObject({ error: { code: 'terminated' } });
  await isAskedAnew(run);
});

test('after the time of a node was up, it starts another run, and the first is cancelled', async () => {
  const { id } = await workflows.active(
    graphOf([node('told', 'report', { prompt: 'Answer slowly.' }, { timeout_seconds: 2 })]),
  );
  const { id: runId } = await workflows.start(id);
  expect(await workflows.ended(id, runId)).toMatchObject({ error: { code: 'node_timeout' } });
  const [first] = await untilChildren(runId, 1);
  expect(await endedRun(client, project, first!)).toMatchObject({ status: 'cancelled' });
  await resume(id, runId);
  await untilChildren(runId, 2);
  expect(await workflows.ended(id, runId)).toMatchObject({ error: { code: 'node_timeout' } });
  for (const child of await childrenOf(runId))
    expect(await endedRun(client, project, child)).toMatchObject({ status: 'cancelled' });
});

test('a termination ends what the nodes wait for, once and for all', async () => {
  const { id } = await workflows.active(graphOf([node('told', 'report', { prompt: 'Answer slowly.' })]));
  const { id: runId } = await workflows.start(id);
  const [child] = await untilChildren(runId, 1);
  await handleOf(runId).terminate('by force');
  // The first cancel does not reach the child.
  const spy = vi
    .spyOn(workspace.deps.processes, 'cancel')
    .mockRejectedValue(new AppError('workflows_unavailable', 'Away.'));
  await reconcile(workspace, workflowRunSteps(workspace.activityDeps, 0)).finally(() => spy.mockRestore());
  expect(await workflows.ended(id, runId)).toMatchObject({ error: { code: 'terminated' } });
  await resume(id, runId);
  await untilChildren(runId, 2);
  await reconcile(workspace, runSteps(workspace.activityDeps, 0));
  expect(await endedRun(client, project, child!)).toMatchObject({ status: 'cancelled' });
  const [, second] = await childrenOf(runId);
  const shown = await client.call('GET', `/v1/projects/${project}/runs/${second}`);
  expect(shown.body.data.finishedAt).toBeNull();
  await client.call('POST', `${urlOf(id, runId)}/cancel?confirm=true`);
  expect(await endedRun(client, project, second!)).toMatchObject({ status: 'cancelled' });
});
