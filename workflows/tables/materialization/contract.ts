/**
 * The only argument. Everything else is read from the run's rows, so the history contains no customer data.
 */
export interface MaterializationInput {
  organizationId: string;
  runId: string;
  /** The process to notify when it has ended. */
  waitedBy?: string;
}

export interface BuildInput extends MaterializationInput {
  tableId: string;
}

/** How a materialization ended, as stored in its run. */
export interface MaterializationOutcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  built: number;
  failed: number;
  skipped: number;
  errorCode: string | null;
}

export interface ClaimedBuilds {
  turn: 'begun' | 'waiting' | 'ended';
  ready: string[];
  /** Whether there are no others. */
  isAll: boolean;
}

/** Activities on the control queue: short, database only. */
export interface MaterializationControlActivities {
  /**
   * queued → running: pins the lake and claims what is to be built. `waiting` while another run builds some
   * of it; `ended` also if it was cancelled before it began. Called by processes of earlier code.
   */
  beginMaterialization(input: MaterializationInput): Promise<'begun' | 'waiting' | 'ended'>;
  /** The same, with the tables that may be built now; a run of one build needs no other list. */
  claimBuilds(input: MaterializationInput): Promise<ClaimedBuilds>;
  /** The tables that may be built now; what hangs on a failed one is skipped. */
  nextBuilds(input: MaterializationInput): Promise<string[]>;
  /** Ends a build that did not succeed. The reason of a failure is in its row. */
  endBuild(input: BuildInput, status: 'failed' | 'cancelled'): Promise<void>;
  /** Ends the run, and releases what it claimed. */
  endMaterialization(input: MaterializationInput, isCancelled: boolean): Promise<MaterializationOutcome>;
}

/** Activities on the lake queue: long, with heartbeats. */
export interface MaterializationLakeActivities {
  /** Writes the files of a table; the number of their rows. */
  stageBuild(input: BuildInput): Promise<{ rows: number }>;
  /** False if the build was ended meanwhile. */
  commitBuild(input: BuildInput): Promise<boolean>;
  discardBuild(input: BuildInput): Promise<void>;
}
