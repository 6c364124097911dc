import { drawChart } from './draw-chart.ts';
import { listFilesTool, readFileTool, writeFileTool } from './files.ts';
import { describeTable, listTables, runSql, sampleRows } from './tables.ts';
import type { Tool } from './tool.ts';
import { writeReport } from './write-report.ts';

/** Everything that the analyst can do beside talking. Nothing of it leaves the project. */
export const tools: readonly Tool[] = [
  listTables,
  describeTable,
  sampleRows,
  runSql,
  drawChart,
  writeReport,
  listFilesTool,
  readFileTool,
  writeFileTool,
];
