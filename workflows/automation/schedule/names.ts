export const scheduleWorkflowType = 'schedule';
/** Makes the process read its schedule's row again. */
export const wakeScheduleSignal = 'wake';
/** Signals that an operator may send from the Temporal UI; they change the row as the API does. */
export const pauseScheduleSignal = 'pause';
export const resumeScheduleSignal = 'resume';
