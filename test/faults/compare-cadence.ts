import type { Journal } from './journal.ts';
import { type KnownSchedule, type Outage, stateAt } from './schedules.ts';
import type { Data } from './talks.ts';

/** How late an undisturbed fire may be on a busy machine. */
const marginMs = 30_000;

/**
 * Every time of the cadence while the schedule is active has one fire, whatever its outcome; a time at which
 * it was paused has none.
 */
export function compareCadence(
  journal: Journal,
  { name, everyMs, changes }: KnownSchedule,
  rows: readonly Data[],
  outages: readonly Outage[],
): void {
  const byTime = new Map<string, Data>();
  for (const row of rows) {
    // Two in the same second differ only by their ids: only fires of the cadence have a unique time.
    if (!isOfCadence(row, everyMs)) continue;
    const before = byTime.get(row.localTime);
    if (before !== undefined)
      journal.breach('fireDoubled', `${name} at ${row.localTime}: ${before.id} and ${row.id}`);
    byTime.set(row.localTime, row);
  }
  if (everyMs === undefined) return;
  const firstMs = changes[0]!.askedMs;
  const lastMs = changes.at(-1)!.knownMs;
  for (let atMs = Math.ceil(firstMs / everyMs) * everyMs; atMs <= lastMs; atMs += everyMs) {
    const localTime = new Date(atMs).toISOString().slice(0, 19);
    const row = byTime.get(localTime);
    byTime.delete(localTime);
    const state = stateAt(changes, atMs);
    journal.count('times of cadences', row === undefined ? `none while ${state ?? 'either'}` : row.status);
    const label = `${name} at ${localTime}`;
    if (state === 'active' && row === undefined) journal.breach('fireLost', label);
    if (state === 'paused' && row !== undefined)
      journal.breach('fireDoubled', `${label}: ${row.id} (${row.status}) while it was paused`);
    if (row?.status === 'missed' && !isExplained(outages, changes, atMs, everyMs))
      journal.breach('fireMissed', `${label}: ${row.id} (${row.reason})`);
    if (row?.status === 'skipped') compareSkipped(journal, label, row, rows);
  }
  for (const [localTime, { id }] of byTime)
    journal.breach('fireDoubled', `${name} at ${localTime}: ${id}, which its cadence does not say`);
}

/** A triggered fire is scheduled for the instant of its trigger. */
function isOfCadence({ scheduledFor, firedAt }: Data, everyMs: number | undefined): boolean {
  return everyMs !== undefined && (scheduledFor !== firedAt || Date.parse(scheduledFor) % everyMs === 0);
}

/** It was late by a whole period, which a fault or a pause can explain. */
function isExplained(
  outages: readonly Outage[],
  changes: KnownSchedule['changes'],
  atMs: number,
  everyMs: number,
): boolean {
  const isNear = (fromMs: number, toMs: number) => fromMs <= atMs + everyMs + marginMs && toMs >= atMs;
  return (
    outages.some(({ fromMs, toMs }) => isNear(fromMs, toMs + marginMs)) ||
    changes.some(({ to, askedMs, knownMs }) => to === 'paused' && isNear(askedMs, knownMs))
  );
}

/** It names the fire that was in progress, which must be one that fired. */
function compareSkipped(journal: Journal, label: string, row: Data, rows: readonly Data[]): void {
  const named = /^The run of (\S+) was still running\.$/.exec(row.reason ?? '')?.[1];
  const isThere = rows.some(
    ({ localTime, firedAt, id }) => id !== row.id && localTime === named && firedAt !== null,
  );
  if (!isThere) journal.breach('fireMissed', `${label}: ${row.id} skipped (${row.reason})`);
}
