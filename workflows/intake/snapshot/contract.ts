/**
 * The only argument. Everything else is read from the run's row, so the history contains no customer data.
 */
export interface SnapshotInput {
  organizationId: string;
  datasetId: string;
  runId: string;
  /** The process to notify when it has ended. */
  waitedBy?: string;
}

/** How a snapshot ended, as stored in its row. */
export interface SnapshotOutcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  rows: number;
  errorCode: string | null;
}

/** The result of staging: only a count, never rows. */
export interface StagedSnapshot {
  rows: number;
  /** Set if not all is staged: reading continues in another activity, after this delay. */
  goesOnAfterMs?: number;
  /** What causes the delay: the limits of its policy, its source, or others whose turn it is. */
  waitsFor?: 'limits' | 'source' | 'turn';
}

/** Activities on the control queue: short, database only. */
export interface SnapshotControlActivities {
  /** queued → running; `waiting` for its turn; `ended` also if it was cancelled before it began. */
  beginSnapshot(input: SnapshotInput): Promise<'begun' | 'waiting' | 'ended'>;
  /**
   * Whether it may be committed. `held`: it would remove more rows than its guard allows, and waits for a
   * confirmation. One that is still held when overdue ends as failed.
   */
  admitSnapshot(input: SnapshotInput, isOverdue: boolean): Promise<'admitted' | 'held' | 'ended'>;
  /** Ends the snapshot, and releases the name of a table that was never created. */
  endSnapshot(input: SnapshotInput, status: 'failed' | 'cancelled'): Promise<SnapshotOutcome>;
}

/** Activities on the lake queue: long, with heartbeats. */
export interface SnapshotLakeActivities {
  stageSnapshot(input: SnapshotInput): Promise<StagedSnapshot>;
  commitSnapshot(input: SnapshotInput): Promise<SnapshotOutcome>;
  discardSnapshot(input: SnapshotInput): Promise<void>;
}
