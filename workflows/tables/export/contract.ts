/**
 * The only argument. Everything else is read from rows, so the history contains no customer data.
 */
export interface ExportInput {
  organizationId: string;
  exportId: string;
}

/** How an export ended, as stored in its run. */
export interface ExportOutcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  rows: number;
  bytes: number;
  errorCode: string | null;
}

/** Activities on the control queue: short, database only. */
export interface ExportControlActivities {
  /** queued → running, at one snapshot; `waiting` for its turn; `ended` also if it was cancelled before. */
  beginExport(input: ExportInput): Promise<'begun' | 'waiting' | 'ended'>;
  endExport(input: ExportInput, isCancelled: boolean): Promise<ExportOutcome>;
}

/** Activities on the lake queue: long, with heartbeats. */
export interface ExportLakeActivities {
  /** Writes the files and records them. */
  writeExport(input: ExportInput): Promise<void>;
}
