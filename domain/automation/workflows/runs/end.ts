import type { Cipher } from '../../../../data/encryption.ts';
import { inOrganization, type OrganizationTransaction } from '../../../../data/postgres/client.ts';
import type {
  NodeEnd,
  NodeInput,
  NodeInterruption,
  WorkflowRunInput,
  WorkflowRunOutcome,
} from '../../../../workflows/automation/workflow-run/contract.ts';
import { deleteLakePins } from '../../../tables/lake-maintenance/pins.ts';
import type { CancelDeps } from '../../../workspace/runs/cancel.ts';
import { moveRun, type Run, runStates } from '../../../workspace/runs/runs.ts';
import type { GraphNode } from '../graphs/graph.ts';
import { expireApprovals, showWaiting } from './approvals.ts';
import { askChildren, cancelChildren } from './children.ts';
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
import { endDeliveries } from './work/deliver.ts';
import { findBoth, keepFailedRunPins, runPin, type WorkflowRun } from './workflow-runs.ts';

export type EndDeps = CancelDeps & { cipher: Cipher };

const cancelledEnd: NodeEnd = { status: 'cancelled', ports: [] };

/** Skips nodes without a live input. */
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

type Interruption = NodeInterruption | 'terminated';

const failures: Record<Interruption, NodeFailure> = {
  terminated: { code: 'terminated', message: 'An operator ended the process of the run.' },
  cancelled: { code: 'cancelled', message: 'The run was cancelled.' },
  timeout: { code: 'node_timeout', message: 'The run did not end within its timeout_seconds.' },
  gave_up: {
    code: 'internal_error',
    message:
      'The service had an internal error, or a store was unavailable for too long. Resume the run, or give its id to the operator.',
  },
};

/**
 * Interrupts a node, and cancels what it waits for; no effect if it has ended. A node whose deliveries have
 * all arrived has succeeded.
 */
export async function endNode(
  deps: EndDeps,
  { organizationId, runId, nodeId }: NodeInput,
  why: NodeInterruption,
): Promise<NodeEnd> {
  const { end, children } = await inOrganization(deps.db, organizationId, async (db) => {
    const both = await findBoth(db, organizationId, runId, 'update');
    const row = both && (await findNode(db, organizationId, runId, nodeId));
    if (both === undefined || row === undefined) return { end: cancelledEnd, children: [] };
    const before = endOf(row);
    if (before !== undefined) return { end: before, children: [] };
    const graph = await graphOfRun(db, deps.cipher, both.row);
    const ended = await interrupt(db, row, why);
    await showNodes(db, organizationId, runId, graph.nodes);
    await showWaiting(db, organizationId, runId);
    return {
      end: (ended && endOf(ended)) ?? cancelledEnd,
      children: await askChildren(db, both.row, graph, [row]),
    };
  });
  await cancelChildren(deps, organizationId, children);
  return end;
}

async function interrupt(
  db: OrganizationTransaction,
  row: RunNode,
  why: Interruption,
): Promise<RunNode | undefined> {
  await expireApprovals(db, row.organization_id, row.run_id, row.node_id);
  const outputs = await endDeliveries(db, row, failures[why]);
  if (row.status === 'running' && outputs !== undefined)
    return nodeStates.move(db, row, 'running', 'succeeded', { output: JSON.stringify(outputs), work: null });
  const isCut = why === 'cancelled' || why === 'terminated';
  const to = isCut || row.status === 'waiting' ? 'cancelled' : 'failed';
  const error = isCut ? {} : { error: JSON.stringify(failures[why]) };
  return nodeStates.move(db, row, row.status as 'running', to, { ...error, work: null });
}

/** Ends a run by the outcome of its nodes, and cancels what they wait for; no effect if it has ended. */
export async function endWorkflowRun(
  deps: EndDeps,
  { organizationId, runId }: WorkflowRunInput,
  { resumes, terminated = false }: { resumes?: number | undefined; terminated?: boolean } = {},
): Promise<WorkflowRunOutcome> {
  const { outcome, children } = await inOrganization(deps.db, organizationId, async (db) => {
    const both = await findBoth(db, organizationId, runId, 'update');
    if (both === undefined)
      return { outcome: { status: 'cancelled' as const, errorCode: null }, children: [] };
    const { row, run } = both;
    const { nodes: graphNodes } = await graphOfRun(db, deps.cipher, row);
    if (runStates.isEnd(run.status)) return { outcome: outcomeOf(run, graphNodes), children: [] };
    // It ended with a failure before: otherwise it could not have been resumed.
    if (resumes !== undefined && resumes !== row.resumes)
      return { outcome: { status: 'failed' as const, errorCode: 'resumed' }, children: [] };
    const nodes = await nodesOf(db, organizationId, runId);
    const failed = terminated ? failures.terminated : failureOfRun(nodes);
    const isWhole = nodes.length > 0 && nodes.every((node) => endOf(node) !== undefined);
    const to = failed === undefined ? (isWhole && !isCut(nodes) ? 'succeeded' : 'cancelled') : 'failed';
    const closed = await closeNodes(db, row, deps.cipher, nodes, terminated ? 'terminated' : 'cancelled');
    await showWaiting(db, organizationId, runId);
    // The pinned data of a failed run stays for a limited time, so that it can be resumed.
    if (to === 'failed') await keepFailedRunPins(db, row);
    else await deleteLakePins(db, organizationId, runPin(runId));
    const current = (await findBoth(db, organizationId, runId))!.run;
    const ended = await moveRun(db, current, current.status, to, {
      ...(failed === undefined ? {} : { error: JSON.stringify(failed) }),
      ...(to === 'succeeded' ? { progress: 1, output: JSON.stringify(madeBy(nodes)) } : {}),
    });
    return { outcome: outcomeOf(ended ?? current, graphNodes), children: closed };
  });
  await cancelChildren(deps, organizationId, children);
  return outcome;
}

const isCut = (nodes: readonly RunNode[]) => nodes.some(({ status }) => status === 'cancelled');

/** The failure of the first failed node, in the order of the graph. */
function failureOfRun(nodes: readonly RunNode[]): (NodeFailure & { nodeId: string }) | undefined {
  const first = nodes.find(({ status }) => status === 'failed');
  if (first === undefined) return undefined;
  const { code, message } = first.error!;
  return { code, message: `${first.node_id}: ${message}`, nodeId: first.node_id };
}

/** Ends nodes still running; returns the ids of the runs that they wait for. */
async function closeNodes(
  db: OrganizationTransaction,
  row: WorkflowRun,
  cipher: Cipher,
  nodes: readonly RunNode[],
  why: Interruption,
): Promise<string[]> {
  const open = nodes.filter(({ status }) => status === 'running');
  if (open.length === 0) return [];
  for (const node of open) await interrupt(db, node, why);
  const graph = await graphOfRun(db, cipher, row);
  await showNodes(db, row.organization_id, row.id, graph.nodes);
  return askChildren(db, row, graph, open);
}

/** The output of a run: ids only. */
function madeBy(nodes: readonly RunNode[]): { reportIds: string[]; fileIds: string[] } {
  const made = { reportIds: [] as string[], fileIds: [] as string[] };
  for (const output of nodes.flatMap((node) => Object.values(outputsOf(node)))) {
    if (output.type === 'report') made.reportIds.push(output.reportId);
    if (output.type === 'file') made.fileIds.push(output.fileId);
  }
  return made;
}

function outcomeOf({ status, error }: Run, nodes: readonly GraphNode[]): WorkflowRunOutcome {
  if (status === 'succeeded' || status === 'cancelled') return { status, errorCode: null };
  const { code, nodeId } = (error ?? {}) as { code?: string; nodeId?: string };
  const node = nodes.find(({ id }) => id === nodeId);
  return {
    status: 'failed',
    errorCode: code ?? 'internal_error',
    ...(node === undefined ? {} : { failedNode: { id: node.id, type: node.type } }),
  };
}
