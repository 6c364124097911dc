import { defineProcess } from '../../../data/processes/define.ts';
import type { TableImportInput } from '../../../workflows/intake/table-import/contract.ts';
import { tableImportWorkflowType } from '../../../workflows/intake/table-import/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import { defineRunKind } from '../../workspace/runs/kind.ts';
import { findTableImport } from './table-imports.ts';

export const importProcess = defineProcess<TableImportInput>({
  kind: 'table-import',
  workflowType: tableImportWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ importId }) => importId,
  whenTerminated: 'close',
});

export const importRuns = defineRunKind({
  name: 'imports',
  kinds: ['import'],
  process: importProcess,
  find: (db, run) => findTableImport(db, run.organization_id, run.id),
  input: ({ organization_id: organizationId, id: importId }) => ({ organizationId, importId }),
  address: ({ id }) => `/v1/table-imports/${id}`,
  summary: (_, { mode }, { title }) => `${title} (${mode})`,
});
