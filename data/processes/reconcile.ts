import type { Logger } from 'pino';
import { inOrganization } from '../postgres/client.ts';
import { findProcessStart, pendingStarts } from '../postgres/process-starts.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep, wholeStep } from '../reconciling/step.ts';
import { forgetRecovered, recordFailing } from './failing.ts';
import type { ProcessDeps } from './processes.ts';

/** Older than any request can be under way: its own start has been answered or lost by now. */
const ageSeconds = 15;

interface ProcessStepDeps extends ProcessDeps {
  logger: Pick<Logger, 'error'>;
}

/** Processes whose start was never answered are started; those that do not go on are told of. */
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
          'a process fails and does not go on: run the release that began it, or reset it in the Temporal UI',
        );
      },
    ),
    wholeStep('processes that go on again', () => forgetRecovered(db)),
  ];
}
