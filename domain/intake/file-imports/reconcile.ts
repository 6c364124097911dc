import type { ReconcileStep } from '../../../data/reconciling/step.ts';
import { type ReviveDeps, type RevivedRuns, revivingStep } from '../../workspace/runs/revive.ts';
import { importProcess, importStart } from './process.ts';
import { giveUpImport, type ImportRunDeps } from './run.ts';
import { findTableImport, type TableImport } from './table-imports.ts';

export type ImportReconcileDeps = ImportRunDeps & ReviveDeps;

/** Ends or restarts imports whose process is gone. */
export function importSteps(deps: ImportReconcileDeps, olderThanSeconds?: number): ReconcileStep[] {
  const imports: RevivedRuns<TableImport> = {
    name: 'imports',
    foundBy: 'active_table_imports',
    process: importProcess,
    find: (db, run) => findTableImport(db, run.organization_id, run.id),
    start: (_, row) => importStart(row),
    // Terminating a process ends its work, unless the lake has the commit: then a new process records it.
    end: (row) => giveUpImport(deps, row),
  };
  return [revivingStep(deps, imports, olderThanSeconds)];
}
