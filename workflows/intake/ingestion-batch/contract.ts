/** Everything that changes is read from the batch's row: a history contains only ids and counts. */
export interface IngestionBatchInput {
  organizationId: string;
  batchId: string;
  tableId: string;
  mode: string;
  /** When an abandoned batch expires, in milliseconds since 1970. */
  expiresAtMs: number;
  /** The batch stages quarantined records again. */
  isReplay: boolean;
}

/** The state of a batch in its row; `gone` if the row does not exist (any more). */
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
  /** Of a failed batch: an error code of the service. */
  errorCode: string | null;
}

/** Activities on the control queue: short, database only. */
export interface IngestionBatchControlActivities {
  /**
   * Returns the batch's current state. A completed batch is moved on first: completing → applying, awaiting
   * confirmation or failed, by generation, table and guard.
   */
  advanceIngestionBatch(input: IngestionBatchInput): Promise<IngestionBatchState>;
  /** open or awaiting confirmation → expired; other states are unchanged. */
  expireIngestionBatch(input: IngestionBatchInput): Promise<void>;
  /** Ends a batch whose process was cancelled by an operator, unless it is being applied. */
  abortIngestionBatch(input: IngestionBatchInput): Promise<void>;
}

/** Activities on the lake queue: long, with heartbeats. */
export interface IngestionBatchLakeActivities {
  /** Stages the quarantined records that are now valid, and completes the batch. */
  stageReplay(input: IngestionBatchInput): Promise<void>;
  /** applying → applied or failed. */
  applyIngestionBatch(input: IngestionBatchInput): Promise<void>;
  /** Settles a batch whose attempts are used up: applied if the lake contains it, otherwise failed. */
  giveUpIngestionBatch(input: IngestionBatchInput): Promise<void>;
  /** Removes the staged pages of an ended batch. */
  cleanUpIngestionBatch(input: IngestionBatchInput): Promise<void>;
}
