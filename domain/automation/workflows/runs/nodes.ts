import type { Updateable } from 'kysely';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../../data/postgres/records.ts';
import type { DB } from '../../../../data/postgres/schema.ts';
import { states } from '../../../../data/postgres/states.ts';
import type { NodeEnd } from '../../../../workflows/automation/workflow-run/contract.ts';
import type { StoredRows } from '../../../tables/stored-results/stored-results.ts';
import { reportRunProgress, showSteps } from '../../../workspace/runs/runs.ts';
import type { GraphNode } from '../graphs/graph.ts';

/** One node of a run. */
export type RunNode = RecordOf<'workflow_run_nodes'>;

/** A node's output at one of its ports: ids and keys, never the content. */
export type NodeOutput =
  | { type: 'rows'; rows: StoredRows }
  | { type: 'report'; reportId: string; revision: number }
  | {
      type: 'file';
      fileId: string;
      path: string;
      /** The object of what a mail shows instead of attaching the file. */
      mailKey?: string;
    }
  | { type: 'value'; value: unknown }
  | { type: 'table'; tableId: string; tableName: string; version: number };

/** By port. */
export type NodeOutputs = Record<string, NodeOutput>;

export interface NodeFailure {
  code: string;
  message: string;
}

declare module '../../../../data/postgres/schema.ts' {
  interface Documents {
    workflow_run_nodes: {
      output: Document<NodeOutputs | null>;
      error: Document<NodeFailure | null>;
    };
  }
}

const nodes = records('workflow_run_nodes', { prefix: undefined, what: 'The node' });

/** The states of a node. Resuming a run sets it to `waiting` again. */
export const nodeStates = states(
  'workflow_run_nodes',
  {
    waiting: ['running', 'skipped', 'cancelled'],
    running: ['succeeded', 'failed', 'cancelled'],
    succeeded: [],
    failed: [],
    cancelled: [],
    skipped: [],
  },
  (to, isEnd) => ({
    ...(to === 'running' ? { started_at: new Date() } : {}),
    ...(isEnd ? { finished_at: new Date() } : {}),
  }),
);

export const rowIdOf = (runId: string, nodeId: string): string => `${runId}.${nodeId}`;

export const outputsOf = (row: RunNode) => row.output ?? {};

export function nodesOf(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<RunNode[]> {
  return db
    .selectFrom('workflow_run_nodes')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('run_id', '=', runId)
    .orderBy('position')
    .execute();
}

/** Adds the nodes of a run; existing rows are unchanged. */
export async function insertNodes(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  graphNodes: readonly GraphNode[],
): Promise<void> {
  const rows = graphNodes.map(({ id }, position) => ({
    organization_id: organizationId,
    id: rowIdOf(runId, id),
    run_id: runId,
    node_id: id,
    position,
    status: 'waiting' as const,
  }));
  await db
    .insertInto('workflow_run_nodes')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['organization_id', 'id']).doNothing())
    .execute();
}

export const findNode = (
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  nodeId: string,
): Promise<RunNode | undefined> => nodes.find(db, organizationId, rowIdOf(runId, nodeId), 'update');

export const updateNode = (
  db: OrganizationTransaction,
  row: RunNode,
  change: Updateable<DB['workflow_run_nodes']>,
) => nodes.update(db, row.organization_id, row.id, change);

/** The outcome of an ended node, for the walk; undefined if it has not ended. */
export function endOf(row: RunNode): NodeEnd | undefined {
  const { status } = row;
  if (status === 'waiting' || status === 'running') return undefined;
  return { status, ports: status === 'succeeded' ? ['done', ...Object.keys(outputsOf(row))] : [] };
}

/** Updates the run's steps and progress from the nodes that have begun. */
export async function showNodes(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  graphNodes: readonly GraphNode[],
): Promise<void> {
  const rows = await nodesOf(db, organizationId, runId);
  const named = new Map(graphNodes.map((node) => [node.id, node]));
  const steps = rows.flatMap(({ node_id: id, status, error }) => {
    const node = named.get(id);
    if (node === undefined || status === 'waiting') return [];
    return [
      {
        id,
        name: node.name,
        type: node.type,
        status,
        detail: null,
        error: error,
      },
    ];
  });
  await showSteps(db, organizationId, runId, steps);
  const ended = rows.filter((row) => endOf(row) !== undefined).length;
  await reportRunProgress(db, organizationId, runId, ended / Math.max(rows.length, 1));
}
