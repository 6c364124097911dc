import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { askToCancel, type CancelDeps, cancelRunById } from '../../../workspace/runs/cancel.ts';
import type { Graph } from '../graphs/graph.ts';
import type { RunNode } from './nodes.ts';
import { childRunId } from './work/child.ts';
import type { WorkflowRun } from './workflow-runs.ts';

/**
 * Records the cancellation of the runs that these nodes wait for, in the transaction that ends the nodes, so
 * that it is not lost. Returns the ids of those runs, which may never have begun.
 */
export async function askChildren(
  db: OrganizationTransaction,
  run: WorkflowRun,
  { nodes }: Graph,
  rows: readonly RunNode[],
): Promise<string[]> {
  const ids = rows.map((state) =>
    childRunId({ run, node: nodes.find(({ id }) => id === state.node_id)!, state }),
  );
  for (const id of ids) await askToCancel(db, run.organization_id, id);
  return ids;
}

/** Signals their processes, after the commit. */
export async function cancelChildren(
  deps: CancelDeps,
  organizationId: string,
  runIds: readonly string[],
): Promise<void> {
  for (const id of runIds) await cancelRunById(deps, organizationId, id);
}
