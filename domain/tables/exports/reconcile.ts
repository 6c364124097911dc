import { sql } from 'kysely';
import type { Logger } from 'pino';
import { inOrganization } from '../../../data/postgres/client.ts';
import { closes } from '../../../data/processes/define.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { type ReconcileStep, rowsStep, wholeStep } from '../../../data/reconciling/step.ts';
import { findRun } from '../../workspace/runs/runs.ts';
import type { ExportId } from './exports.ts';
import { endExport } from './lifecycle.ts';
import { exportProcess, exportStart } from './process.ts';

export interface ExportReconcileDeps extends ProcessDeps {
  logger: Pick<Logger, 'info'>;
}

/** The process of a younger export may not have been started yet. */
const ageSeconds = 60;

/** Ends or restarts exports whose process is gone, and removes those that are kept no longer. */
export function exportSteps(deps: ExportReconcileDeps, olderThanSeconds = ageSeconds): ReconcileStep[] {
  const rows = { db: deps.db, foundBy: 'active_exports', olderThanSeconds };
  return [
    rowsStep('exports', rows, (organizationId, exportId) => revive(deps, { organizationId, exportId })),
    wholeStep('old exports', () => sql`SELECT purge_exports(${1_000})`.execute(deps.db)),
  ];
}

async function revive(deps: ExportReconcileDeps, id: ExportId): Promise<void> {
  const { organizationId, exportId } = id;
  const run = await inOrganization(deps.db, organizationId, (db) => findRun(db, organizationId, exportId));
  if (run === undefined) return;
  const state = await deps.processes.stateOf(run.workflow_id);
  if (state === 'running') return;
  // An attempt that lingers records nothing of an export that has ended.
  if (closes(exportProcess, state)) await endExport(deps.db, id, true);
  else await deps.processes.restart(exportStart(run));
  deps.logger.info({ ...id, state }, 'reconciled an export whose process was gone');
}
