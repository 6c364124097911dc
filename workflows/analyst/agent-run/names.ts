export const agentRunWorkflowType = 'agentRun';
