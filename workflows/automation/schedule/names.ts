export const scheduleWorkflowType = 'schedule';
/** Tells the process to look at its schedule's row again. */
export const wakeScheduleSignal = 'wake';
/** What an operator may send from the Temporal UI; the row is changed as by the API. */
export const pauseScheduleSignal = 'pause';
export const resumeScheduleSignal = 'resume';
