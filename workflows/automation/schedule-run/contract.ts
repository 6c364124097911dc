/** The one argument: what fires stands in the rows of the fire and of its schedule. */
export interface ScheduleRunInput {
  organizationId: string;
  scheduleRunId: string;
}

/** How far a fire is. `runId` is what it waits for; deliveries bring what that made to where it is wanted. */
export type FireProgress =
  | { kind: 'running'; runId: string }
  | { kind: 'delivering'; deliveryIds: string[] }
  | { kind: 'ended'; status: FireStatus };

export type FireStatus = 'succeeded' | 'failed' | 'cancelled';

/** Activities on the control queue: short, database only. */
export interface ScheduleRunControlActivities {
  /** Starts the run of a fire, or ends the fire with the reason why it cannot be started. */
  beginFire(input: ScheduleRunInput): Promise<FireProgress>;
  /** Where the run has ended: what is to be delivered of it. */
  collectFire(input: ScheduleRunInput): Promise<FireProgress>;
  /** Ends the fire by its run and its deliveries. */
  endFire(input: ScheduleRunInput): Promise<FireStatus>;
  /** Asks the run of a fire to end. */
  cancelFire(input: ScheduleRunInput): Promise<void>;
}
