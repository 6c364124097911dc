import { newId } from '../../data/ids.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import {
  ensureActiveLakeCareRun,
  findActiveLakeCareRun,
  getLakeCareRun,
  type LakeCareRun,
  moveLakeCareRun,
  newestLakeCareRun,
} from '../../data/postgres/lake-care-runs.ts';
import type { LakeCareControlActivities, LakeCareRunOutcome } from '../../workflows/lake-care/contract.ts';
import type { ActivityDeps } from '../deps.ts';

export interface LakeCareSettings {
  intervalSeconds: number;
  retentionDays: number;
}

/** So much of the interval is left to chance, so that organizations do not all run at once. */
const jitter = 0.1;

export function lakeCareControlActivities(
  deps: ActivityDeps,
  { intervalSeconds }: LakeCareSettings,
): LakeCareControlActivities {
  return {
    /** Safe to retry: between two runs nothing runs, so a run that says it does was left by an execution that is no more. */
    async planLakeCare({ organizationId }) {
      return inOrganization(deps.db, organizationId, async (db) => {
        const active = await findActiveLakeCareRun(db, organizationId);
        if (active?.status === 'queued') return { waitMs: 0 };
        if (active !== undefined) {
          await moveLakeCareRun(db, organizationId, active.id, 'running', 'failed', {
            error: JSON.stringify({ message: 'The run was ended from outside.', failures: [] }),
          });
        }
        return { waitMs: waitMs(await newestLakeCareRun(db, organizationId), intervalSeconds * 1_000) };
      });
    },

    /** Safe to retry: there is one active run at most, and a first try's run is found as it. */
    async beginLakeCareRun({ organizationId }) {
      return inOrganization(deps.db, organizationId, async (db) => {
        const run = await ensureActiveLakeCareRun(db, {
          organization_id: organizationId,
          id: newId('car'),
          status: 'running',
          trigger: 'cadence',
          started_at: new Date(),
        });
        if (run.status === 'queued') await moveLakeCareRun(db, organizationId, run.id, 'queued', 'running');
        return run.id;
      });
    },

    /** Safe to retry: a run that ended stays as it ended. */
    async endLakeCareRun({ organizationId }, runId, outcome) {
      await inOrganization(deps.db, organizationId, async (db) => {
        const { status } = await getLakeCareRun(db, organizationId, runId);
        if (status !== 'running') return;
        const failed = outcome.failures.length > 0;
        await moveLakeCareRun(db, organizationId, runId, 'running', failed ? 'failed' : 'succeeded', {
          figures: JSON.stringify(outcome.figures),
          error: failed ? JSON.stringify(errorOf(outcome)) : null,
        });
      });
    },
  };
}

/** Until an interval after the last run began; a lake without one waits for a part of it. */
function waitMs(last: LakeCareRun | undefined, intervalMs: number): number {
  if (last === undefined) return Math.round(Math.random() * intervalMs);
  const since = Date.now() - (last.started_at ?? last.created_at).getTime();
  return Math.max(0, Math.round(intervalMs * (1 + jitter * Math.random()) - since));
}

function errorOf({ failures }: LakeCareRunOutcome) {
  const names = [...new Set(failures.map(({ step }) => step))].join(', ');
  return { message: `Not everything could be done: ${names}. The next run tries again.`, failures };
}
