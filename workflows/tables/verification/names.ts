export const verificationWorkflowType = 'verification';

/** The type of the failure of an attempt for which there was no process: it is waited for by a timer. */
export const noProcessFailure = 'NoProcess';
