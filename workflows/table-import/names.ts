export const tableImportWorkflowType = 'tableImport';
export const cancelTableImportSignal = 'cancel';

/** Readable in the Temporal UI, and the same for every try to start it. */
export function tableImportWorkflowId(importId: string): string {
  return `table-import/${importId}`;
}
