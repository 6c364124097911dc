import type { Cipher } from '../../../../data/encryption.ts';
import { newestSnapshot } from '../../../../data/lake/ducklake/snapshots.ts';
import { versionsAt } from '../../../../data/lake/ledger.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { mayName, wordsIn } from '../../../../packages/sql-guard/index.ts';
import type {
  PlannedNode,
  RunPlan,
  WorkflowRunInput,
} from '../../../../workflows/automation/workflow-run/contract.ts';
import type { Params } from '../../../analyst/playbooks/parameters.ts';
import { type ExpiryDeps, pinSnapshot } from '../../../tables/lake-maintenance/expire.ts';
import { listQueryable, type NamedTable } from '../../../tables/tables/registry.ts';
import { limits } from '../../../workspace/limits/limits.ts';
import { actAs } from '../../../workspace/organizations/rights.ts';
import { moveRun, runStates } from '../../../workspace/runs/runs.ts';
import type { Graph, GraphNode } from '../graphs/graph.ts';
import { splitEnd } from '../graphs/known-node.ts';
import { statementsOf } from '../graphs/named-tables.ts';
import { placeholdersIn } from '../graphs/placeholders.ts';
import { endOf, insertNodes, nodesOf, type RunNode } from './nodes.ts';
import { textOf } from './values.ts';
import { graphOfRun, readsWholeLake } from './version-of-run.ts';
import {
  countAtWork,
  type DataVersion,
  findBoth,
  runPin,
  runPinEnd,
  updateWorkflowRun,
} from './workflow-runs.ts';

export type BeginDeps = ExpiryDeps & { cipher: Cipher };

/**
 * Per organization, approximately: further runs wait, so that one organization's runs do not slow down
 * others.
 */
const maxAtWork = limits.workflows.runsAtWork.most;

/**
 * Pins the current versions of the tables that the run reads, and returns its nodes with the outcome of those
 * that have ended. A repeated call finds the first. `crowded` if it has to wait for other runs; undefined if
 * the run has ended, or was cancelled before it began.
 */
export async function beginWorkflowRun(
  deps: BeginDeps,
  { organizationId, runId }: WorkflowRunInput,
): Promise<RunPlan | 'crowded' | undefined> {
  const found = await inOrganization(deps.db, organizationId, async (db) => {
    const both = await findBoth(db, organizationId, runId);
    if (both === undefined || runStates.isEnd(both.run.status)) return undefined;
    // Its process did not exist yet when it was cancelled.
    if (both.run.status === 'queued' && both.run.cancel_requested_at !== null) return undefined;
    if (both.run.status === 'queued' && (await countAtWork(db, organizationId)) >= maxAtWork)
      return 'crowded';
    const graph = await graphOfRun(db, deps.cipher, both.row);
    await actAs(db, organizationId, both.row.owner_id);
    return { row: both.row, graph, tables: await listQueryable(db, organizationId) };
  });
  if (found === undefined || found === 'crowded') return found;
  const { row, graph, tables } = found;
  const versions =
    row.data_versions === null
      ? await pinned(deps, organizationId, runId, {
          tableIds: readBy(graph, row.params, tables),
          isWhole: readsWholeLake(graph),
        })
      : undefined;
  return inOrganization(deps.db, organizationId, async (db) => {
    const both = await findBoth(db, organizationId, runId, 'update');
    if (both === undefined || runStates.isEnd(both.run.status)) return undefined;
    if (versions !== undefined && both.row.data_versions === null)
      await updateWorkflowRun(db, organizationId, runId, { data_versions: JSON.stringify(versions) });
    if (both.run.status === 'queued') await moveRun(db, both.run, 'queued', 'running');
    await insertNodes(db, organizationId, runId, graph.nodes);
    const nodes = planOf(graph, await nodesOf(db, organizationId, runId));
    return { nodes, resumes: both.row.resumes };
  });
}

/**
 * Tables whose names occur in a statement of the graph or in a parameter's value; a few more with similar
 * names do no harm. What the analyst reads is pinned by the analyst's own run.
 */
function readBy(graph: Graph, params: Params, tables: readonly NamedTable[]): string[] {
  const statements = statementsOf(graph);
  if (statements.length === 0) return [];
  const words = wordsIn([...statements, ...Object.values(params).map(textOf)].join('\n'));
  return tables.flatMap(({ id, name }) => (mayName(words, name) ? [id] : []));
}

async function pinned(
  deps: BeginDeps,
  organizationId: string,
  runId: string,
  { tableIds, isWhole }: { tableIds: readonly string[]; isWhole: boolean },
): Promise<DataVersion[]> {
  if (tableIds.length === 0 && !isWhole) return [];
  const lake = await deps.lake.catalog.get(organizationId);
  const snapshotId = await newestSnapshot(deps.lake.catalogPool, lake.schema);
  const expiresAt = runPinEnd();
  await pinSnapshot(deps, lake, organizationId, { snapshotId, holder: runPin(runId), expiresAt });
  const versions = await versionsAt(deps.lake.catalogPool, lake.schema, tableIds, snapshotId);
  return [...versions].map(([tableId, version]) => ({ tableId, version }));
}

/** Default timeouts of nodes that wait for a person or another process, if their config has none. */
const hour = 3_600;
const timeoutSecondsOf: Partial<Record<string, (node: GraphNode) => number>> = {
  playbook: () => 6 * hour,
  report: () => 6 * hour,
  // Its guard may wait a day for a person's confirmation.
  snapshot: () => 36 * hour,
  // A build may take a day, and wait for others of the same tables before.
  materialize: () => 36 * hour,
  // Tests of large tables take hours, after other runs of the organization.
  verification: () => 36 * hour,
  // They end by their own deadline.
  wait: () => 400 * 24 * hour,
  approval: () => 31 * 24 * hour,
  // An unreachable mail server is retried for an hour; the duration of an attempt is bounded.
  file_output: () => 3 * hour,
  email_delivery: () => 3 * hour,
  slack_delivery: () => 3 * hour,
  webhook_delivery: () => 3 * hour,
};

/** The nodes as the process walks them. */
export function planOf({ nodes, edges }: Graph, rows: readonly RunNode[]): PlannedNode[] {
  const known = new Set(nodes.map(({ id }) => id));
  return nodes.map((node) => {
    const byInput = new Map<string, { from: string; port: string }[]>();
    for (const { from, to } of edges) {
      const [target, input] = splitEnd(to);
      if (target !== node.id) continue;
      const [source, port] = splitEnd(from);
      byInput.set(input, [...(byInput.get(input) ?? []), { from: source, port }]);
    }
    for (const { of, name } of placeholdersIn(node.config)) {
      if (of === undefined || name === undefined || !known.has(of)) continue;
      byInput.set(`\${${of}.${name}}`, [{ from: of, port: name }]);
    }
    const row = rows.find(({ node_id: id }) => id === node.id);
    return {
      id: node.id,
      label: `${node.name} (${node.type})`,
      needs: [...byInput.values()],
      timeoutSeconds: node.timeout_seconds ?? timeoutSecondsOf[node.type]?.(node) ?? hour / 4,
      end: (row && endOf(row)) ?? null,
    };
  });
}
