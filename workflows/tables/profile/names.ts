export const profileWorkflowType = 'profile';
