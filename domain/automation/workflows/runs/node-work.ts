import type { Logger } from 'pino';
import type { Cipher } from '../../../../data/encryption.ts';
import { type Database, inOrganization } from '../../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../../data/processes/processes.ts';
import type { Models } from '../../../analyst/models/models.ts';
import type { ChartDrawer } from '../../../publishing/documents/drawer.ts';
import type { ReportFormatter } from '../../../publishing/documents/formatter.ts';
import type { ReportDeps } from '../../../publishing/reports/assets.ts';
import type { ExpiryDeps } from '../../../tables/lake-maintenance/expire.ts';
import type { SqlValues } from '../../../tables/query/request.ts';
import type { QueryDeps } from '../../../tables/query/run.ts';
import type { WorkflowVersion } from '../definitions/versions.ts';
import type { Graph, GraphNode } from '../graphs/graph.ts';
import { splitEnd } from '../graphs/known-node.ts';
import type { NodeFailure, NodeOutput, NodeOutputs, RunNode } from './nodes.ts';
import type { WorkflowRun } from './workflow-runs.ts';

export type NodeDeps = ProcessDeps &
  ReportDeps &
  QueryDeps &
  ExpiryDeps & {
    cipher: Cipher;
    models: Pick<Models, 'defaultId'>;
    charts: ChartDrawer;
    reportFormats: ReportFormatter;
    logger: Pick<Logger, 'error'>;
  };

/** A node under execution, with its inputs. */
export interface NodeCall {
  deps: NodeDeps;
  run: WorkflowRun;
  version: WorkflowVersion;
  graph: Graph;
  node: GraphNode;
  /** Its config with placeholders replaced, as declared by its type. */
  config: unknown;
  /** The values of its statement's placeholders. */
  sqlValues: SqlValues;
  state: RunNode;
  /** By node. */
  outputs: ReadonlyMap<string, NodeOutputs>;
  signal: AbortSignal;
}

/** What to do next. `done` has the node's `outputs`. */
export type NodeStep =
  | { kind: 'done'; outputs: NodeOutputs }
  | { kind: 'waiting'; what: string; untilMs: number }
  | { kind: 'delivering'; deliveryIds: string[] };

/** Executes a type of node. It is called repeatedly until done, and must find what it began before. */
export type NodeWork = (call: NodeCall) => Promise<NodeStep>;

/** A failure of a node, with the text shown to users. If `isFinal`, the node's own retries do not apply. */
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
  /** The node that produced it. */
  from: string;
  output: NodeOutput;
}

/** The values at a port, in the order of the edges; skipped nodes contribute nothing. */
export function inputsAt({ graph, node, outputs }: NodeCall, port: string): NodeInputValue[] {
  return graph.edges.flatMap(({ from, to }) => {
    const [target, input] = splitEnd(to);
    if (target !== node.id || input !== port) return [];
    const [source, name] = splitEnd(from);
    const output = outputs.get(source)?.[name];
    return output === undefined ? [] : [{ from: source, output }];
  });
}

/** Runs work in a transaction of the run's organization. */
export const within = <T>(
  { deps, run }: Pick<NodeCall, 'run'> & { deps: { db: Database } },
  work: Parameters<typeof inOrganization<T>>[2],
): Promise<T> => inOrganization(deps.db, run.organization_id, work);

/** The time in the ids of what an attempt starts: those of a later attempt are newer. */
export const attemptMsOf = ({ run, state }: Pick<NodeCall, 'run' | 'state'>): number =>
  state.attempts === 0 || state.started_at === null
    ? run.created_at.getTime()
    : state.started_at.getTime() + state.attempts;

/** A name derived from the run, the node, and the number of its attempt. */
export const seedOf = ({ run, node, state }: NodeCall): string => `${run.id} ${node.id} ${state.attempts}`;
