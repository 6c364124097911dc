import type { ReconcileStep } from '../../../data/reconciling/step.ts';
import { type ReviveDeps, type RevivedRuns, revivingStep, runItself } from '../../workspace/runs/revive.ts';
import type { Run } from '../../workspace/runs/runs.ts';
import { endProfile } from './lifecycle.ts';
import { profileProcess, profileStart } from './process.ts';

/** Ends or restarts profiles whose process is gone. */
export function profileSteps(deps: ReviveDeps, olderThanSeconds?: number): ReconcileStep[] {
  const profiles: RevivedRuns<Run> = {
    name: 'profiles',
    foundBy: 'active_profile_runs',
    process: profileProcess,
    find: runItself,
    start: (_, run) => profileStart(run),
    // An attempt that lingers keeps nothing of a run that has ended.
    end: async ({ organization_id: organizationId, resource_id: tableId, id: runId }) => {
      await endProfile(deps.db, { organizationId, tableId, runId }, 'cancelled');
      return true;
    },
    afterEnd: async () => undefined,
  };
  return [revivingStep(deps, profiles, olderThanSeconds)];
}
