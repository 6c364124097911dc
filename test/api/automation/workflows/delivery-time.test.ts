import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workflowRunSteps } from '../../../../domain/automation/workflows/runs/reconcile.ts';
import { projectOf } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { answerWith, type HttpReceiver, startHttpReceiver } from '../../../support/http-receiver.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, steps, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

/** What happens to deliveries when their node is ended from outside. */
const workspace = useOwnWorkspace({}, () => ({ ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1/32' }));
useWorker(workspace);

let client: TestClient;
let project: string;
let receiver: HttpReceiver;
let workflows: ReturnType<typeof workflowsOf>;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  workflows = workflowsOf(client, () => project);
  receiver = await startHttpReceiver();
});
afterAll(() => receiver.close());

const called = (change: object = {}) =>
  workflows.active(
    graphOf([
      node('call', 'webhook_delivery', { url: receiver.url, secret: 'a secret of sixteen letters' }, change),
    ]),
  );

const deliveryOf = async (id: string) =>
  (await client.call('GET', `/v1/workflows/${id}/deliveries`)).body.items[0];

test('the time of a node ends what it has not delivered, which a resume delivers', async () => {
  receiver.answers = [answerWith(503, 'later')];
  const { id } = await called({ timeout_seconds: 2 });
  const run = await workflows.ran(id);
  expect(run.error).toMatchObject({ code: 'node_timeout', nodeId: 'call' });
  expect(await deliveryOf(id)).toMatchObject({ status: 'failed', error: { code: 'node_timeout' } });
  receiver.answers = [answerWith(200, 'now')];
  const resumed = await client.call('POST', `/v1/workflows/${id}/runs/${run.id}/resume`);
  expect(resumed.status, resumed.text).toBe(202);
  expect((await workflows.ended(id, run.id)).status).toBe('succeeded');
  expect(await deliveryOf(id)).toMatchObject({ status: 'delivered', error: null });
});

test('a node whose last attempt delivers when its time is up has ended well', async () => {
  receiver.answers = [
    async (response) => {
      // It is still in progress when the timeout of one second is over.
      await wait(3_000);
      answerWith(200, 'at last')(response);
    },
  ];
  const { id } = await called({ timeout_seconds: 1 });
  const run = await workflows.ran(id);
  expect(run.error).toBeNull();
  expect(steps(run)).toEqual({ call: 'succeeded' });
  expect(await deliveryOf(id)).toMatchObject({ status: 'delivered', receipt: '200 at last' });
});

test('what a terminated run has not delivered is told as failed, and not left as pending', async () => {
  receiver.answers = [answerWith(503, 'later')];
  const { id } = await called();
  const { id: runId } = await workflows.start(id);
  await eventually(
    () => deliveryOf(id),
    (delivery) => delivery?.attempts === 1 && delivery.error !== null,
  );
  await workspace.temporal.workflow.getHandle(`workflow-run/${runId}`).terminate('by force');
  await reconcile(workspace, workflowRunSteps(workspace.activityDeps, 0));
  expect(await workflows.ended(id, runId)).toMatchObject({ error: { code: 'terminated' } });
  expect(await deliveryOf(id)).toMatchObject({ status: 'failed', error: { code: 'terminated' } });
});
