export const lakeMaintenanceWorkflowType = 'lakeMaintenance';
/** Requests a run now. */
export const runLakeMaintenanceSignal = 'run';

/** The counts of a run, named as in its row and the API. */
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
