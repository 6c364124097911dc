/** The only argument. Everything else is in the rows of the fire and its schedule. */
export interface ScheduleRunInput {
  organizationId: string;
  scheduleRunId: string;
}

/**
 * The progress of a fire. `runId`: the run that it waits for; `deliveryIds`: the deliveries of the run's
 * output.
 */
export type FireProgress =
  | { kind: 'running'; runId: string }
  | { kind: 'delivering'; deliveryIds: string[] }
  | { kind: 'ended'; status: FireStatus };

export type FireStatus = 'succeeded' | 'failed' | 'cancelled';

/** Activities on the control queue: short, database only. */
export interface ScheduleRunControlActivities {
  /** Starts the run of a fire, or ends the fire with the reason for the refusal. */
  beginFire(input: ScheduleRunInput): Promise<FireProgress>;
  /** Once the run has ended: plans the deliveries of its output. */
  collectFire(input: ScheduleRunInput): Promise<FireProgress>;
  /** Ends the fire by the outcome of its run and its deliveries. */
  endFire(input: ScheduleRunInput): Promise<FireStatus>;
  /** Requests cancellation of a fire's run. */
  cancelFire(input: ScheduleRunInput): Promise<void>;
}
