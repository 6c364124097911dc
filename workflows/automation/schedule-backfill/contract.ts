/** The one argument: what is to be fired was planned with the row. */
export interface BackfillInput {
  organizationId: string;
  backfillId: string;
}

/** `next` is the first place of the plan that nobody has begun. */
export type BackfillBegun =
  | { kind: 'begun'; next: number; total: number; maxConcurrency: number }
  | { kind: 'ended'; status: BackfillStatus };

export interface ClaimedFire {
  scheduleRunId: string;
  projectId: string;
  /** Where the API shows it. */
  address?: string | undefined;
}

/** `there`: it has fired meanwhile. `cancelled`: nothing more is fired. */
export type Claim = ({ kind: 'fire' } & ClaimedFire) | { kind: 'there' } | { kind: 'cancelled' };

export type BackfillStatus = 'succeeded' | 'failed' | 'cancelled';

/** Activities on the control queue: short, database only. */
export interface BackfillControlActivities {
  /** queued → running, or where it goes on. */
  beginBackfill(input: BackfillInput): Promise<BackfillBegun>;
  /** The fire at a place of the plan, ready to be run. */
  claimBackfillFire(input: BackfillInput, place: number): Promise<Claim>;
  /** What an operator's cancel asks for. */
  cancelBackfill(input: BackfillInput): Promise<void>;
  /** Ends the backfill once all of its fires have; `running` where some have not. */
  endBackfill(input: BackfillInput): Promise<BackfillStatus | 'running'>;
}
