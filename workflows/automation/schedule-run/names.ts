export const scheduleRunWorkflowType = 'scheduleRun';
/** What a process is told when a run that it waits for has ended. */
export const runEndedSignal = 'run-ended';
