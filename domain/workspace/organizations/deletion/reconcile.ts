import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { ProcessDeps } from '../../../../data/processes/processes.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep } from '../../../../data/reconciling/step.ts';
import { deletionStart, organizationDeletionProcess } from './process.ts';

interface DeletionReconcileDeps extends ProcessDeps {
  logger: Pick<Logger, 'info'>;
}

/** Starts the process of every deletion that has none, however the last one ended. */
export function deletionSteps(deps: DeletionReconcileDeps): ReconcileStep[] {
  const find = async () => {
    const { rows } = await sql<{ organization_id: string }>`
      SELECT organization_id FROM organizations_to_delete(${itemsAtOnce})`.execute(deps.db);
    return rows.map((row) => ({ organizationId: row.organization_id }));
  };
  return [
    itemsStep('deletions of organizations', find, async ({ organizationId }) => {
      const state = await deps.processes.stateOf(organizationDeletionProcess.workflowId(organizationId));
      if (state === 'running') return;
      await deps.processes.restart(deletionStart(organizationId));
      deps.logger.info({ organizationId, state }, 'started the deletion of an organization again');
    }),
  ];
}
