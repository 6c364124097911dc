import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { ReconcileStep } from '../../../data/reconciling/step.ts';
import { type ReviveDeps, type RevivedRuns, revivingStep } from '../../workspace/runs/revive.ts';
import type { Run } from '../../workspace/runs/runs.ts';
import { importProcess, importStart } from './process.ts';
import { giveUpImport, type ImportRunDeps } from './run.ts';
import { findTableImport } from './table-imports.ts';

export type ImportReconcileDeps = ImportRunDeps & ReviveDeps;

/** Ends or restarts imports whose process is gone. */
export function importSteps(deps: ImportReconcileDeps, olderThanSeconds?: number): ReconcileStep[] {
  const rowOf = (db: OrganizationTransaction, run: Run) => findTableImport(db, run.organization_id, run.id);
  const imports: RevivedRuns = {
    name: 'imports',
    foundBy: 'active_table_imports',
    process: importProcess,
    start: async (db, run) => {
      const row = await rowOf(db, run);
      return row && importStart(row);
    },
    // Terminating a process ends its work, unless the lake has the commit: then a new process records it.
    end: async (run) => {
      const row = await inOrganization(deps.db, run.organization_id, (db) => rowOf(db, run));
      return row !== undefined && giveUpImport(deps, row);
    },
  };
  return [revivingStep(deps, imports, olderThanSeconds)];
}
