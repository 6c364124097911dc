export { ingestionBatch } from './ingestion-batch/workflow.ts';
export { lakeCare } from './lake-care/workflow.ts';
export { tableImport } from './table-import/workflow.ts';
