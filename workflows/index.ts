export { tableImport } from './table-import/workflow.ts';
