/**
 * The only argument. Everything else is read from rows, so the history contains no customer data.
 */
export interface VerificationInput {
  organizationId: string;
  runId: string;
  /** Id of the workflow to notify at the end. */
  waitedBy?: string;
}

/** How a run ended, as stored; what its tests say is in its results. */
export interface VerificationOutcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  outcome: 'passed' | 'warned' | 'failed' | null;
  /** Number of tables. */
  tested: number;
  errorCode: string | null;
}

/** Activities on the control queue: short, database only. */
export interface VerificationControlActivities {
  /** queued → running; `waiting` for its turn; `ended` also if it was cancelled before it began. */
  beginVerification(input: VerificationInput): Promise<'begun' | 'waiting' | 'ended'>;
  endVerification(input: VerificationInput, isCancelled: boolean): Promise<VerificationOutcome>;
}

/** Activities on the lake queue: long, with heartbeats. */
export interface VerificationLakeActivities {
  /** Tests the next table and keeps its results; how many tables are left. */
  verifyNextTable(input: VerificationInput): Promise<number>;
}
