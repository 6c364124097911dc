export const lakeMaintenanceWorkflowType = 'lakeMaintenance';
/** Asks for a run now. */
export const runLakeMaintenanceSignal = 'run';

/** What a run counts, as its row and the API name it. */
export const lakeMaintenanceFigureNames = [
  'tablesFlushed',
  'rowsFlushed',
  'deletionsRepaired',
  'tablesSkipped',
  'filesMerged',
  'filesWritten',
  'snapshotsExpired',
  'filesRemoved',
  'orphansRemoved',
] as const;
