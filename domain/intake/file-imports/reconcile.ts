import type { Logger } from 'pino';
import { inOrganization } from '../../../data/postgres/client.ts';
import { closes } from '../../../data/processes/define.ts';
import type { Processes } from '../../../data/processes/processes.ts';
import { type ReconcileStep, rowsStep } from '../../../data/reconciling/step.ts';
import type { ImportId } from './lifecycle.ts';
import { importProcess, importStart } from './process.ts';
import { giveUpImport, type ImportRunDeps } from './run.ts';
import { findTableImport } from './table-imports.ts';

export interface ImportReconcileDeps extends ImportRunDeps {
  processes: Processes;
  logger: Pick<Logger, 'info'>;
}

/** The process of a younger import may not have been started yet. */
const ageSeconds = 60;

/** Ends or restarts imports whose process is gone. */
export function importSteps(deps: ImportReconcileDeps, olderThanSeconds = ageSeconds): ReconcileStep[] {
  const rows = { db: deps.db, foundBy: 'active_table_imports', olderThanSeconds };
  return [
    rowsStep('imports', rows, (organizationId, importId) => revive(deps, { organizationId, importId })),
  ];
}

async function revive(deps: ImportReconcileDeps, id: ImportId): Promise<void> {
  const { organizationId, importId } = id;
  const { processes } = deps;
  const state = await processes.stateOf(importProcess.workflowId(importId));
  if (state === 'running') return;
  const row = await inOrganization(deps.db, organizationId, (db) =>
    findTableImport(db, organizationId, importId),
  );
  if (row === undefined) return;
  // Terminating a process ends its work, unless the lake has the commit: then a new process records the
  // outcome.
  const isEnded = closes(importProcess, state) && (await giveUpImport(deps, row));
  if (!isEnded) await processes.restart(importStart(row));
  deps.logger.info({ ...id, state }, 'reconciled an import whose process was gone');
}
