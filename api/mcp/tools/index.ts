import type { Tool } from '../tool.ts';
import { askAnalyst, readReply } from './analyst.ts';
import { listPlaybooks, listWorkflows, runPlaybook, runWorkflow } from './automation.ts';
import { listProjects } from './projects.ts';
import { query } from './query.ts';
import { generateReport, listReports, readReport, writeReport } from './reports.ts';
import { cancelRun, getRun, listRuns } from './runs.ts';
import { describeTable, listTables, profileTable, searchCatalog } from './tables.ts';

/** Every tool, in the order in which clients show them. */
export const tools: readonly Tool[] = [
  listProjects,
  searchCatalog,
  listTables,
  describeTable,
  profileTable,
  query,
  askAnalyst,
  readReply,
  listReports,
  readReport,
  writeReport,
  generateReport,
  listPlaybooks,
  runPlaybook,
  listWorkflows,
  runWorkflow,
  listRuns,
  getRun,
  cancelRun,
];
