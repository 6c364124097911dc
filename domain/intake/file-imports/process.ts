import { defineProcess } from '../../../data/processes/define.ts';
import type { TableImportInput } from '../../../workflows/intake/table-import/contract.ts';
import { tableImportWorkflowType } from '../../../workflows/intake/table-import/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import type { TableImport } from './table-imports.ts';

export const importProcess = defineProcess<TableImportInput>({
  kind: 'table-import',
  workflowType: tableImportWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ importId }) => importId,
  whenTerminated: 'close',
});

/** How an import's process is started, both initially and by the reconciler. */
export function importStart(row: TableImport, memo: Record<string, string> = {}) {
  const input = { organizationId: row.organization_id, importId: row.id };
  const summary = `Import of ${row.file_path} into ${row.table_name} (${row.mode})`;
  return importProcess.startOf(input, {
    summary,
    projectId: row.project_id,
    address: `/v1/table-imports/${row.id}`,
    memo,
  });
}
