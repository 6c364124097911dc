export const workflowRunWorkflowType = 'workflowRun';
/** Signals a run that an approval it waits for was decided, with the approval's id. */
export const decidedSignal = 'decided';
/** Signals a failed run that it was resumed. */
export const resumedSignal = 'resumed';
/** Concurrent nodes per run. */
export const nodesAtOnce = 8;
