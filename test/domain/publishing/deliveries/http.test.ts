import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../../data/ids.ts';
import { createOutgoing, type Outgoing } from '../../../../data/outgoing/outgoing.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { sealNodeSecrets } from '../../../../domain/automation/workflows/graphs/sealed.ts';
import type { DeliveryDeps } from '../../../../domain/publishing/deliveries/attempt.ts';
import { maxAttempts } from '../../../../domain/publishing/deliveries/moves.ts';
import {
  deliveryProcess,
  deliverySteps,
  retryDelivery,
} from '../../../../domain/publishing/deliveries/retry.ts';
import { expectEventually } from '../../../support/eventually.ts';
import {
  type HttpReceiver,
  type ReceiverAnswer,
  startHttpReceiver,
} from '../../../support/misbehaving-receiver.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { useLab } from './lab.ts';

const lab = useLab();
const path = '/services/T0/B0/sEcReT';
const kinds = ['slack', 'webhook'] as const;
type Kind = (typeof kinds)[number];

let receiver: HttpReceiver;
let deps: DeliveryDeps;
let outgoing: Outgoing;
let run: { workflowId: string; runId: string };

beforeAll(async () => {
  receiver = await startHttpReceiver();
  outgoing = createOutgoing({ allowedPrivate: 'any' });
  deps = { ...lab.deps, outgoing };
  run = await ranWorkflow(`${receiver.url}${path}`);
});
afterAll(() => Promise.all([receiver.close(), outgoing.close()]));
beforeEach(() => {
  receiver.answer = { status: 200, body: 'ok' };
  receiver.calls.length = 0;
});

/** A run of a workflow whose nodes `slack` and `webhook` have secrets; nothing runs it. */
async function ranWorkflow(slackUrl: string) {
  const { client, projectId } = lab;
  const made = await client.call('POST', '/v1/workflows', {
    body: { project_id: projectId, title: 'Sales', graph: {} },
  });
  const [workflowId, versionId, runId] = [made.body.data.id as string, newId('wfv'), newId('wfr')];
  const of = { organization_id: client.organizationId, workflow_id: workflowId };
  const secrets = { slack: { webhook_url: slackUrl }, webhook: { secret: 'whsec_1' } };
  await inOrganization(deps.db, client.organizationId, async (db) => {
    await db
      .insertInto('workflow_versions')
      .values({
        ...of,
        id: versionId,
        number: 1,
        title: 'Sales',
        output_folder: '',
        graph: '{}',
        sealed_secrets: sealNodeSecrets(lab.workspace.activityDeps.cipher, secrets),
        triggers: '[]',
        created_by: client.clientId,
      })
      .execute();
    await db
      .insertInto('runs')
      .values({
        organization_id: client.organizationId,
        id: runId,
        project_id: projectId,
        kind: 'workflow',
        status: 'running',
        trigger_type: 'api',
        trigger_id: client.clientId,
        title: 'Sales',
        resource_type: 'workflow',
        resource_id: workflowId,
        workflow_id: `workflow-run/${runId}`,
      } as never)
      .execute();
    await db
      .insertInto('workflow_runs')
      .values({
        ...of,
        id: runId,
        project_id: projectId,
        version_id: versionId,
        owner_id: client.clientId,
        params: '{}',
      })
      .execute();
  });
  return { workflowId, runId };
}

async function add(kind: Kind, of = run, url = `${receiver.url}/in`): Promise<string> {
  const id = await lab.add(
    kind,
    '127.0.0.1',
    (kind === 'slack' ? { text: 'Up.' } : { url, payload: 1 }) as never,
  );
  await inOrganization(deps.db, lab.client.organizationId, (db) =>
    db
      .updateTable('deliveries')
      .set({ workflow_id: of.workflowId, workflow_run_id: of.runId, node_id: kind })
      .where('organization_id', '=', lab.client.organizationId)
      .where('id', '=', id)
      .execute(),
  );
  return id;
}

/** A short timeout for a silent server; the production timeout otherwise. */
const patience = () => (receiver.answer === 'silence' ? { requestTimeoutMs: 500 } : {});

const attempt = async (id: string, change: Partial<DeliveryDeps> = {}) => ({
  left: await lab.attempt(id, { ...deps, ...patience(), ...change }),
  row: await lab.row(id),
});

const pending = (retryAfterMs = 15_000) => ({ status: 'pending', retryAfterMs });
const [delivered, failed, uncertain] = ['delivered', 'failed', 'uncertain'].map((status) => ({ status }));

describe.each([
  ['200', { status: 200, body: 'ok' }, { slack: delivered, webhook: delivered }],
  ['204', { status: 204 }, { slack: delivered, webhook: delivered }],
  ['400', { status: 400, body: 'no_text' }, { slack: failed, webhook: failed }],
  ['404', { status: 404 }, { slack: failed, webhook: failed }],
  ['409', { status: 409 }, { slack: failed, webhook: pending() }],
  ['425', { status: 425 }, { slack: failed, webhook: pending() }],
  ['408', { status: 408 }, { slack: pending(), webhook: pending() }],
  ['429', { status: 429 }, { slack: pending(), webhook: pending() }],
  [
    '429 with a wait',
    { status: 429, headers: { 'retry-after': '77' } },
    { slack: pending(77_000), webhook: pending(77_000) },
  ],
  [
    '503 with a wait that is too long',
    { status: 503, headers: { 'retry-after': '999999' } },
    { slack: pending(3_600_000), webhook: pending(3_600_000) },
  ],
  ['500', { status: 500 }, { slack: pending(), webhook: pending() }],
  ['a redirect', { status: 302, headers: { location: '/other' } }, { slack: failed, webhook: failed }],
  ['nothing', 'silence', { slack: uncertain, webhook: pending() }],
  ['a cut before the body', { cut: 'before' }, { slack: uncertain, webhook: pending() }],
  ['a cut after the body', { cut: 'after' }, { slack: uncertain, webhook: pending() }],
  ['a long answer', { status: 200, body: 'x'.repeat(200_000) }, { slack: delivered, webhook: delivered }],
] as [string, ReceiverAnswer, Record<Kind, object>][])('%s', (_name, answer, expected) => {
  test.each(kinds)('for %s', async (kind) => {
    receiver.answer = answer;
    const id = await add(kind);
    const { left, row } = await attempt(id);
    expect(left).toEqual(expected[kind]);
    expect(row).toMatchObject({ status: (left as { status: string }).status, attempts: 1 });
    expect(row.status === 'delivered' ? row.receipt : row.error).toBeTruthy();
    expect(receiver.calls.length).toBeLessThanOrEqual(1);
  });
});

test.each(kinds)('a %s nobody listens for is tried again, and fails after its attempts', async (kind) => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise((resolve) => server.close(resolve));
  const id = await add(kind, await ranWorkflow(url), url);
  expect((await attempt(id)).left).toEqual(pending());
  await lab.run(`UPDATE deliveries SET attempts = ${maxAttempts - 1} WHERE id = '${id}'`);
  const { left, row } = await attempt(id);
  expect([left, row.error]).toEqual([
    failed,
    { code: 'delivery_refused', message: expect.stringContaining('ECONNREFUSED') },
  ]);
});

test.each(kinds)('a %s to an address that is refused fails and says so', async (kind) => {
  const strict = createOutgoing({ allowedPrivate: [] });
  const { left, row } = await attempt(await add(kind), { outgoing: strict });
  await strict.close();
  expect([left, receiver.calls]).toEqual([failed, []]);
  expect(row.error).toMatchObject({ message: expect.stringContaining('ALLOWED_PRIVATE_ADDRESSES') });
});

test.each(kinds)('what an answer to a %s repeats of a secret is not shown', async (kind) => {
  receiver.answer = { status: 400, body: `\u0000bad ${path} whsec_1` };
  const { row } = await attempt(await add(kind));
  expect(JSON.stringify(row.error)).not.toContain(kind === 'slack' ? 'sEcReT' : 'whsec_1');
});

test('a crash in the midst of sending leaves Slack uncertain', async () => {
  const id = await add('slack');
  await lab.run(`UPDATE deliveries SET status = 'sending', attempts = 1 WHERE id = '${id}'`);
  expect((await attempt(id)).left).toEqual({ status: 'uncertain' });
  expect(receiver.calls).toEqual([]);
});

test('a retry takes the row from an attempt that still lives', async () => {
  receiver.answer = 'silence';
  const id = await add('slack');
  const slow = attempt(id);
  await expectEventually(async () => (await lab.row(id)).status).toBe('sending');
  expect((await attempt(id)).left).toEqual(uncertain);
  const { organizationId } = lab.client;
  const { processes, logger } = lab.workspace.activityDeps;
  const retried = { organizationId, workflowId: run.workflowId, deliveryId: id, memo: {} };
  expect(await retryDelivery({ ...deps, processes, logger }, retried)).toMatchObject({
    status: 'pending',
    attempts: 0,
  });
  await expect(retryDelivery({ ...deps, processes, logger }, retried)).rejects.toMatchObject({
    code: 'conflict',
  });
  expect((await slow).row.status).toBe('pending');
  const workflowId = deliveryProcess.workflowId(id);
  expect(await processes.stateOf(workflowId)).toBe('running');
  await lab.workspace.temporal.workflow.getHandle(workflowId).terminate();
  await reconcile(lab.workspace, deliverySteps({ ...lab.workspace.activityDeps }, 0));
  expect(await lab.row(id)).toMatchObject({ status: 'failed' });
});
