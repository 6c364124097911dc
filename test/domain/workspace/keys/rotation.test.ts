import { WorkflowFailedError } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyRotationControlActivities } from '../../../../activities/workspace/control.ts';
import { buildApp } from '../../../../api/app.ts';
import { secretsOf } from '../../../../domain/automation/workflows/triggers/hooks.ts';
import { keyRotationId, keyRotationStart } from '../../../../domain/workspace/keys/process.ts';
import { taskQueues } from '../../../../workflows/task-queues.ts';
import type { KeyRotationProgress } from '../../../../workflows/workspace/key-rotation/contract.ts';
import { keyRotationProgressQuery } from '../../../../workflows/workspace/key-rotation/names.ts';
import { eventually } from '../../../support/eventually.ts';
import { openOtherLakes } from '../../../support/lakes.ts';
import { quietRuntime } from '../../../support/temporal.ts';
import { workflowBundle } from '../../../support/workflow-bundle.ts';
import { cipherOf, keyList, plainSecrets, useKeysLab } from './lab.ts';

const lab = useKeysLab('k1');
let connection: NativeConnection;

beforeAll(async () => {
  quietRuntime();
  connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS']! });
});
afterAll(() => connection.close());

/** A worker with this key list. */
async function workerOf(...ids: string[]): Promise<Worker> {
  const { db } = lab.workspace.deps;
  return Worker.create({
    connection,
    namespace: lab.workspace.temporal.options.namespace!,
    workflowBundle: workflowBundle(),
    taskQueue: taskQueues.control,
    activities: keyRotationControlActivities({ db, cipher: cipherOf(...ids) }),
  });
}

const start = (keyId: string) => lab.workspace.deps.processes.restart(keyRotationStart(keyId));
const handle = () => lab.workspace.temporal.workflow.getHandle(keyRotationId);
const ended = async () => (await handle().result()) as KeyRotationProgress;

async function rotate(...ids: string[]): Promise<KeyRotationProgress> {
  const worker = await workerOf(...ids);
  return worker.runUntil(async () => {
    await start(ids[0]!);
    return ended();
  });
}

test('after a rotation the new key alone opens everything, and a second one finds nothing', async () => {
  const { client, project, hook, connectionId } = await lab.fill();
  await lab.fill();
  const before = await lab.opened(cipherOf('k1'));
  expect(new Set([...before.keys()].map((name) => name.split(' ')[0])).size).toBe(8);
  for (const secret of plainSecrets)
    expect([...before.values()].some((value) => value.includes(secret))).toBe(true);

  const progress = await rotate('k2', 'k1');
  expect(progress).toMatchObject({ keyId: 'k2', done: before.size, left: 0, unopened: [] });
  expect(Object.values(progress.byColumn).reduce((sum, { done }) => sum + done, 0)).toBe(before.size);
  expect(await lab.opened(cipherOf('k2'))).toEqual(before);
  expect(await rotate('k2', 'k1')).toMatchObject({ done: 0, left: 0 });
  expect(await lab.keysInUse()).toEqual({ k2: before.size });

  // An API that has dropped the old key.
  const deps = { ...lab.workspace.deps, cipher: cipherOf('k2') };
  const app = await buildApp(deps);
  const send = async (method: 'POST' | 'PATCH', url: string, body: object, headers = {}) =>
    app.inject({
      method,
      url,
      payload: body,
      headers: { authorization: `Bearer ${await client.token()}`, ...headers },
    });
  const repeated = await send(
    'POST',
    '/v1/projects',
    { name: 'Made once' },
    { 'idempotency-key': 'made-once' },
  );
  expect([repeated.statusCode, repeated.body]).toEqual([project.answer.status, project.answer.text]);
  const changed = await send('PATCH', `/v1/connections/data/${connectionId}`, {
    config: { host: 'db.example.com', database: 'shop', user: 'another' },
  });
  expect(changed.statusCode, changed.body).toBe(200);
  await app.close();
  const row = await lab.workspace.deps.lake.catalogPool.query(
    'SELECT * FROM workflow_hooks WHERE organization_id = $1',
    [client.organizationId],
  );
  expect(secretsOf(deps.cipher, row.rows[0], Date.now())).toEqual(hook.secrets.reverse());
  const lakes = openOtherLakes(lab.workspace.databaseUrl, 'test', keyList('k2'));
  const { reader } = await lakes.lake.catalog.get(client.organizationId);
  await lakes.close();
  expect([...before.values()]).toContain(reader.catalog.password);
});

test('it waits for a worker that has the key first, and tells so', async () => {
  const old = await workerOf('k2', 'k3');
  await old.runUntil(async () => {
    await start('k3');
    const failure = async () =>
      (await handle().describe()).raw.pendingActivities?.[0]?.lastFailure?.message ?? '';
    const reason = await eventually(failure, (message) => message !== '');
    expect(reason).toMatch(/key k2\W.*ENCRYPTION_KEYS.* k3\./);
    const progress: KeyRotationProgress = await handle().query(keyRotationProgressQuery);
    expect(progress).toMatchObject({ done: 0, left: (await lab.sealed()).size });
  });
  const total = (await lab.sealed()).size;
  const worker = await workerOf('k3', 'k2');
  expect(await worker.runUntil(ended)).toMatchObject({ keyId: 'k3', done: total, left: 0 });
  expect(await lab.keysInUse()).toEqual({ k3: total });
});

test('values under a key that is not configured are told, all others are re-sealed', async () => {
  const { client } = await lab.fill();
  const lost = cipherOf('lost').seal('a lost secret');
  await lab.workspace.deps.lake.catalogPool.query(
    'UPDATE workflow_hooks SET sealed_secret = $1 WHERE organization_id = $2',
    [lost, client.organizationId],
  );
  const total = (await lab.sealed()).size;
  const failure = await rotate('k4', 'k3', 'k1').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(WorkflowFailedError);
  expect((failure as WorkflowFailedError).cause?.message).toMatch(
    /key k4\. ENCRYPTION_KEYS lacks the key lost: 1 of workflow_hooks\.sealed_secret under lost\./,
  );
  expect(await lab.keysInUse()).toEqual({ k4: total - 1, lost: 1 });
  expect(await rotate('k4', 'lost')).toMatchObject({ done: 1, left: 0 });
});

test.each(['cancel', 'terminate'] as const)(
  'one that an operator ends by %s is continued by another',
  async (end) => {
    await lab.fill();
    const total = (await lab.sealed()).size;
    const before = await lab.opened(cipherOf('k1', 'k4', 'cancel'));
    const worker = await workerOf(end, 'k1', 'k4', 'cancel');
    const request = await lab.workspace.deps.lake.catalogPool.connect();
    await worker.runUntil(async () => {
      // The rotation comes as far as the first lake, whose row a request holds.
      await request.query('BEGIN');
      await request.query('SELECT FROM lakes FOR UPDATE');
      await start(end);
      await eventually(lab.keysInUse, (inUse) => (inUse[end] ?? 0) > 0);
      const run = handle();
      await run[end]();
      await expect(run.result()).rejects.toThrow(WorkflowFailedError);
      await request.query('COMMIT');
      request.release();
      await start(end);
      expect(await ended()).toMatchObject({ keyId: end, left: 0 });
    });
    expect(await lab.keysInUse()).toEqual({ [end]: total });
    expect(await lab.opened(cipherOf(end))).toEqual(before);
  },
);
