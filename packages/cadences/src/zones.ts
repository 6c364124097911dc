import { Temporal } from 'temporal-polyfill';
import { UnreadableCadence } from './unreadable.ts';

/**
 * Local times of zones. A local time is stored as the milliseconds that Date.UTC returns for it, so that
 * local times can be compared and counted like instants.
 */

interface Transition {
  atMs: number;
  beforeMs: number;
  afterMs: number;
}

/** The offsets of one zone in one UTC year. */
interface ZoneYear {
  /** The offset just before the year begins. */
  beforeMs: number;
  transitions: readonly Transition[];
}

/** Upper bound of the distance of any zone from UTC since 1970. */
const furthestOffsetMs = 16 * 3_600_000;

/**
 * A query for a zone costs the polyfill tens of microseconds because it formats and parses dates, so a year's
 * offsets are read once. Some 600 zones exist, and a schedule uses one or two years.
 */
const maxCachedYears = 5_000;
const years = new Map<string, ZoneYear>();

function zoneYear(zoneId: string, year: number): ZoneYear {
  const key = `${zoneId} ${year}`;
  const known = years.get(key);
  if (known) return known;
  const read = readYear(zoneId, year);
  if (years.size >= maxCachedYears) years.delete(years.keys().next().value!);
  years.set(key, read);
  return read;
}

/** One year at a time because the polyfill looks only three years ahead for the next transition. */
function readYear(zoneId: string, year: number): ZoneYear {
  const endMs = Date.UTC(year + 1, 0, 1);
  let at = zoned(zoneId, Date.UTC(year, 0, 1) - 1_000);
  const beforeMs = offsetMsOf(at);
  const transitions: Transition[] = [];
  for (;;) {
    const next = at.getTimeZoneTransition('next');
    if (!next || next.epochMilliseconds >= endMs) return { beforeMs, transitions };
    transitions.push({
      atMs: next.epochMilliseconds,
      beforeMs: offsetMsOf(at),
      afterMs: offsetMsOf(next),
    });
    at = next;
  }
}

const offsetMsOf = (at: Temporal.ZonedDateTime) => at.offsetNanoseconds / 1_000_000;

function zoned(zoneId: string, atMs: number): Temporal.ZonedDateTime {
  if (!isZone(zoneId))
    throw new UnreadableCadence(
      `The zoneId ${JSON.stringify(zoneId.slice(0, 64))} isn't in the time zone database of this service (${process.versions['tz']}). Replace the cadence with one whose zone is in it.`,
    );
  return Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zoneId);
}

/**
 * Whether the runtime's time zone database has it. Offsets such as +02:00 are not zones: they have no
 * daylight saving time.
 */
export function isZone(zoneId: string): boolean {
  if (zoneId.length > 64 || !/^[A-Za-z]/.test(zoneId)) return false;
  try {
    // Not by Intl alone: it also takes names of its own, such as PST, by which no local time can be read.
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zoneId);
    return true;
  } catch {
    return false;
  }
}

const yearOf = (ms: number) => new Date(ms).getUTCFullYear();

/** The transitions between two instants, both included, in order. */
function transitionsBetween(zoneId: string, fromMs: number, toMs: number): Transition[] {
  const found: Transition[] = [];
  for (let year = yearOf(fromMs); year <= yearOf(toMs); year += 1)
    for (const transition of zoneYear(zoneId, year).transitions)
      if (transition.atMs >= fromMs && transition.atMs <= toMs) found.push(transition);
  return found;
}

function offsetAt(zoneId: string, atMs: number): number {
  const { beforeMs, transitions } = zoneYear(zoneId, yearOf(atMs));
  let offsetMs = beforeMs;
  for (const transition of transitions) if (transition.atMs <= atMs) offsetMs = transition.afterMs;
  return offsetMs;
}

/**
 * The local time at an instant, as the milliseconds that Date.UTC returns for it.
 *
 * @throws UnreadableCadence if there is no such zone
 */
export function clockAt(zoneId: string, atMs: number): number {
  return atMs + offsetAt(zoneId, atMs);
}

/**
 * The latest local time shown up to an instant: in the second pass of an overlap, the end of the first pass.
 */
export function latestClockUntil(zoneId: string, atMs: number): number {
  let latest = clockAt(zoneId, atMs);
  for (const { atMs: turnMs, beforeMs } of transitionsBetween(zoneId, atMs - 2 * furthestOffsetMs, atMs))
    latest = Math.max(latest, turnMs - 1 + beforeMs);
  return latest;
}

export interface ClockInstant {
  atMs: number;
  note: null | 'gap' | 'overlap';
}

/**
 * The first instant whose local time is the given one or, if that does not exist, a later one. This single
 * rule covers gaps (of an hour or a day) and overlaps as the contract requires, and preserves the order of
 * local times.
 */
export function instantOf(zoneId: string, clockMs: number): ClockInstant {
  const turns = transitionsBetween(zoneId, clockMs - furthestOffsetMs, clockMs + furthestOffsetMs);
  if (turns.length === 0) return { atMs: clockMs - offsetAt(zoneId, clockMs), note: null };
  const offsets = [turns[0]!.beforeMs, ...turns.map(({ afterMs }) => afterMs)];
  const startOf = (index: number) => turns[index - 1]?.atMs ?? Number.NEGATIVE_INFINITY;
  const endOf = (index: number) => turns[index]?.atMs ?? Number.POSITIVE_INFINITY;
  const first = offsets.findIndex((offsetMs, index) => endOf(index) + offsetMs > clockMs);
  const shownMs = clockMs - offsets[first]!;
  if (shownMs < startOf(first)) return { atMs: startOf(first), note: 'gap' };
  const again = offsets.some((offsetMs, index) => {
    const laterMs = clockMs - offsetMs;
    return index > first && laterMs >= startOf(index) && laterMs < endOf(index);
  });
  return { atMs: shownMs, note: again ? 'overlap' : null };
}
