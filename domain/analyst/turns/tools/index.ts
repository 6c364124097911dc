import { drawChart } from './draw-chart.ts';
import { listFilesTool, readFileTool, writeFileTool } from './files.ts';
import { findJoins } from './find-joins.ts';
import { searchTables } from './search-tables.ts';
import { describeTable, listTables, runSql, sampleRows } from './tables.ts';
import type { Tool } from './tool.ts';
import { writeReport } from './write-report.ts';

/** All tools of the analyst. None of them reaches outside the project. */
export const tools: readonly Tool[] = [
  listTables,
  searchTables,
  describeTable,
  findJoins,
  sampleRows,
  runSql,
  drawChart,
  writeReport,
  listFilesTool,
  readFileTool,
  writeFileTool,
];
