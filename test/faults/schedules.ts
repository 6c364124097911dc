/**
 * From when on a schedule is active, or paused: between the two instants, both of the driver's clock, it may
 * be either.
 */
export interface ScheduleChange {
  to: 'active' | 'paused';
  askedMs: number;
  /** Infinity where its client was never told. */
  knownMs: number;
}

/** A schedule of the load, and what its client was told of it. */
export interface KnownSchedule {
  name: string;
  id: string;
  /** Between two fires by its cadence; undefined where that says nothing while the load works. */
  everyMs: number | undefined;
  /** Every folder that it was ever told; empty where it delivers nothing. */
  folders: string[];
  recipient: string | undefined;
  /** Oldest first. */
  changes: ScheduleChange[];
}

/** A trigger, and the fire that it was answered with. */
export interface Trigger {
  name: string;
  scheduleId: string;
  fireId: string | undefined;
}

export interface Outage {
  fromMs: number;
  toMs: number;
}

export interface Schedules {
  projectId: string;
  playbookId: string;
  known: KnownSchedule[];
  triggers: Trigger[];
  /** Rounds: from the first fault until everything was up again. */
  outages: Outage[];
}

/** What the cadence is to be at an instant; undefined where nobody can tell. */
export function stateAt(changes: readonly ScheduleChange[], atMs: number): ScheduleChange['to'] | undefined {
  let state: ScheduleChange['to'] | undefined;
  for (const { to, askedMs, knownMs } of changes) {
    if (knownMs < atMs) state = to;
    // It may have been heard already.
    else if (askedMs <= atMs && to !== state) state = undefined;
  }
  return state;
}
