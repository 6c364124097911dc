/** The one argument: everything else is read from the import's row, so a history holds no customer data. */
export interface TableImportInput {
  organizationId: string;
  importId: string;
}

/** How an import ended, as its row says. */
export interface TableImportOutcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  rows: number;
  quarantinedRows: number;
  /** One of the service's error codes, or of those of files. */
  errorCode: string | null;
}

/** What staging leaves behind for the commit: only counts and a key, never rows. */
export interface StagedImport {
  rows: number;
  quarantinedRows: number;
}

/** Activities on the control queue: short, database only. */
export interface TableImportControlActivities {
  /** queued → running; false when the import was cancelled before it began, or has ended. */
  beginTableImport(input: TableImportInput): Promise<boolean>;
  /**
   * Ends the import and gives its reserved table name back. Why it failed is in its row: staging wrote it
   * there.
   */
  endTableImport(input: TableImportInput, status: 'failed' | 'cancelled'): Promise<TableImportOutcome>;
}

/** Activities on the lake queue: long, with heartbeats. */
export interface TableImportLakeActivities {
  stageTableImport(input: TableImportInput): Promise<StagedImport>;
  commitTableImport(input: TableImportInput): Promise<TableImportOutcome>;
  discardStagedImport(input: TableImportInput): Promise<void>;
}
