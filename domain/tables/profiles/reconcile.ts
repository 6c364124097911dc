import type { ReconcileStep } from '../../../data/reconciling/step.ts';
import { type Revival, type ReviveDeps, revivingStep } from '../../workspace/runs/revive.ts';
import type { Run } from '../../workspace/runs/runs.ts';
import { endProfile } from './lifecycle.ts';
import { profileRuns } from './process.ts';

/** Ends or restarts profiles whose process is gone. */
export function profileSteps(deps: ReviveDeps, olderThanSeconds?: number): ReconcileStep[] {
  const profiles: Revival<Run> = {
    // An attempt that lingers keeps nothing of a run that has ended.
    end: async ({ organization_id: organizationId, resource_id: tableId, id: runId }) => {
      await endProfile(deps.db, { organizationId, tableId, runId }, 'cancelled');
      return true;
    },
  };
  return [revivingStep(deps, profileRuns, profiles, olderThanSeconds)];
}
