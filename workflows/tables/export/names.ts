export const exportWorkflowType = 'tableExport';
