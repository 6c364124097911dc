export const conversationWorkflowType = 'conversation';
/** Makes the process read its conversation's rows again. */
export const wakeConversationSignal = 'wake';
/** Notifies the process that a reply was stopped, so that it does not wait for further steps. */
export const stopReplySignal = 'stop';

/** Maximum number of model steps per turn. */
export const maxSteps = 24;
/** Time limit of a turn, not counting the time it waits for a person. */
export const turnTimeoutMs = 600_000;
/** Attempts of a tool call; the last one reports its failure to the model. */
export const toolTries = 6;
