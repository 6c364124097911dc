import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { Occurrence } from '../../../packages/cadences/index.ts';
import { insertScheduleRuns, rowOf } from './schedule-runs.ts';
import { nextOf, type Schedule } from './schedules.ts';

/** How many missed fires are recorded at a time, and how far back: a cadence may fire every minute. */
const recordedAtOnce = 500;
const recordedBackMs = 31 * 86_400_000;

/** The occurrences since the position in the cadence, oldest first. */
export function dueOf(
  row: Schedule,
  nowMs: number,
  atOnce = recordedAtOnce,
): { due: Occurrence[]; isMore: boolean } {
  const due: Occurrence[] = [];
  let afterMs = row.considered_until.getTime();
  for (;;) {
    const next = nextOf(row, afterMs);
    if (next === undefined || next.atMs > nowMs) return { due, isMore: false };
    if (due.length === atOnce) return { due, isMore: true };
    due.push(next);
    // Of occurrences older than the recorded range, only the first is returned.
    afterMs = Math.max(next.atMs, nowMs - recordedBackMs);
  }
}

export function missedRow(
  row: Schedule,
  occurrence: Occurrence,
  nowMs: number,
  why = "The service wasn't running at that time",
) {
  const isFirstOfMany = nowMs - occurrence.atMs > recordedBackMs;
  const reason = `${why}${isFirstOfMany ? ', and it also missed the fires after it until 31 days ago' : ''}.`;
  return rowOf(row, fireOf(row, occurrence), { status: 'missed', reason, fired_at: null });
}

export const fireOf = (row: Schedule, { atMs, localTime }: Occurrence) => ({
  origin: 'cadence' as const,
  atMs,
  localTime,
  zoneId: row.cadence.zoneId,
});

/**
 * Occurrences of an active schedule that are due but not processed, as missed: its owner is pausing it or
 * changing its cadence, so they will not fire. If there are more than `atOnce`, the last one recorded stands
 * for the rest.
 */
export function missedRows(
  row: Schedule,
  nowMs: number,
  change: 'paused' | 'changed',
  atOnce?: number,
): ReturnType<typeof missedRow>[] {
  if (row.status !== 'active') return [];
  const { due, isMore } = dueOf(row, nowMs, atOnce);
  const why = `The service hadn't started this run yet when the schedule was ${change}`;
  return due.map((occurrence, index) => {
    const isLastOfMany = isMore && index === due.length - 1;
    return missedRow(row, occurrence, nowMs, isLastOfMany ? `${why}, nor any run after it` : why);
  });
}

/** Records them as missed. */
export async function recordMissed(
  db: OrganizationTransaction,
  row: Schedule,
  nowMs: number,
  change: 'paused' | 'changed',
): Promise<void> {
  await insertScheduleRuns(db, missedRows(row, nowMs, change));
}
