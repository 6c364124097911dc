import { newId } from '../../../data/ids.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import {
  ensureActiveLakeMaintenanceRun,
  findActiveLakeMaintenanceRun,
  getLakeMaintenanceRun,
  type LakeMaintenanceRun,
  lakeMaintenanceRunStates,
  newestLakeMaintenanceRun,
} from '../../../domain/tables/lake-maintenance/runs.ts';
import type {
  LakeMaintenanceControlActivities,
  LakeMaintenanceRunOutcome,
} from '../../../workflows/tables/lake-maintenance/contract.ts';
import type { ActivityDeps } from '../../deps.ts';

export interface LakeMaintenanceSettings {
  intervalSeconds: number;
  retentionDays: number;
}

/** Random share of the interval, so that organizations do not all run at once. */
const jitter = 0.1;

export function lakeMaintenanceControlActivities(
  deps: ActivityDeps,
  { intervalSeconds }: LakeMaintenanceSettings,
): LakeMaintenanceControlActivities {
  return {
    /**
     * Safe to retry: no run is under way between two runs, so one that is `running` was left by a terminated
     * execution.
     */
    async planLakeMaintenance({ organizationId }) {
      return inOrganization(deps.db, organizationId, async (db) => {
        const active = await findActiveLakeMaintenanceRun(db, organizationId);
        if (active?.status === 'queued') return { waitMs: 0 };
        if (active !== undefined) {
          await lakeMaintenanceRunStates.move(db, active, 'running', 'failed', {
            error: JSON.stringify({ message: 'The run was stopped from outside.', failures: [] }),
          });
        }
        return {
          waitMs: waitMs(await newestLakeMaintenanceRun(db, organizationId), intervalSeconds * 1_000),
        };
      });
    },

    /** Safe to retry: there is at most one active run, so a retry finds that of the first attempt. */
    async beginLakeMaintenanceRun({ organizationId }) {
      return inOrganization(deps.db, organizationId, async (db) => {
        const run = await ensureActiveLakeMaintenanceRun(db, {
          organization_id: organizationId,
          id: newId('car'),
          status: 'running',
          trigger: 'cadence',
          started_at: new Date(),
        });
        if (run.status === 'queued') await lakeMaintenanceRunStates.move(db, run, 'queued', 'running');
        return run.id;
      });
    },

    /** Safe to retry: no effect on a run that has ended. */
    async endLakeMaintenanceRun({ organizationId }, runId, outcome) {
      await inOrganization(deps.db, organizationId, async (db) => {
        const run = await getLakeMaintenanceRun(db, organizationId, runId);
        if (run.status !== 'running') return;
        const failed = outcome.failures.length > 0;
        await lakeMaintenanceRunStates.move(db, run, 'running', failed ? 'failed' : 'succeeded', {
          figures: JSON.stringify(outcome.figures),
          error: failed ? JSON.stringify(errorOf(outcome)) : null,
        });
      });
    },
  };
}

/**
 * Time until one interval after the last run began; for a lake without runs, a random part of the interval.
 */
function waitMs(last: LakeMaintenanceRun | undefined, intervalMs: number): number {
  if (last === undefined) return Math.round(Math.random() * intervalMs);
  const since = Date.now() - (last.started_at ?? last.created_at).getTime();
  return Math.max(0, Math.round(intervalMs * (1 + jitter * Math.random()) - since));
}

function errorOf({ failures }: LakeMaintenanceRunOutcome) {
  const names = [...new Set(failures.map(({ step }) => step))].join(', ');
  return { message: `Some of the work failed: ${names}. The next run tries again.`, failures };
}
