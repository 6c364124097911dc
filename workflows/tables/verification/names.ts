export const verificationWorkflowType = 'verification';
