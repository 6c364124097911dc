/** The one argument: everything else is read from the run's row, so a history holds no customer data. */
export interface SnapshotInput {
  organizationId: string;
  datasetId: string;
  runId: string;
  /** The process that is told when it has ended. */
  waitedBy?: string;
}

/** How a snapshot ended, as its row says. */
export interface SnapshotOutcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  rows: number;
  errorCode: string | null;
}

/** What staging leaves behind: only a count, never rows. */
export interface StagedSnapshot {
  rows: number;
  /** Not all is staged yet: the source is read on by another activity, after what its limits ask for. */
  goesOnAfterMs?: number;
  /** Who holds it back until then: the limits of its policy, its source, or others whose turn it is. */
  waitsFor?: 'limits' | 'source' | 'turn';
}

/** Activities on the control queue: short, database only. */
export interface SnapshotControlActivities {
  /** queued → running; `waiting` for its turn; `ended` also when it was cancelled before it began. */
  beginSnapshot(input: SnapshotInput): Promise<'begun' | 'waiting' | 'ended'>;
  /**
   * Whether it may be committed: `held` waits for somebody, because it would lose more rows than its guard
   * allows. One that is held still when it is overdue ends as failed.
   */
  admitSnapshot(input: SnapshotInput, isOverdue: boolean): Promise<'admitted' | 'held' | 'ended'>;
  /** Ends the snapshot, and gives the name of a table that was never made back. */
  endSnapshot(input: SnapshotInput, status: 'failed' | 'cancelled'): Promise<SnapshotOutcome>;
}

/** Activities on the lake queue: long, with heartbeats. */
export interface SnapshotLakeActivities {
  stageSnapshot(input: SnapshotInput): Promise<StagedSnapshot>;
  commitSnapshot(input: SnapshotInput): Promise<SnapshotOutcome>;
  discardSnapshot(input: SnapshotInput): Promise<void>;
}
