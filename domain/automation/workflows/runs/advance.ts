import { AppError, isRetryable, ValidationError } from '../../../../data/errors.ts';
import { inOrganization, type OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { faultsOf } from '../../../../data/validation-faults.ts';
import type {
  NodeEnd,
  NodeInput,
  NodeProgress,
} from '../../../../workflows/automation/workflow-run/contract.ts';
import { runStates } from '../../../workspace/runs/runs.ts';
import { graphToRun, type WorkflowVersion } from '../definitions/versions.ts';
import type { Graph, GraphNode } from '../graphs/graph.ts';
import { findNodeType } from '../graphs/node-types.ts';
import { showWaiting } from './approvals.ts';
import { type NodeCall, type NodeDeps, NodeFailed, type NodeStep } from './node-work.ts';
import {
  endOf,
  findNode,
  type NodeFailure,
  type NodeOutputs,
  nodeStates,
  nodesOf,
  outputsOf,
  type RunNode,
  showNodes,
  updateNode,
} from './nodes.ts';
import { filledConfig } from './values.ts';
import { versionOfRun } from './version-of-run.ts';
import { nodeWork } from './work/index.ts';
import { findBoth, keepRunPins, type WorkflowRun } from './workflow-runs.ts';

/** Delays between the attempts that the node's own `retry` allows; the last value repeats. */
const retryAfterMs = [5_000, 15_000, 60_000, 300_000];

/** The retry state in a node's row. */
interface Tries {
  /** The number of attempts before the run was last resumed. */
  firstAttempt?: number;
  /** The next attempt's earliest time. */
  untilMs?: number;
}

interface Begun {
  run: WorkflowRun;
  version: WorkflowVersion;
  graph: Graph;
  node: GraphNode;
  state: RunNode;
  outputs: ReadonlyMap<string, NodeOutputs>;
}

/** Executes the next step of a node. If the node or its run has ended, only reports that. */
export async function advanceNode(
  deps: NodeDeps,
  input: NodeInput,
  signal: AbortSignal,
): Promise<NodeProgress> {
  const begun = await inOrganization(deps.db, input.organizationId, (db) => begin(db, deps, input));
  if ('kind' in begun) return begun;
  try {
    return await toProgress(deps, begun, await step(deps, begun, signal));
  } catch (error) {
    if (signal.aborted) throw error;
    // Not a failure of the node; its own timeout limits how long it is busy.
    if (isSaturated(error)) return { kind: 'busy' };
    if (!(error instanceof NodeFailed) && isRetryable(error)) throw error;
    return fail(deps, begun, error);
  }
}

async function begin(
  db: OrganizationTransaction,
  { cipher }: NodeDeps,
  { organizationId, runId, nodeId }: NodeInput,
): Promise<Begun | NodeProgress> {
  const both = await findBoth(db, organizationId, runId, 'update');
  const found = both && (await findNode(db, organizationId, runId, nodeId));
  if (found === undefined || both === undefined) return gone;
  const end = endOf(found);
  if (end !== undefined) return { kind: 'ended', end };
  if (runStates.isEnd(both.run.status)) return gone;
  const version = await versionOfRun(db, both.row);
  const graph = graphToRun(cipher, version);
  const node = graph.nodes.find(({ id }) => id === nodeId);
  if (node === undefined) throw new Error(`The version ${version.id} has no node ${nodeId}.`);
  const { untilMs } = triesOf(found);
  if (untilMs !== undefined && untilMs > Date.now()) return { kind: 'waiting', what: 'another try', untilMs };
  const state = found.status === 'waiting' ? await nodeStates.move(db, found, 'waiting', 'running') : found;
  if (found.status === 'waiting') {
    await keepRunPins(db, organizationId, runId);
    await showNodes(db, organizationId, runId, graph.nodes);
  }
  const rows = await nodesOf(db, organizationId, runId);
  const outputs = new Map(rows.map((row) => [row.node_id, outputsOf(row)]));
  return { run: both.row, version, graph, node, state: state!, outputs };
}

const gone: NodeProgress = { kind: 'ended', end: { status: 'cancelled', ports: [] } };

const triesOf = ({ work }: RunNode) => (work ?? {}) as Tries;

async function step(deps: NodeDeps, begun: Begun, signal: AbortSignal): Promise<NodeStep> {
  const { run, node, outputs, graph } = begun;
  const nodeType = findNodeType(node.type)!;
  const scope = { organizationId: run.organization_id, params: run.params, graph, outputs };
  const filled = await filledConfig(deps, node.config, nodeType, scope);
  const config = nodeType.config.safeParse(filled.config);
  if (!config.success) throw new ValidationError(faultsOf(config.error.issues, ['config']));
  const call: NodeCall = { ...begun, deps, config: config.data, sqlValues: filled.sqlValues, signal };
  return nodeWork[node.type]!(call);
}

async function toProgress(deps: NodeDeps, begun: Begun, next: NodeStep): Promise<NodeProgress> {
  if (next.kind !== 'done') return next;
  return {
    kind: 'ended',
    end: await end(deps, begun, 'succeeded', { output: JSON.stringify(next.outputs) }),
  };
}

/** Schedules another attempt if the node has one left, otherwise ends it. */
async function fail(deps: NodeDeps, begun: Begun, error: unknown): Promise<NodeProgress> {
  const { state, node } = begun;
  const { firstAttempt = 0 } = triesOf(state);
  const attempts = state.attempts + 1;
  const isFinal = error instanceof NodeFailed && error.isFinal;
  if (!isFinal && attempts - firstAttempt < (node.retry?.max_attempts ?? 1)) {
    const untilMs = Date.now() + (retryAfterMs[attempts - firstAttempt - 1] ?? retryAfterMs.at(-1)!);
    const isOwn = await inOrganization(deps.db, state.organization_id, async (db) => {
      const now = await findNode(db, state.organization_id, state.run_id, state.node_id);
      if (now?.status !== 'running' || now.attempts !== state.attempts) return false;
      await updateNode(db, now, { attempts, work: JSON.stringify({ firstAttempt, untilMs }) });
      return true;
    });
    if (isOwn) return { kind: 'waiting', what: 'another try', untilMs };
  }
  const failure = failureOf(error);
  const ended = await end(deps, begun, 'failed', { attempts, error: JSON.stringify(failure) });
  return { kind: 'ended', end: ended };
}

function failureOf(error: unknown): NodeFailure {
  if (error instanceof NodeFailed) return error.failure;
  if (error instanceof ValidationError)
    return {
      code: 'invalid_request',
      message: error.faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join(' '),
    };
  const { code, message } = error as AppError;
  return { code, message };
}

/** Ends a running node, by compare-and-set; shows it as a step of the run. */
async function end(
  { db }: NodeDeps,
  { state, graph }: Begun,
  to: 'succeeded' | 'failed',
  change: { output?: string; error?: string; attempts?: number },
): Promise<NodeEnd> {
  const { organization_id: organizationId, run_id: runId } = state;
  return inOrganization(db, organizationId, async (transaction) => {
    // The same lock order as everywhere else.
    await findBoth(transaction, organizationId, runId, 'update');
    const now = await findNode(transaction, organizationId, runId, state.node_id);
    // The run was resumed meanwhile: another attempt is under way, so this one has no effect.
    const isOwn = now?.started_at?.getTime() === state.started_at?.getTime();
    const moved = isOwn
      ? ((await nodeStates.move(transaction, state, 'running', to, { ...change, work: null })) ?? now)
      : undefined;
    await showNodes(transaction, organizationId, runId, graph.nodes);
    await showWaiting(transaction, organizationId, runId);
    return (moved && endOf(moved)) ?? { status: 'cancelled', ports: [] };
  });
}

function isSaturated(error: unknown): boolean {
  return (
    error instanceof AppError && ['queries_saturated', 'rate_limited', 'overloaded'].includes(error.code)
  );
}
