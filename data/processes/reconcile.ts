import type { Logger } from 'pino';
import { inOrganization } from '../postgres/client.ts';
import { findProcessStart, pendingStarts } from '../postgres/process-starts.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep, wholeStep } from '../reconciling/step.ts';
import { forgetRecovered, recordFailing } from './failing.ts';
import type { ProcessDeps } from './processes.ts';

/** Longer than any request takes: its own start has succeeded or failed by then. */
const ageSeconds = 15;

interface ProcessStepDeps extends ProcessDeps {
  logger: Pick<Logger, 'error'>;
}

/** Starts processes whose start was never confirmed, and reports those that make no progress. */
export function processSteps(
  { db, processes, logger }: ProcessStepDeps,
  olderThanSeconds = ageSeconds,
): ReconcileStep[] {
  return [
    itemsStep(
      'process starts',
      () => pendingStarts(db, olderThanSeconds, itemsAtOnce),
      async ({ organizationId, workflowId }) => {
        const start = await inOrganization(db, organizationId, (transaction) =>
          findProcessStart(transaction, organizationId, workflowId),
        );
        if (start !== undefined) await processes.start(organizationId, start, undefined);
      },
    ),
    itemsStep(
      'failing processes',
      () => processes.failing(),
      async (process) => {
        if (!(await recordFailing(db, process))) return;
        logger.error(
          process,
          "a workflow fails and can't continue: run the release that started it, or reset it in the Temporal UI",
        );
      },
    ),
    wholeStep('processes that go on again', () => forgetRecovered(db)),
  ];
}
