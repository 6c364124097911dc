/**
 * The one argument: everything else is read from the conversation's rows, so a history holds nothing that was
 * said.
 */
export interface ConversationInput {
  organizationId: string;
  conversationId: string;
}

/** A turn as its steps are told of it. */
export interface TurnInput extends ConversationInput {
  messageId: string;
}

/** What a conversation has to do, as its rows say. */
export type ConversationNext =
  | { kind: 'turn'; messageId: string; waiting: number }
  | { kind: 'idle'; waiting: number; isHeld: boolean }
  /** Deleted: its rows and objects go. */
  | { kind: 'deleted' }
  | { kind: 'gone' };

/**
 * `ended`: the reply is complete, or was stopped meanwhile; `isQuiet` where nothing waited behind it then.
 * `tools`: calls to be made; `waits` where others wait for a person. `unbegun`: the first step could not
 * begin the turn, which has to wait for that.
 */
export type StepOutcome =
  | { kind: 'ended'; isQuiet?: boolean }
  | { kind: 'tools'; partIndexes: number[]; waits?: boolean }
  | { kind: 'unbegun' };

/**
 * Calls that may be made now, and how long to wait for a decision on the others; null where none waits any
 * more.
 */
export type Decisions = { kind: 'ended' } | { kind: 'decided'; partIndexes: number[]; waitMs: number | null };

/** Activities on the control queue: short, database only. */
export interface ConversationControlActivities {
  /** Finds the turn under way, or begins that of the first waiting message. */
  advanceConversation(input: ConversationInput): Promise<ConversationNext>;
  /** Ends the reply as failed, unless it ended meanwhile. */
  failTurn(turn: TurnInput, code: string): Promise<void>;
  /** Ends the reply as an operator's Stop does. */
  cancelTurn(turn: TurnInput): Promise<void>;
  /** Ends a tool's call that no try of it ended. */
  failToolCall(turn: TurnInput, partIndex: number): Promise<void>;
  /** Denies what nobody decided in time. */
  readDecisions(turn: TurnInput): Promise<Decisions>;
  removeConversation(input: ConversationInput): Promise<void>;
}

/** Activities on the agent queue: they wait for models and engines. */
export interface ConversationAgentActivities {
  /** Waits until the turn has begun: what it reads is pinned. False where it was stopped before. */
  beginTurn(turn: TurnInput): Promise<boolean>;
  /** One answer of the model, streamed into the reply; the first begins the turn. `isLast`: without tools. */
  takeModelStep(turn: TurnInput, step: number, isLast: boolean): Promise<StepOutcome>;
  callTool(turn: TurnInput, partIndex: number): Promise<void>;
}
