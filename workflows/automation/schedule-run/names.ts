export const scheduleRunWorkflowType = 'scheduleRun';
/** Signals a process that a run it waits for has ended. */
export const runEndedSignal = 'run-ended';
