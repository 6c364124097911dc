export const keyRotationWorkflowType = 'keyRotation';
/** Answers with the progress. */
export const keyRotationProgressQuery = 'progress';
