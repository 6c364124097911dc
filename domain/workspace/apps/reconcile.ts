import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep } from '../../../data/reconciling/step.ts';
import { appHealthProcess, appHealthStart } from './process.ts';

interface AppReconcileDeps extends ProcessDeps {
  logger: Pick<Logger, 'info'>;
}

/** A process is seconds late where many checks are due at once. */
const lateSeconds = 30;

/** Starts the process of an organization whose apps are due and not checked, however the last one ended. */
export function appHealthSteps(deps: AppReconcileDeps, lateForSeconds = lateSeconds): ReconcileStep[] {
  const find = async () => {
    const { rows } = await sql<{ organization_id: string }>`
      SELECT organization_id
      FROM organizations_with_late_checks(make_interval(secs => ${lateForSeconds}), ${itemsAtOnce})
    `.execute(deps.db);
    return rows.map((row) => ({ organizationId: row.organization_id }));
  };
  return [
    itemsStep('health of apps', find, async ({ organizationId }) => {
      const state = await deps.processes.stateOf(appHealthProcess.workflowId(organizationId));
      // It is only late.
      if (state === 'running') return;
      await deps.processes.restart(appHealthStart(organizationId));
      deps.logger.info({ organizationId, state }, 'started the checks of apps whose process was gone');
    }),
  ];
}
