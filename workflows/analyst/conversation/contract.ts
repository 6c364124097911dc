/**
 * The only argument. Everything else is read from the conversation's rows, so the history contains no
 * messages.
 */
export interface ConversationInput {
  organizationId: string;
  conversationId: string;
}

/** Identifies a turn, for its steps. */
export interface TurnInput extends ConversationInput {
  messageId: string;
}

/** What to do next in a conversation, according to its rows. */
export type ConversationNext =
  | { kind: 'turn'; messageId: string; waiting: number }
  | { kind: 'idle'; waiting: number; isHeld: boolean }
  /** Deleted: its rows and objects are to be removed. */
  | { kind: 'deleted' }
  | { kind: 'gone' };

/**
 * `ended`: the reply is complete or was stopped; `isQuiet` if no message was waiting then. `tools`: calls to
 * make; `waits` if others wait for a person. `unbegun`: the first step could not begin the turn, which has to
 * wait.
 */
export type StepOutcome =
  | { kind: 'ended'; isQuiet?: boolean }
  | { kind: 'tools'; partIndexes: number[]; waits?: boolean }
  | { kind: 'unbegun' };

/** Calls that may be made now, and how long to wait for decisions on the others; null if none is open. */
export type Decisions = { kind: 'ended' } | { kind: 'decided'; partIndexes: number[]; waitMs: number | null };

/** Activities on the control queue: short, database only. */
export interface ConversationControlActivities {
  /** Returns the turn under way, or begins that of the first waiting message. */
  advanceConversation(input: ConversationInput): Promise<ConversationNext>;
  /** Ends the reply as failed, unless it has ended. */
  failTurn(turn: TurnInput, code: string): Promise<void>;
  /** Ends the reply as stopped by an operator. */
  cancelTurn(turn: TurnInput): Promise<void>;
  /** Ends a tool call that none of its attempts ended. */
  failToolCall(turn: TurnInput, partIndex: number): Promise<void>;
  /** Denies calls whose approval has expired. */
  readDecisions(turn: TurnInput): Promise<Decisions>;
  removeConversation(input: ConversationInput): Promise<void>;
}

/** Activities on the agent queue: they wait for models and engines. */
export interface ConversationAgentActivities {
  /** Waits until the turn has begun and its data is pinned. False if it was stopped before. */
  beginTurn(turn: TurnInput): Promise<boolean>;
  /**
   * One answer of the model, streamed into the reply; the first step also begins the turn. `isLast`: without
   * tools.
   */
  takeModelStep(turn: TurnInput, step: number, isLast: boolean): Promise<StepOutcome>;
  callTool(turn: TurnInput, partIndex: number): Promise<void>;
}
