/** Everything that changes is read from the batch's row: a history holds ids and counts only. */
export interface IngestionBatchInput {
  organizationId: string;
  batchId: string;
  tableId: string;
  mode: string;
  /** When an abandoned batch expires, in milliseconds since 1970. */
  expiresAtMs: number;
  /** The batch stages again what was quarantined before. */
  isReplay: boolean;
}

/** Where a batch is, as its row says; `gone` when the row is not there (any more). */
export interface IngestionBatchState {
  status:
    | 'open'
    | 'completing'
    | 'awaiting_confirmation'
    | 'applying'
    | 'applied'
    | 'failed'
    | 'aborted'
    | 'expired'
    | 'gone';
  pages: number;
  records: number;
  /** Of a batch that failed: one of the service's error codes. */
  errorCode: string | null;
}

/** Activities on the control queue: short, database only. */
export interface IngestionBatchControlActivities {
  /**
   * Where the batch is now. One that was completed is moved on first: completing → applying, awaiting
   * confirmation or failed, by generation, table and guard.
   */
  advanceIngestionBatch(input: IngestionBatchInput): Promise<IngestionBatchState>;
  /** open or awaiting confirmation → expired; anything else stays as it is. */
  expireIngestionBatch(input: IngestionBatchInput): Promise<void>;
  /** Ends a batch whose process was cancelled from outside, unless it is being applied. */
  abortIngestionBatch(input: IngestionBatchInput): Promise<void>;
}

/** Activities on the lake queue: long, with heartbeats. */
export interface IngestionBatchLakeActivities {
  /** Stages the quarantined records that fit now, and completes the batch. */
  stageReplay(input: IngestionBatchInput): Promise<void>;
  /** applying → applied or failed. */
  applyIngestionBatch(input: IngestionBatchInput): Promise<void>;
  /** Settles a batch whose tries are spent: what the lake says, else failed for good. */
  giveUpIngestionBatch(input: IngestionBatchInput): Promise<void>;
  /** Removes the staged pages of an ended batch. */
  cleanUpIngestionBatch(input: IngestionBatchInput): Promise<void>;
}
