import type { TurnInput } from '../conversation/contract.ts';

/** The one argument: what is asked stands in the run's rows, so a history holds nothing of it. */
export interface AgentRunInput {
  organizationId: string;
  runId: string;
  /** The process that waits for its end. */
  waitedBy?: string;
}

/** How a run ended, as its row says. */
export interface AgentRunOutcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  /** One of the service's error codes, or of those of turns. */
  errorCode: string | null;
}

/** Activities on the control queue: short, database only. */
export interface AgentRunControlActivities {
  /** queued → running; the turn that the analyst takes, or undefined where the run ended before it began. */
  beginAgentRun(input: AgentRunInput): Promise<TurnInput | undefined>;
  /** Ends a run that nothing more becomes of, by how its turn ended. */
  endAgentRun(input: AgentRunInput): Promise<AgentRunOutcome>;
}

/** Activities on the agent queue: they store what was made. */
export interface AgentRunAgentActivities {
  /** Makes what a complete turn said into the report or file, and ends the run with it. */
  deliverAgentRun(input: AgentRunInput): Promise<AgentRunOutcome>;
  /** Removes what the analyst worked with: the run keeps its steps, and a report what it shows. */
  clearAgentRun(input: AgentRunInput): Promise<void>;
}
