/** The only argument. The cadence and everything else is read from the schedule's row. */
export interface ScheduleInput {
  organizationId: string;
  scheduleId: string;
}

/** What a schedule waits for once everything due has been processed. */
export type ScheduleNext =
  /** `localTime`: the local time of the next fire. */
  | { kind: 'wait'; atMs: number; localTime: string; zoneId: string }
  /** More was missed than one step records. */
  | { kind: 'behind' }
  | { kind: 'paused' }
  /** Its cadence has no further occurrence. */
  | { kind: 'done' }
  | { kind: 'gone' };

/** Activities on the control queue: short, database only. */
export interface ScheduleControlActivities {
  /** Fires what is due at that time, records what was missed, and returns what comes next. */
  advanceSchedule(input: ScheduleInput, nowMs: number): Promise<ScheduleNext>;
  /** An operator's signal. */
  pauseSchedule(input: ScheduleInput, nowMs: number): Promise<void>;
  resumeSchedule(input: ScheduleInput, nowMs: number): Promise<void>;
}
