import type { ReconcileStep } from '../../../data/reconciling/step.ts';
import { type Revival, type ReviveDeps, revivingStep } from '../../workspace/runs/revive.ts';
import { importRuns } from './process.ts';
import { giveUpImport, type ImportRunDeps } from './run.ts';
import type { TableImport } from './table-imports.ts';

export type ImportReconcileDeps = ImportRunDeps & ReviveDeps;

/** Ends or restarts imports whose process is gone. */
export function importSteps(deps: ImportReconcileDeps, olderThanSeconds?: number): ReconcileStep[] {
  const imports: Revival<TableImport> = {
    // Terminating a process ends its work, unless the lake has the commit: then a new process records it.
    end: (row) => giveUpImport(deps, row, 'cancelled'),
  };
  return [revivingStep(deps, importRuns, imports, olderThanSeconds)];
}
