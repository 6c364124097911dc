export const workflowRunWorkflowType = 'workflowRun';
/** What a run is told when somebody has decided what it waits for, with the approval's id. */
export const decidedSignal = 'decided';
/** What a failed run is told when somebody resumes it. */
export const resumedSignal = 'resumed';
/** Nodes of one run that are worked at together. */
export const nodesAtOnce = 8;
