import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { inOrganization } from '../../../data/postgres/client.ts';
import { processSteps } from '../../../data/processes/reconcile.ts';
import { runStep } from '../../../data/reconciling/run.ts';
import { importProcess } from '../../../domain/intake/file-imports/process.ts';
import { insertRun, moveRun } from '../../../domain/workspace/runs/runs.ts';
import { projectOf } from '../../support/conversations.ts';
import { eventually } from '../../support/eventually.ts';
import { quietRuntime } from '../../support/temporal.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace();
beforeAll(quietRuntime);
const connections: NativeConnection[] = [];
afterAll(async () => {
  for (const connection of connections) await connection.close();
});

async function startWorker(build: 'first' | 'changed'): Promise<() => Promise<void>> {
  const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS']! });
  connections.push(connection);
  const worker = await Worker.create({
    connection,
    namespace: workspace.temporal.options.namespace,
    taskQueue: importProcess.taskQueue,
    workflowsPath: fileURLToPath(new URL(`./builds/${build}.ts`, import.meta.url)),
  });
  const running = worker.run();
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    worker.shutdown();
    await running;
  };
  onTestFinished(stop);
  return stop;
}

/** A run in progress whose process the workers above know. */
async function startRun(client: TestClient) {
  const { db, processes } = workspace.deps;
  const { organizationId } = client;
  const projectId = await projectOf(client);
  const id = `imp_${projectId.slice(4)}`;
  const run = {
    organization_id: organizationId,
    id,
    project_id: projectId,
    kind: 'import',
    trigger_type: 'api',
    title: 'An import',
    resource_type: 'table-import',
    resource_id: id,
    workflow_id: importProcess.workflowId(id),
  } as const;
  await inOrganization(db, organizationId, async (transaction) => {
    await insertRun(transaction, run);
    await moveRun(transaction, run, 'queued', 'running');
  });
  const start = importProcess.startOf({ organizationId, importId: id }, { summary: 'A test' });
  await processes.restart(start);
  const show = async () => (await client.call('GET', `/v1/projects/${projectId}/runs/${id}`)).body.data;
  return { workflowId: run.workflow_id, show };
}

test('a run whose process does not replay is told of with its cause, counted, and whole again once it goes on', async () => {
  const client = await workspace.organization();
  const logged: unknown[] = [];
  const logger = { error: (fields: unknown) => void logged.push(fields) } as never;
  const { db, processes } = workspace.deps;
  const steps = processSteps({ db, processes, logger });
  const reconcile = async () => {
    // Items wait between two attempts; here the item is retried at once.
    await workspace.deps.lake.catalogPool.query('DELETE FROM reconcile_tries');
    for (const step of steps) await runStep({ db, logger }, step);
  };
  const stopFirst = await startWorker('first');
  const { workflowId, show } = await startRun(client);
  const handle = workspace.temporal.workflow.getHandle(workflowId);
  await eventually(
    async () => (await handle.fetchHistory()).events?.length ?? 0,
    (events) => events >= 8,
  );
  await reconcile();
  expect((await show()).problem).toBeNull();
  await stopFirst();

  const stopChanged = await startWorker('changed');
  await handle.signal('go-on');
  const { problem } = await eventually(
    async () => {
      await reconcile();
      return show();
    },
    (run) => run.problem !== null,
  );
  expect(problem).toMatchObject({
    code: 'process_failing',
    message: expect.stringContaining('NonDeterministic'),
  });
  expect(logged).toContainEqual(expect.objectContaining({ workflowId, kind: 'table-import' }));
  expect(logged).toHaveLength(1);
  const ready = await workspace.call('GET', '/readyz?verbose');
  expect(ready.body.failingProcesses).toEqual({ 'table-import': 1 });
  expect((await workspace.call('GET', '/readyz')).body).not.toHaveProperty('failingProcesses');
  await stopChanged();

  await startWorker('first');
  await expect(handle.result()).resolves.toBe('first');
  // It has not been reported for minutes.
  await workspace.deps.lake.catalogPool.query(
    `UPDATE failing_processes SET last_seen_at = last_seen_at - interval '5 minutes'`,
  );
  expect((await show()).problem).toBeNull();
  await reconcile();
  const { rowCount } = await workspace.deps.lake.catalogPool.query('SELECT FROM failing_processes');
  expect(rowCount).toBe(0);
});
