import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { askSnapshotToCancel, type SnapshotWakeDeps } from '../../../intake/datasets/cancel.ts';
import { askToCancel, type CancelDeps, cancelRunById } from '../../../workspace/runs/cancel.ts';
import { cancelFiredSnapshot } from '../../schedules/dataset-fires.ts';
import type { Graph } from '../graphs/graph.ts';
import type { RunNode } from './nodes.ts';
import { childRunId } from './work/child.ts';
import type { WorkflowRun } from './workflow-runs.ts';

/** What a node started and waits for: a run of the analyst, or a snapshot. It may never have been started. */
export interface Child {
  id: string;
  isSnapshot: boolean;
}

/**
 * Asks what these nodes wait for to end: nobody waits for it any more, and it costs. That it was asked stands
 * or falls with the end of the nodes, so that it is not forgotten.
 */
export async function askChildren(
  db: OrganizationTransaction,
  run: WorkflowRun,
  { nodes }: Graph,
  rows: readonly RunNode[],
): Promise<Child[]> {
  const children: Child[] = [];
  for (const state of rows) {
    const node = nodes.find(({ id }) => id === state.node_id)!;
    const child = { id: childRunId({ run, node, state }), isSnapshot: node.type === 'snapshot' };
    if (child.isSnapshot) await askSnapshotToCancel(db, run.organization_id, child.id);
    else await askToCancel(db, run.organization_id, child.id);
    children.push(child);
  }
  return children;
}

/** Tells their processes, once that is committed. */
export async function cancelChildren(
  deps: CancelDeps & SnapshotWakeDeps,
  organizationId: string,
  children: readonly Child[],
): Promise<void> {
  for (const { id, isSnapshot } of children) {
    if (isSnapshot) await cancelFiredSnapshot(deps, organizationId, id);
    else await cancelRunById(deps, organizationId, id);
  }
}
