/** The only argument. The fires were planned with the row. */
export interface BackfillInput {
  organizationId: string;
  backfillId: string;
}

/** `next` is the first position of the plan that has not begun. */
export type BackfillBegun =
  | { kind: 'begun'; next: number; total: number; maxConcurrency: number }
  | { kind: 'ended'; status: BackfillStatus };

export interface ClaimedFire {
  scheduleRunId: string;
  projectId: string;
  /** Its address in the API. */
  address?: string | undefined;
}

/** `there`: it has fired meanwhile. `cancelled`: nothing more fires. */
export type Claim = ({ kind: 'fire' } & ClaimedFire) | { kind: 'there' } | { kind: 'cancelled' };

export type BackfillStatus = 'succeeded' | 'failed' | 'cancelled';

/** Activities on the control queue: short, database only. */
export interface BackfillControlActivities {
  /** queued → running, or the position at which to continue. */
  beginBackfill(input: BackfillInput): Promise<BackfillBegun>;
  /** The fire at a position of the plan, ready to run. */
  claimBackfillFire(input: BackfillInput, place: number): Promise<Claim>;
  /** An operator's cancellation. */
  cancelBackfill(input: BackfillInput): Promise<void>;
  /** Ends the backfill once all of its fires have ended; until then `running`. */
  endBackfill(input: BackfillInput): Promise<BackfillStatus | 'running'>;
}
