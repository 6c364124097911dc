import type { Logger } from 'pino';
import { AppError } from '../../../data/errors.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { closes, defineProcess } from '../../../data/processes/define.ts';
import { bestEffort, type Processes } from '../../../data/processes/processes.ts';
import { type ReconcileStep, rowsStep } from '../../../data/reconciling/step.ts';
import type { DeliveryInput } from '../../../workflows/publishing/delivery/contract.ts';
import { deliveryWorkflowType } from '../../../workflows/publishing/delivery/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { type Delivery, deliveryStates, getDelivery, updateDelivery } from './deliveries.ts';
import { errorOf } from './moves.ts';

export interface RetryDeps {
  db: Database;
  processes: Processes;
  logger: Pick<Logger, 'info' | 'warn'>;
}

export const deliveryProcess = defineProcess<DeliveryInput>({
  kind: 'delivery',
  workflowType: deliveryWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ deliveryId }) => deliveryId,
  whenTerminated: 'close',
});

const startOf = (row: Delivery, memo: Record<string, string> = {}) =>
  deliveryProcess.startOf(
    { organizationId: row.organization_id, deliveryId: row.id },
    {
      summary: `${row.kind} of ${row.node_id}, by hand`,
      projectId: row.project_id,
      address: `/v1/workflows/${row.workflow_id}/deliveries/${row.id}`,
      memo,
    },
  );

/**
 * Makes a delivery that failed or is uncertain pending again, at a user's request; ended deliveries are never
 * retried automatically. The row records the request, so if the process does not start, the worker starts it.
 */
export async function retryDelivery(
  deps: RetryDeps,
  { organizationId, deliveryId, memo }: DeliveryInput & { memo: Record<string, string> },
): Promise<Delivery> {
  const row = await inOrganization(deps.db, organizationId, async (db) => {
    const before = await getDelivery(db, organizationId, deliveryId, 'update');
    if (before.status !== 'failed' && before.status !== 'uncertain')
      throw new AppError(
        'conflict',
        before.status === 'delivered'
          ? 'The delivery has already arrived, so there is nothing to retry.'
          : 'The delivery is still running. Wait until it ends.',
      );
    return updateDelivery(db, organizationId, deliveryId, {
      status: 'pending',
      attempts: 0,
      // Makes an attempt that may still be running elsewhere stale.
      attempt_id: null,
      error: null,
      retried_at: new Date(),
    });
  });
  const start = startOf(row, memo);
  await bestEffort(deps, start.workflowId, deps.processes.restart(start));
  return row;
}

/** The process of a younger one may not have been started yet. */
const ageSeconds = 60;

/** Repairs manually retried deliveries whose process is gone. */
export function deliverySteps(deps: RetryDeps, olderThanSeconds = ageSeconds): ReconcileStep[] {
  const rows = { db: deps.db, foundBy: 'retried_deliveries', olderThanSeconds };
  return [
    rowsStep('deliveries', rows, (organizationId, deliveryId) =>
      revive(deps, { organizationId, deliveryId }),
    ),
  ];
}

async function revive(deps: RetryDeps, { organizationId, deliveryId }: DeliveryInput): Promise<void> {
  const state = await deps.processes.stateOf(deliveryProcess.workflowId(deliveryId));
  if (state === 'running') return;
  const row = await inOrganization(deps.db, organizationId, async (db) => {
    const found = await getDelivery(db, organizationId, deliveryId, 'update');
    if (!closes(deliveryProcess, state) || deliveryStates.isEnd(found.status)) return found;
    // A delivery in `sending` may have arrived.
    const to = found.status === 'sending' ? 'uncertain' : 'failed';
    const error = errorOf('terminated', 'An operator ended the process of the delivery.');
    return deliveryStates.move(db, found, found.status, to, { error });
  });
  if (row !== undefined && !deliveryStates.isEnd(row.status)) await deps.processes.restart(startOf(row));
  deps.logger.info({ organizationId, deliveryId, state }, 'reconciled a delivery whose process was gone');
}
