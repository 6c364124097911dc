/** The only argument. Everything else is in the run's rows. */
export interface WorkflowRunInput {
  organizationId: string;
  runId: string;
  /** The process that waits for its end, if any. */
  waitedBy?: string;
}

/** The argument of an execution, including what a previous one passes on. */
export interface WorkflowRunStart extends WorkflowRunInput {
  /** Deadlines of nodes under way, in milliseconds since 1970. */
  deadlines?: Record<string, number>;
}

export interface NodeInput extends WorkflowRunInput {
  nodeId: string;
}

/** How a node ended. `ports`: the outputs that have a value, so that nodes behind them may run. */
export interface NodeEnd {
  status: 'succeeded' | 'failed' | 'cancelled' | 'skipped';
  ports: string[];
}

/** A node as the walk sees it; its state is in its row and its config in the version. */
export interface PlannedNode {
  id: string;
  /** As shown to operators. */
  label: string;
  /**
   * One element per input or reference in its texts: the outputs that lead there, at least one of which must
   * be live.
   */
  needs: { from: string; port: string }[][];
  timeoutSeconds: number;
  /** In a resumed run: how the node ended before. */
  end: NodeEnd | null;
}

export interface RunPlan {
  nodes: PlannedNode[];
  /** How often the run had been resumed; a higher number in the row belongs to another process. */
  resumes: number;
}

export type NodeProgress =
  | { kind: 'ended'; end: NodeEnd }
  /** To be advanced again at `untilMs`, or when `what` (a run, an approval) is signalled. */
  | { kind: 'waiting'; what: string; untilMs: number }
  | { kind: 'delivering'; deliveryIds: string[] }
  /** Too much is under way to advance it now. */
  | { kind: 'busy' };

/** Why a node is interrupted. */
export type NodeInterruption = 'cancelled' | 'timeout' | 'gave_up';

export interface WorkflowRunOutcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  errorCode: string | null;
  /** The first that failed, in the order of the graph. */
  failedNode?: { id: string; type: string };
}

/** Activities on the control queue: short, database only. */
export interface WorkflowRunControlActivities {
  /**
   * Pins the data and returns the nodes. `crowded` at the organization's limit of active runs: ask again.
   * Undefined if the run has ended, or was cancelled before it began.
   */
  beginWorkflowRun(input: WorkflowRunInput): Promise<RunPlan | 'crowded' | undefined>;
  /** Skips nodes without a live input. */
  skipNodes(input: WorkflowRunInput, nodeIds: string[]): Promise<void>;
  /** Interrupts a node that does not end by itself; no effect if it has ended. */
  endNode(input: NodeInput, why: NodeInterruption): Promise<NodeEnd>;
  /**
   * Ends the run by the outcome of its nodes, unless it was resumed since; without `resumes` if it did not
   * begin.
   */
  endWorkflowRun(input: WorkflowRunInput, resumes?: number): Promise<WorkflowRunOutcome>;
}

/** Activities on the agent queue: they query, render documents and store. */
export interface WorkflowRunAgentActivities {
  /** Executes the next step of a node, and returns its progress. */
  advanceNode(input: NodeInput): Promise<NodeProgress>;
}
