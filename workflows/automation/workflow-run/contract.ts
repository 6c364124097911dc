/** The one argument: what runs stands in its rows. */
export interface WorkflowRunInput {
  organizationId: string;
  runId: string;
  /** The process that waits for its end, if one does. */
  waitedBy?: string;
}

/** What the process of a run is given by the one that it goes on from. */
export interface WorkflowRunStart extends WorkflowRunInput {
  /** When the time of nodes under way is up, in milliseconds since 1970. */
  deadlines?: Record<string, number>;
}

export interface NodeInput extends WorkflowRunInput {
  nodeId: string;
}

/** How a node came out. `ports` are the outputs that what comes after it may go on from. */
export interface NodeEnd {
  status: 'succeeded' | 'failed' | 'cancelled' | 'skipped';
  ports: string[];
}

/** A node as the walk knows it: what it does stands in its row and in the version. */
export interface PlannedNode {
  id: string;
  /** As an operator reads it. */
  label: string;
  /**
   * Each is one input, or one reference of its texts, by the outputs that lead there: one of them must be
   * live.
   */
  needs: { from: string; port: string }[][];
  timeoutSeconds: number;
  /** Of a run that is resumed: what was done before. */
  end: NodeEnd | null;
}

export interface RunPlan {
  nodes: PlannedNode[];
  /** How often the run was resumed: a later one is another process's. */
  resumes: number;
}

export type NodeProgress =
  | { kind: 'ended'; end: NodeEnd }
  /** Worth another look at `untilMs`, or when the process is told of `what`: a run, an approval. */
  | { kind: 'waiting'; what: string; untilMs: number }
  | { kind: 'delivering'; deliveryIds: string[] }
  /** Too much is under way to look at it now. */
  | { kind: 'busy' };

/** Why a node is ended from outside. */
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
   * Pins the data and gives the nodes. `crowded` where as many runs of the organization are at work as may
   * be: ask again. Undefined where the run has ended, or was cancelled before it began.
   */
  beginWorkflowRun(input: WorkflowRunInput): Promise<RunPlan | 'crowded' | undefined>;
  /** Ends nodes that nothing leads to. */
  skipNodes(input: WorkflowRunInput, nodeIds: string[]): Promise<void>;
  /** Ends a node that does not come to an end of its own; one that has ended stays as it ended. */
  endNode(input: NodeInput, why: NodeInterruption): Promise<NodeEnd>;
  /** Ends the run by its nodes, unless it was resumed since; without a number where it did not begin. */
  endWorkflowRun(input: WorkflowRunInput, resumes?: number): Promise<WorkflowRunOutcome>;
}

/** Activities on the agent queue: they query, make documents and store. */
export interface WorkflowRunAgentActivities {
  /** Does what there is to do for a node now, and tells how far it is. */
  advanceNode(input: NodeInput): Promise<NodeProgress>;
}
