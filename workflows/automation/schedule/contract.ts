/** The one argument: the cadence and everything else is read from the schedule's row. */
export interface ScheduleInput {
  organizationId: string;
  scheduleId: string;
}

/** What a schedule waits for, once everything that was due has been seen to. */
export type ScheduleNext =
  /** `localTime` is what its cadence says of the next fire. */
  | { kind: 'wait'; atMs: number; localTime: string; zoneId: string }
  /** There is more that was missed than one step records. */
  | { kind: 'behind' }
  | { kind: 'paused' }
  /** Its cadence says nothing more. */
  | { kind: 'done' }
  | { kind: 'gone' };

/** Activities on the control queue: short, database only. */
export interface ScheduleControlActivities {
  /** Fires what is due at that time, records what was missed, and tells what comes next. */
  advanceSchedule(input: ScheduleInput, nowMs: number): Promise<ScheduleNext>;
  /** What an operator's signal asks for. */
  pauseSchedule(input: ScheduleInput, nowMs: number): Promise<void>;
  resumeSchedule(input: ScheduleInput, nowMs: number): Promise<void>;
}
