import type { Cipher } from '../../../../data/encryption.ts';
import { type Database, inOrganization } from '../../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../../data/processes/processes.ts';
import type { Models } from '../../../analyst/models/models.ts';
import type { ReportDeps } from '../../../publishing/reports/assets.ts';
import type { ExpiryDeps } from '../../../tables/lake-maintenance/expire.ts';
import type { SqlValues } from '../../../tables/query/parameters.ts';
import type { QueryDeps } from '../../../tables/query/run.ts';
import type { WorkflowVersion } from '../definitions/versions.ts';
import type { Graph, GraphNode } from '../graphs/graph.ts';
import { splitEnd } from '../graphs/known-node.ts';
import type { NodeFailure, NodeOutput, NodeOutputs, RunNode } from './nodes.ts';
import type { WorkflowRun } from './workflow-runs.ts';

export type NodeDeps = ProcessDeps &
  ReportDeps &
  QueryDeps &
  ExpiryDeps & { cipher: Cipher; models: Pick<Models, 'defaultId'> };

/** A node that is worked at, with what leads to it. */
export interface NodeCall {
  deps: NodeDeps;
  run: WorkflowRun;
  version: WorkflowVersion;
  graph: Graph;
  node: GraphNode;
  /** Its config with values in the places of placeholders, as its type has it. */
  config: unknown;
  /** What the placeholders of its statement stand for. */
  sqlValues: SqlValues;
  state: RunNode;
  /** By node. */
  outputs: ReadonlyMap<string, NodeOutputs>;
  signal: AbortSignal;
}

/** What there is to do next. What is `done` gives on `outputs`. */
export type NodeStep =
  | { kind: 'done'; outputs: NodeOutputs }
  | { kind: 'waiting'; what: string; untilMs: number }
  | { kind: 'delivering'; deliveryIds: string[] };

/** Carries a type of node out. It is called again until it is done: what it began before, it finds. */
export type NodeWork = (call: NodeCall) => Promise<NodeStep>;

/**
 * A node that fails for a reason that its own retries do not help, with the words for whoever reads the run.
 */
export class NodeFailed extends Error {
  override readonly name = 'NodeFailed';
  readonly failure: NodeFailure;
  readonly isFinal: boolean;

  constructor(code: string, message: string, { isFinal = false } = {}) {
    super(message);
    this.failure = { code, message };
    this.isFinal = isFinal;
  }
}

export interface NodeInputValue {
  /** The node that gives it. */
  from: string;
  output: NodeOutput;
}

/** What leads to a port, in the order of the edges; what a skipped node would have given is not there. */
export function inputsAt({ graph, node, outputs }: NodeCall, port: string): NodeInputValue[] {
  return graph.edges.flatMap(({ from, to }) => {
    const [target, input] = splitEnd(to);
    if (target !== node.id || input !== port) return [];
    const [source, name] = splitEnd(from);
    const output = outputs.get(source)?.[name];
    return output === undefined ? [] : [{ from: source, output }];
  });
}

/** Whether a run is there still, in a transaction of its own. */
export const within = <T>(
  { deps, run }: Pick<NodeCall, 'run'> & { deps: { db: Database } },
  work: Parameters<typeof inOrganization<T>>[2],
): Promise<T> => inOrganization(deps.db, run.organization_id, work);

/** A name that follows from the run, the node, and which try of it this is. */
export const seedOf = ({ run, node, state }: NodeCall): string => `${run.id} ${node.id} ${state.attempts}`;
