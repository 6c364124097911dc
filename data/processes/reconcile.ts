import { inOrganization } from '../postgres/client.ts';
import { findProcessStart, pendingStarts } from '../postgres/process-starts.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep } from '../reconciling/step.ts';
import type { ProcessDeps } from './processes.ts';

/** Older than any request can be under way: its own start has been answered or lost by now. */
const ageSeconds = 15;

/** Processes whose start was never answered are started. */
export function processSteps({ db, processes }: ProcessDeps, olderThanSeconds = ageSeconds): ReconcileStep[] {
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
  ];
}
