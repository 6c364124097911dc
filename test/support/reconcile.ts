import { runStep } from '../../data/reconciling/run.ts';
import type { ReconcileStep } from '../../data/reconciling/step.ts';
import type { Workspace } from './workspace.ts';

/** A worker's round over these steps, in which no item waits for its next attempt. */
export async function reconcile({ deps }: Workspace, steps: readonly ReconcileStep[]): Promise<void> {
  await deps.lake.catalogPool.query('DELETE FROM reconcile_tries');
  for (const step of steps) await runStep(deps, step);
}
