import { sql } from 'kysely';
import { type ReconcileStep, wholeStep } from '../../../data/reconciling/step.ts';
import { type Revival, type ReviveDeps, revivingStep } from '../../workspace/runs/revive.ts';
import type { Run } from '../../workspace/runs/runs.ts';
import { endExport } from './lifecycle.ts';
import { exportRuns } from './process.ts';

/** Ends or restarts exports whose process is gone, and removes those that are kept no longer. */
export function exportSteps(deps: ReviveDeps, olderThanSeconds?: number): ReconcileStep[] {
  const exports: Revival<Run> = {
    // An attempt that lingers records nothing of an export that has ended.
    end: async ({ organization_id: organizationId, id: exportId }) => {
      await endExport(deps.db, { organizationId, exportId }, true);
      return true;
    },
  };
  return [
    revivingStep(deps, exportRuns, exports, olderThanSeconds),
    wholeStep('old exports', () => sql`SELECT purge_exports(${1_000})`.execute(deps.db)),
  ];
}
