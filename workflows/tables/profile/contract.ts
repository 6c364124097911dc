/**
 * The only argument. Everything else is read from the run's row, so the history contains no customer data.
 */
export interface ProfileInput {
  organizationId: string;
  tableId: string;
  runId: string;
}

/** How a profile ended, as stored in its run. */
export interface ProfileOutcome {
  status: 'succeeded' | 'failed' | 'cancelled';
  errorCode: string | null;
}

/** Activities on the control queue: short, database only. */
export interface ProfileControlActivities {
  /** queued → running; `waiting` for its turn; `ended` also if it was cancelled before it began. */
  beginProfile(input: ProfileInput): Promise<'begun' | 'waiting' | 'ended'>;
  /** Ends the run. The reason of a failure is in its row, written by the computation. */
  endProfile(input: ProfileInput, status: 'failed' | 'cancelled'): Promise<ProfileOutcome>;
}

/** Activities on the lake queue: long, with heartbeats. */
export interface ProfileLakeActivities {
  /** Computes and keeps the profile, and ends its run. */
  computeProfile(input: ProfileInput): Promise<ProfileOutcome>;
}
