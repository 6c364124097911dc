import { afterAll, beforeAll, expect, test } from 'vitest';
import { appHealthProcess, wakeAppHealth } from '../../../../domain/workspace/apps/process.ts';
import { appHealthSteps } from '../../../../domain/workspace/apps/reconcile.ts';
import { expectEventually } from '../../../support/eventually.ts';
import { type HttpReceiver, startHttpReceiver } from '../../../support/misbehaving-receiver.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';
import { bodyOf, keptOf, makeDue, slugsOf, url } from './lab.ts';

const workspace = useOwnWorkspace({}, () => ({ ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8' }));
useWorker(workspace);

let server: HttpReceiver;
beforeAll(async () => {
  server = await startHttpReceiver();
});
afterAll(() => server.close());

const processOf = ({ organizationId }: TestClient) =>
  workspace.temporal.workflow.getHandle(appHealthProcess.workflowId(organizationId));
const statusOf = async (client: TestClient) => (await processOf(client).describe()).status.name;

async function withApp(): Promise<TestClient> {
  server.answer = { status: 200 };
  const client = await workspace.organization();
  const made = await client.call('POST', url, { body: bodyOf(server.url) });
  expect(made.status, made.text).toBe(201);
  return client;
}

/** Lets the process check everything now, and waits until it did. */
async function checked(client: TestClient): Promise<void> {
  const before = (await keptOf(workspace, client))!.revision;
  await makeDue(workspace, client);
  await wakeAppHealth(workspace.deps, client.organizationId);
  await expectEventually(async () => (await keptOf(workspace, client))!.revision).toBeGreaterThan(before);
}

test('a process checks the apps from the first registration to the last removal, and begins again', async () => {
  const client = await withApp();
  expect(await statusOf(client)).toBe('RUNNING');
  server.answer = { cut: 'before' };
  for (const failed of [1, 2, 3]) {
    expect(await slugsOf(client)).toEqual(['sales']);
    await checked(client);
    expect(await keptOf(workspace, client)).toMatchObject({ failed_checks: failed, last_status: null });
  }
  expect(await slugsOf(client)).toEqual([]);
  server.answer = { status: 200 };
  await checked(client);
  expect(await slugsOf(client)).toEqual(['sales']);
  const { searchAttributes } = await processOf(client).describe();
  expect(searchAttributes).toMatchObject({
    OrganizationId: [client.organizationId],
    ResourceId: [client.organizationId],
    ProcessKind: ['app-health'],
  });
  await client.call('DELETE', `${url}/sales`);
  await expectEventually(() => statusOf(client)).toBe('COMPLETED');
  await client.call('POST', url, { body: bodyOf(server.url) });
  expect(await statusOf(client)).toBe('RUNNING');
});

test('a process that was ended from outside is started again when checks are late', async () => {
  const client = await withApp();
  const idle = await withApp();
  await idle.call('DELETE', `${url}/sales`);
  await expectEventually(() => statusOf(idle)).toBe('COMPLETED');
  await processOf(client).terminate('by an operator');
  const steps = appHealthSteps(workspace.deps);
  await reconcile(workspace, steps);
  expect(await statusOf(client)).toBe('TERMINATED');
  await makeDue(workspace, client, 31);
  await reconcile(workspace, steps);
  expect(await statusOf(client)).toBe('RUNNING');
  await expectEventually(async () => (await keptOf(workspace, client))!.revision).toBe(2);
  expect(await statusOf(idle)).toBe('COMPLETED');
});
