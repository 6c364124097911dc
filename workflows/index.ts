export { agentRun } from './agent-run/workflow.ts';
export { conversation } from './conversation/workflow.ts';
export { ingestionBatch } from './ingestion-batch/workflow.ts';
export { lakeMaintenance } from './lake-maintenance/workflow.ts';
export { tableImport } from './table-import/workflow.ts';
