import { setTimeout as wait } from 'node:timers/promises';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';

/** The deployment name of the worker's releases in Temporal. */
export const deploymentName = 'analytics-workspace';

/**
 * With a build id, a process stays on the release that began it: old and new workers run side by side, and
 * nothing is replayed by code of another release. Without one, workers execute every process, and changed
 * code uses `patched`.
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
 * Makes the first release current as soon as Temporal knows it. A later one is made current by the operator,
 * so that a restarted worker of an old release does not take over.
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
          `to use this release for new work, run: temporal worker deployment set-current-version --deployment-name ${deploymentName} --build-id ${buildId}`,
        );
        return;
      }
      await client.workflowService.setWorkerDeploymentCurrentVersion({
        namespace,
        deploymentName,
        buildId,
        identity: 'worker',
      });
      logger.info({ buildId }, 'is the first release, so it gets new work');
      return;
    } catch (error) {
      // It is known only once its pollers are.
      if (!isGrpcServiceError(error)) throw error;
      await wait(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
  logger.warn({ buildId }, 'Temporal does not know this release yet; another release gets new work');
}
