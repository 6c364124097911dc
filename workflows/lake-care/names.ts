export const lakeCareWorkflowType = 'lakeCare';
/** Asks for a run now. */
export const runLakeCareSignal = 'run';

/** What a run counts, as its row and the API name it. */
export const lakeCareFigureNames = [
  'tablesFlushed',
  'rowsFlushed',
  'tablesSkipped',
  'filesMerged',
  'filesWritten',
  'snapshotsExpired',
  'filesRemoved',
  'orphansRemoved',
] as const;

/** One for each organization, readable in the Temporal UI. */
export function lakeCareWorkflowId(organizationId: string): string {
  return `lake-care/${organizationId}`;
}
