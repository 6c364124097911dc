import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { type ReconcileStep, rowsStep } from '../../../data/reconciling/step.ts';
import { pauseSchedulesOf } from '../schedules/pause.ts';
import { pauseWorkflowsOf } from './definitions/pause-all.ts';

/** Pauses what runs as an API client that has expired, as if it had been revoked at that moment. */
export function expiredMakerSteps({ db }: { db: Database }): ReconcileStep[] {
  const expired = { db, foundBy: 'expired_makers', olderThanSeconds: 0 };
  return [
    rowsStep('automation of expired clients', expired, (organizationId, id) =>
      inOrganization(db, organizationId, async (transaction) => {
        await pauseWorkflowsOf(transaction, organizationId, { ownerId: id });
        await pauseSchedulesOf(transaction, organizationId, { makerId: id }, Date.now());
      }),
    ),
  ];
}
