import type { Logger } from 'pino';
import { inOrganization } from '../../../data/postgres/client.ts';
import { closes } from '../../../data/processes/define.ts';
import type { Processes } from '../../../data/processes/processes.ts';
import { type ReconcileStep, rowsStep } from '../../../data/reconciling/step.ts';
import { findRun } from '../../workspace/runs/runs.ts';
import { notifyWaiter } from '../../workspace/runs/waiter.ts';
import { giveUpBuild } from './build.ts';
import type { BuildDeps } from './deps.ts';
import { endMaterialization, type MaterializationId, wakeWaiting } from './lifecycle.ts';
import { listBuilds } from './materializations.ts';
import { materializationProcess, materializationStart } from './process.ts';

export interface MaterializationReconcileDeps extends BuildDeps {
  processes: Processes;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** The process of a younger run may not have been started yet. */
const ageSeconds = 60;

/** Ends or restarts materializations whose process is gone. */
export function materializationSteps(
  deps: MaterializationReconcileDeps,
  olderThanSeconds = ageSeconds,
): ReconcileStep[] {
  const rows = { db: deps.db, foundBy: 'active_materializations', olderThanSeconds };
  return [
    rowsStep('materializations', rows, (organizationId, runId) => revive(deps, { organizationId, runId })),
  ];
}

async function revive(deps: MaterializationReconcileDeps, id: MaterializationId): Promise<void> {
  const { organizationId, runId } = id;
  const { run, builds } = await inOrganization(deps.db, organizationId, async (db) => ({
    run: await findRun(db, organizationId, runId),
    builds: await listBuilds(db, organizationId, { runId }),
  }));
  if (run === undefined) return;
  const state = await deps.processes.stateOf(materializationProcess.workflowId(runId));
  if (state === 'running') return;
  const unfinished = builds.filter(({ finished_at: finishedAt }) => finishedAt === null);
  const mayEnd =
    closes(materializationProcess, state) &&
    (
      await Promise.all(
        unfinished.map((build) => giveUpBuild(deps, { organizationId, runId, tableId: build.table_id })),
      )
    ).every(Boolean);
  if (mayEnd) {
    await endMaterialization(deps.db, id, true);
    await notifyWaiter(deps, run);
    await wakeWaiting(deps, organizationId);
  } else await deps.processes.restart(materializationStart(run));
  deps.logger.info({ organizationId, runId, state }, 'reconciled a materialization whose process was gone');
}
