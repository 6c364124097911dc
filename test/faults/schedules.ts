/**
 * When a schedule became active or paused: between the two instants, both of the driver's clock, it may be
 * either.
 */
export interface ScheduleChange {
  to: 'active' | 'paused';
  askedMs: number;
  /** Infinity if its client was never told. */
  knownMs: number;
}

/** A schedule of the load, and what its client was told of it. */
export interface KnownSchedule {
  name: string;
  id: string;
  /** Interval of its cadence; undefined if that never fires during the load. */
  everyMs: number | undefined;
  /** Every folder that it was ever given; empty if it delivers nothing. */
  folders: string[];
  recipient: string | undefined;
  /** Oldest first. */
  changes: ScheduleChange[];
}

/** A trigger, and the fire with which it was answered. */
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

/** The state that the cadence must have at an instant; undefined if that is uncertain. */
export function stateAt(changes: readonly ScheduleChange[], atMs: number): ScheduleChange['to'] | undefined {
  let state: ScheduleChange['to'] | undefined;
  for (const { to, askedMs, knownMs } of changes) {
    if (knownMs < atMs) state = to;
    // The change may already have taken effect.
    else if (askedMs <= atMs && to !== state) state = undefined;
  }
  return state;
}
