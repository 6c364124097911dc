import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { becomeCurrentWhereNoneIs, deploymentName, versioningOf } from '../../worker/versioning.ts';
import { eventually } from '../support/eventually.ts';
import { quietRuntime } from '../support/temporal.ts';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
beforeAll(quietRuntime);
const taskQueue = 'releases';

/** A worker of a release, started as in main.ts. */
async function startRelease(buildId: 'first' | 'second'): Promise<void> {
  const { namespace } = workspace.temporal.options;
  const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS']! });
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowsPath: fileURLToPath(new URL(`./builds/${buildId}.ts`, import.meta.url)),
    ...versioningOf(buildId),
  });
  const running = worker.run();
  onTestFinished(async () => {
    worker.shutdown();
    await running;
    await connection.close();
  });
  const logger = { info: () => undefined, warn: () => undefined };
  await becomeCurrentWhereNoneIs(workspace.temporal, buildId, logger);
}

const current = async () => {
  const { workflowService, options } = workspace.temporal;
  const { workerDeploymentInfo } = await workflowService.describeWorkerDeployment({
    namespace: options.namespace,
    deploymentName,
  });
  return workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId;
};

/** What an operator does; a release is known once its workers poll. */
const makeCurrent = (buildId: string) =>
  workspace.temporal.workflowService.setWorkerDeploymentCurrentVersion({
    namespace: workspace.temporal.options.namespace,
    deploymentName,
    buildId,
    identity: 'operator',
  });

const start = (type: 'short' | 'long', args: unknown[] = []) =>
  workspace.temporal.workflow.start(type, { workflowId: `${type}/${randomUUID()}`, taskQueue, args });

test('an upgrade without a stop: what runs ends on its release, what lives long moves up, what is started is new', async () => {
  await startRelease('first');
  expect(await current()).toBe('first');
  const [short, long] = await Promise.all([start('short'), start('long', [[]])]);
  for (const handle of [short, long])
    await eventually(
      async () => (await handle.fetchHistory()).events?.length ?? 0,
      (events) => events >= 8,
    );

  await startRelease('second');
  // A later release takes nothing over by itself.
  expect(await current()).toBe('first');
  await eventually(
    () =>
      makeCurrent('second').then(
        () => true,
        () => false,
      ),
    (isMade) => isMade,
  );
  const newcomer = await start('short');
  await newcomer.signal('go-on');
  expect(await newcomer.result()).toBe('second');

  await short.signal('go-on');
  expect(await short.result()).toBe('first');
  const moved = long.result();
  // It learns of the other release with one of its tasks.
  await eventually(
    async () => {
      await long.signal('go-on').catch(() => undefined);
      return (await long.describe()).status.name;
    },
    (status) => status === 'COMPLETED',
  );
  expect(await moved).toEqual(['first', 'second']);
});
