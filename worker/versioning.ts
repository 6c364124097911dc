import { setTimeout as wait } from 'node:timers/promises';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';

/** The name under which Temporal keeps the releases of the worker. */
export const deploymentName = 'analytics-workspace';

/**
 * Under a build id a process stays on the release that began it: old and new workers run side by side, and
 * nothing has to replay in code that it was not begun by. Without one, workers take every process, and code
 * that changed is `patched`.
 */
export function versioningOf(buildId: string | undefined): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (buildId === undefined) return {};
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version: { deploymentName, buildId },
      defaultVersioningBehavior: 'PINNED',
    },
  };
}

const everyMs = 1_000;
const tries = 60;

/**
 * Lets the first release have what is started, as soon as Temporal knows it. A later one waits for the
 * operator's word: a worker of an old release that is started again must not take over.
 */
export async function becomeCurrentWhereNoneIs(
  client: Pick<Client, 'workflowService' | 'options'>,
  buildId: string,
  logger: Pick<Logger, 'info' | 'warn'>,
  signal?: AbortSignal,
): Promise<void> {
  const { namespace } = client.options;
  for (let count = 0; count < tries && signal?.aborted !== true; count += 1) {
    try {
      const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment({
        namespace,
        deploymentName,
      });
      const current = workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId;
      if (current === buildId) return;
      if (current) {
        logger.info(
          { buildId, current },
          `to have it begin what is started: temporal worker deployment set-current-version --deployment-name ${deploymentName} --build-id ${buildId}`,
        );
        return;
      }
      await client.workflowService.setWorkerDeploymentCurrentVersion({
        namespace,
        deploymentName,
        buildId,
        identity: 'worker',
      });
      logger.info({ buildId }, 'is the first release: it begins what is started');
      return;
    } catch (error) {
      // It is known once its pollers are.
      if (!isGrpcServiceError(error)) throw error;
      await wait(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
  logger.warn({ buildId }, 'Temporal does not know this release; new work waits for another');
}
