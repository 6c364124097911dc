import { newId } from '../../data/ids.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import {
  beginMaterialization,
  endBuild,
  endMaterialization,
  wakeWaiting,
} from '../../domain/tables/calculated-tables/lifecycle.ts';
import { claimBuilds, nextBuilds } from '../../domain/tables/calculated-tables/next-builds.ts';
import { beginExport, endExport } from '../../domain/tables/exports/lifecycle.ts';
import {
  ensureActiveLakeMaintenanceRun,
  findActiveLakeMaintenanceRun,
  getLakeMaintenanceRun,
  type LakeMaintenanceRun,
  lakeMaintenanceRunStates,
  newestLakeMaintenanceRun,
} from '../../domain/tables/lake-maintenance/runs.ts';
import { beginProfile, endProfile } from '../../domain/tables/profiles/lifecycle.ts';
import { endOf } from '../../domain/tables/queued-runs/queued-runs.ts';
import { beginVerification, endVerification } from '../../domain/tables/verification/lifecycle.ts';
import type { ExportControlActivities } from '../../workflows/tables/export/contract.ts';
import type {
  LakeMaintenanceControlActivities,
  LakeMaintenanceRunOutcome,
} from '../../workflows/tables/lake-maintenance/contract.ts';
import type { MaterializationControlActivities } from '../../workflows/tables/materialization/contract.ts';
import type { ProfileControlActivities } from '../../workflows/tables/profile/contract.ts';
import type { VerificationControlActivities } from '../../workflows/tables/verification/contract.ts';
import type { ActivityDeps } from '../deps.ts';

export function exportControlActivities(deps: ActivityDeps): ExportControlActivities {
  return {
    /** Safe to retry: an export that has begun keeps its snapshot. */
    beginExport: (input) => beginExport(deps, input),

    /** Safe to retry: no effect on an export that has ended. */
    endExport: (input, isCancelled) => endExport(deps.db, input, isCancelled),
  };
}

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

export function materializationControlActivities(deps: ActivityDeps): MaterializationControlActivities {
  return {
    /** Safe to retry: a run that has begun keeps its plan. */
    beginMaterialization: (input) => beginMaterialization(deps, input),

    /** Safe to retry: a run that has begun keeps its plan, and lists what is left of it. */
    claimBuilds: (input) => claimBuilds(deps, input),

    /** Safe to retry: only moves builds whose end is decided. */
    nextBuilds: async (input) => (await nextBuilds(deps.db, input)).ready,

    /** Safe to retry: compare-and-set. */
    endBuild: (input, status) => endBuild(deps.db, input, status),

    /** Safe to retry: no effect on a run that has ended. */
    async endMaterialization(input, isCancelled) {
      const outcome = await endMaterialization(deps.db, input, isCancelled);
      await wakeWaiting(deps, input.organizationId);
      return outcome;
    },
  };
}

export function profileControlActivities({ db }: ActivityDeps): ProfileControlActivities {
  return {
    /** Safe to retry: compare-and-set; a profile that is running already continues. */
    beginProfile: (input) => beginProfile(db, input),

    /** Safe to retry: no effect on a run that has ended. */
    endProfile: async (input, status) => endOf(await endProfile(db, input, status)),
  };
}

export function verificationControlActivities(deps: ActivityDeps): VerificationControlActivities {
  return {
    /** Safe to retry: a run that has begun keeps its snapshots. */
    beginVerification: (input) => beginVerification(deps, input),

    /** Safe to retry: no effect on a run that has ended. */
    endVerification: (input, isCancelled) => endVerification(deps.db, input, isCancelled),
  };
}

export const tablesControlActivities = (deps: ActivityDeps, settings: LakeMaintenanceSettings) => ({
  ...exportControlActivities(deps),
  ...lakeMaintenanceControlActivities(deps, settings),
  ...materializationControlActivities(deps),
  ...profileControlActivities(deps),
  ...verificationControlActivities(deps),
});
