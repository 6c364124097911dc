export const tableImportWorkflowType = 'tableImport';
