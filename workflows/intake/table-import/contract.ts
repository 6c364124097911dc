/**
 * The only argument. Everything else is read from the import's row, so the history contains no customer data.
 */
export interface TableImportInput {
  organizationId: string;
  importId: string;
}

/** How an import ended, as stored in its row. */
export interface TableImportOutcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  rows: number;
  quarantinedRows: number;
  /** An error code of the service, or one of files. */
  errorCode: string | null;
}

/** The result of staging: only counts, never rows. */
export interface StagedImport {
  rows: number;
  quarantinedRows: number;
}

/** Activities on the control queue: short, database only. */
export interface TableImportControlActivities {
  /** queued → running; false if the import was cancelled before it began, or has ended. */
  beginTableImport(input: TableImportInput): Promise<boolean>;
  /**
   * Ends the import and releases its reserved table name. The reason of a failure is in its row, written by
   * staging.
   */
  endTableImport(input: TableImportInput, status: 'failed' | 'cancelled'): Promise<TableImportOutcome>;
}

/** Activities on the lake queue: long, with heartbeats. */
export interface TableImportLakeActivities {
  stageTableImport(input: TableImportInput): Promise<StagedImport>;
  commitTableImport(input: TableImportInput): Promise<TableImportOutcome>;
  discardStagedImport(input: TableImportInput): Promise<void>;
}
