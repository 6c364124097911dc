export const conversationWorkflowType = 'conversation';
/** Tells the process to look at its conversation's rows again. */
export const wakeConversationSignal = 'wake';
/** Tells the process that a reply was stopped: it need not wait for its steps any more. */
export const stopReplySignal = 'stop';

/** Model steps of a turn at most. */
export const maxSteps = 24;
/** A turn at work, waiting for a person left out. */
export const turnTimeoutMs = 600_000;
/** Tries of a tool's call: the last one tells the model that it failed. */
export const toolTries = 6;
