import type { Cipher } from '../../data/encryption.ts';
import { inOrganization, type OrganizationTransaction } from '../../data/postgres/client.ts';
import type {
  NodeEnd,
  NodeInput,
  NodeInterruption,
  WorkflowRunInput,
  WorkflowRunOutcome,
} from '../../workflows/workflow-run/contract.ts';
import type { SnapshotWakeDeps } from '../datasets/cancel.ts';
import { datasetSnapshots } from '../datasets/fires.ts';
import { deleteLakePins } from '../lake-maintenance/pins.ts';
import { type CancelDeps, cancelRunById } from '../runs/cancel.ts';
import { moveRun, type Run, runStates } from '../runs/runs.ts';
import { expireApprovals, showWaiting } from './approvals.ts';
import {
  endOf,
  findNode,
  type NodeFailure,
  nodeStates,
  nodesOf,
  outputsOf,
  type RunNode,
  showNodes,
} from './nodes.ts';
import { graphOfRun } from './version-of-run.ts';
import { childRunId } from './work/child.ts';
import { findBoth, runPin, type WorkflowRun } from './workflow-runs.ts';

export type EndDeps = CancelDeps & SnapshotWakeDeps & { cipher: Cipher };

const cancelledEnd: NodeEnd = { status: 'cancelled', ports: [] };

/** Ends nodes that nothing leads to. */
export function skipNodes(
  { db, cipher }: EndDeps,
  { organizationId, runId }: WorkflowRunInput,
  nodeIds: readonly string[],
): Promise<void> {
  return inOrganization(db, organizationId, async (transaction) => {
    const both = await findBoth(transaction, organizationId, runId, 'update');
    if (both === undefined || runStates.isEnd(both.run.status)) return;
    for (const nodeId of nodeIds) {
      const row = await findNode(transaction, organizationId, runId, nodeId);
      if (row?.status === 'waiting') await nodeStates.move(transaction, row, 'waiting', 'skipped');
    }
    const { nodes } = await graphOfRun(transaction, cipher, both.row);
    await showNodes(transaction, organizationId, runId, nodes);
  });
}

const failures: Record<Exclude<NodeInterruption, 'cancelled'>, NodeFailure> = {
  timeout: { code: 'node_timeout', message: 'It did not end within its timeout_seconds.' },
  gave_up: {
    code: 'internal_error',
    message:
      'A store was away for long, or the fault is ours; resume the run, or quote its id to the operator.',
  },
};

/** Ends a node from outside, with what it waits for elsewhere; one that has ended stays as it ended. */
export async function endNode(
  deps: EndDeps,
  { organizationId, runId, nodeId }: NodeInput,
  why: NodeInterruption,
): Promise<NodeEnd> {
  const found = await inOrganization(deps.db, organizationId, async (db) => {
    const both = await findBoth(db, organizationId, runId, 'update');
    const row = both && (await findNode(db, organizationId, runId, nodeId));
    if (both === undefined || row === undefined) return { end: cancelledEnd, child: undefined };
    const before = endOf(row);
    if (before !== undefined) return { end: before, child: undefined };
    const graph = await graphOfRun(db, deps.cipher, both.row);
    await expireApprovals(db, organizationId, runId, nodeId);
    const to = why === 'cancelled' || row.status === 'waiting' ? 'cancelled' : 'failed';
    const error = why === 'cancelled' ? {} : { error: JSON.stringify(failures[why]) };
    const ended = await nodeStates.move(db, row, row.status as 'running', to, { ...error, work: null });
    await showNodes(db, organizationId, runId, graph.nodes);
    await showWaiting(db, organizationId, runId);
    const node = graph.nodes.find(({ id }) => id === nodeId)!;
    return {
      end: (ended && endOf(ended)) ?? cancelledEnd,
      child: { id: childRunId({ run: both.row, node, state: row }), isSnapshot: node.type === 'snapshot' },
    };
  });
  const { child } = found;
  if (child?.isSnapshot === true) await datasetSnapshots(deps).cancel(organizationId, child.id);
  else if (child !== undefined) await cancelRunById(deps, organizationId, child.id);
  return found.end;
}

/** Ends a run by its nodes; one that has ended stays as it ended. */
export function endWorkflowRun(
  { db, cipher }: Pick<EndDeps, 'db' | 'cipher'>,
  { organizationId, runId }: WorkflowRunInput,
  { resumes, terminated = false }: { resumes?: number | undefined; terminated?: boolean } = {},
): Promise<WorkflowRunOutcome> {
  return inOrganization(db, organizationId, async (transaction) => {
    const both = await findBoth(transaction, organizationId, runId, 'update');
    if (both === undefined) return { status: 'cancelled', errorCode: null };
    const { row, run } = both;
    if (runStates.isEnd(run.status)) return outcomeOf(run);
    // What ended it before was a failure, or it would not have been resumed.
    if (resumes !== undefined && resumes !== row.resumes) return { status: 'failed', errorCode: 'resumed' };
    const nodes = await nodesOf(transaction, organizationId, runId);
    const failed = terminated ? terminatedFailure : failureOfRun(nodes);
    const isWhole = nodes.length > 0 && nodes.every((node) => endOf(node) !== undefined);
    const to = failed === undefined ? (isWhole && !isCut(nodes) ? 'succeeded' : 'cancelled') : 'failed';
    await closeNodes(transaction, row, cipher, nodes);
    await showWaiting(transaction, organizationId, runId);
    // The data stays for a run that may be resumed, until its time is over.
    if (to !== 'failed') await deleteLakePins(transaction, organizationId, runPin(runId));
    const current = (await findBoth(transaction, organizationId, runId))!.run;
    const ended = await moveRun(transaction, current, current.status, to, {
      ...(failed === undefined ? {} : { error: JSON.stringify(failed) }),
      ...(to === 'succeeded' ? { progress: 1, output: JSON.stringify(madeBy(nodes)) } : {}),
    });
    return outcomeOf(ended ?? current);
  });
}

const terminatedFailure = { code: 'terminated', message: "An operator ended the run's process." };

const isCut = (nodes: readonly RunNode[]) => nodes.some(({ status }) => status === 'cancelled');

/** The first node that failed says why, in the order of the graph. */
function failureOfRun(nodes: readonly RunNode[]): (NodeFailure & { nodeId: string }) | undefined {
  const first = nodes.find(({ status }) => status === 'failed');
  if (first === undefined) return undefined;
  const { code, message } = first.error as unknown as NodeFailure;
  return { code, message: `${first.node_id}: ${message}`, nodeId: first.node_id };
}

/** Nodes that somebody began and nobody ends any more. */
async function closeNodes(
  db: OrganizationTransaction,
  row: WorkflowRun,
  cipher: Cipher,
  nodes: readonly RunNode[],
): Promise<void> {
  const open = nodes.filter(({ status }) => status === 'running');
  for (const node of open) {
    await expireApprovals(db, row.organization_id, row.id, node.node_id);
    await nodeStates.move(db, node, 'running', 'cancelled');
  }
  const { nodes: graphNodes } = await graphOfRun(db, cipher, row);
  if (open.length > 0) await showNodes(db, row.organization_id, row.id, graphNodes);
}

/** What a run made, by node: ids alone. */
function madeBy(nodes: readonly RunNode[]): { reportIds: string[]; fileIds: string[] } {
  const made = { reportIds: [] as string[], fileIds: [] as string[] };
  for (const output of nodes.flatMap((node) => Object.values(outputsOf(node)))) {
    if (output.type === 'report') made.reportIds.push(output.reportId);
    if (output.type === 'file') made.fileIds.push(output.fileId);
  }
  return made;
}

function outcomeOf({ status, error }: Run): WorkflowRunOutcome {
  if (status === 'succeeded' || status === 'cancelled') return { status, errorCode: null };
  return { status: 'failed', errorCode: (error as { code?: string } | null)?.code ?? 'internal_error' };
}
