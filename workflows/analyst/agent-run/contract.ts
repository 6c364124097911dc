import type { TurnInput } from '../conversation/contract.ts';

/** The only argument. The request is in the run's rows, so the history contains none of it. */
export interface AgentRunInput {
  organizationId: string;
  runId: string;
  /** The process that waits for its end. */
  waitedBy?: string;
}

/** How a run ended, as stored in its row. */
export interface AgentRunOutcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  /** An error code of the service, or one of turns. */
  errorCode: string | null;
}

/** Activities on the control queue: short, database only. */
export interface AgentRunControlActivities {
  /** queued → running; returns the analyst's turn, or undefined if the run ended before it began. */
  beginAgentRun(input: AgentRunInput): Promise<TurnInput | undefined>;
  /** Ends a run without output, by the outcome of its turn. */
  endAgentRun(input: AgentRunInput): Promise<AgentRunOutcome>;
}

/** Activities on the agent queue: they store the output. */
export interface AgentRunAgentActivities {
  /** Stores the message of a complete turn as the report or file, and ends the run with it. */
  deliverAgentRun(input: AgentRunInput): Promise<AgentRunOutcome>;
  /** Removes the hidden conversation; the run keeps its steps, and a report the data it shows. */
  clearAgentRun(input: AgentRunInput): Promise<void>;
}
