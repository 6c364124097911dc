import type { Logger } from 'pino';
import { inOrganization } from '../../../data/postgres/client.ts';
import { closes } from '../../../data/processes/define.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { type ReconcileStep, rowsStep } from '../../../data/reconciling/step.ts';
import { findRun, runStates } from '../../workspace/runs/runs.ts';
import { endProfile } from './lifecycle.ts';
import { profileProcess, profileStart } from './process.ts';

interface ProfileReconcileDeps extends ProcessDeps {
  logger: Pick<Logger, 'info'>;
}

/** The process of a younger run may not have been started yet. */
const ageSeconds = 60;

/** Ends or restarts profiles whose process is gone. */
export function profileSteps(deps: ProfileReconcileDeps, olderThanSeconds = ageSeconds): ReconcileStep[] {
  const rows = { db: deps.db, foundBy: 'active_profile_runs', olderThanSeconds };
  return [rowsStep('profiles', rows, (organizationId, runId) => revive(deps, organizationId, runId))];
}

async function revive(deps: ProfileReconcileDeps, organizationId: string, runId: string): Promise<void> {
  const run = await inOrganization(deps.db, organizationId, (db) => findRun(db, organizationId, runId));
  if (run === undefined || runStates.isEnd(run.status)) return;
  const state = await deps.processes.stateOf(run.workflow_id);
  if (state === 'running') return;
  const id = { organizationId, tableId: run.resource_id, runId };
  // An attempt that lingers keeps nothing of a run that has ended.
  if (closes(profileProcess, state)) await endProfile(deps.db, id, 'cancelled');
  else await deps.processes.restart(profileStart(run));
  deps.logger.info({ ...id, state }, 'reconciled a profile whose process was gone');
}
