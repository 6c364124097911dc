import type { Cadence } from '../src/cadence.ts';
import { nextOccurrence } from '../src/next.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The local time of the zone according to Intl, to the second, as Date.UTC's milliseconds. */
export function intlClock(zoneId: string): (atMs: number) => number {
  // Swedish dates are in ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zoneId,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (atMs) => {
    const text = format.format(atMs);
    const number = (from: number, to: number) => Number(text.slice(from, to));
    return Date.UTC(
      number(0, 4),
      number(5, 7) - 1,
      number(8, 10),
      number(11, 13),
      number(14, 16),
      number(17, 19),
    );
  };
}

export interface IntlTransition {
  atMs: number;
  changeMs: number;
}

/** Every change of the offset, found by sampling at this interval and bisecting. */
export function intlTransitions(
  zoneId: string,
  [fromMs, toMs]: readonly [number, number],
  stepHours: number,
): IntlTransition[] {
  const clock = intlClock(zoneId);
  const offsetAt = (atMs: number) => clock(atMs) - atMs;
  const found: IntlTransition[] = [];
  let offsetMs = offsetAt(fromMs);
  for (let atMs = fromMs; atMs < toMs; atMs += stepHours * hourMs) {
    const laterMs = atMs + stepHours * hourMs;
    const laterOffsetMs = offsetAt(laterMs);
    if (laterOffsetMs === offsetMs) continue;
    let before = atMs / 1_000;
    let after = laterMs / 1_000;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offsetAt(middle * 1_000) === offsetMs) before = middle;
      else after = middle;
    }
    found.push({ atMs: after * 1_000, changeMs: laterOffsetMs - offsetMs });
    offsetMs = laterOffsetMs;
  }
  return found;
}

const textOf = (clockMs: number) => new Date(clockMs).toISOString().slice(0, 19);

/** What fires for a local time, found by looking at the clock each minute. */
interface Shown {
  atMs: number;
  note: null | 'gap' | 'overlap';
}

/** For each local time, the first minute at which it was shown or skipped. */
function watch(clock: (atMs: number) => number, fromMs: number, toMs: number): Map<number, Shown> {
  const shown = new Map<number, Shown>();
  let latestMs = clock(fromMs) - minuteMs;
  for (let atMs = fromMs; atMs <= toMs; atMs += minuteMs) {
    const clockMs = clock(atMs);
    const before = shown.get(clockMs);
    if (before) before.note = 'overlap';
    for (; latestMs < clockMs; latestMs += minuteMs) {
      const passedMs = latestMs + minuteMs;
      shown.set(passedMs, { atMs, note: passedMs === clockMs ? null : 'gap' });
    }
  }
  return shown;
}

type Fire = [clockMs: number, shown: Shown];

/** The first fire after an instant; earlier ones are dropped, because instants only increase. */
function nextOf(fires: Fire[], afterMs: number): Fire | undefined {
  while (fires[0] && fires[0][1].atMs <= afterMs) fires.shift();
  return fires[0];
}

export interface Walk {
  transitions: number;
  /** Number of next occurrences that were compared with the clock. */
  asked: number;
  /** Differing answers of the module under test. */
  wrong: string[];
}

/** Compares next occurrences with a watched clock, minute by minute around each transition. */
export function walkTransitions(zoneId: string, transitions: readonly IntlTransition[]): Walk {
  const walk: Walk = { transitions: transitions.length, asked: 0, wrong: [] };
  const clock = intlClock(zoneId);
  for (const { atMs, changeMs } of transitions) {
    const reachMs = Math.abs(changeMs) + 5 * minuteMs;
    const shown = watch(clock, atMs - reachMs, atMs + reachMs);
    const expect = (cadence: Cadence, afterMs: number, [clockMs, want]: Fire) => {
      walk.asked += 1;
      const got = nextOccurrence(cadence, afterMs, 0);
      const localTime = textOf(clockMs);
      if (got?.atMs === want.atMs && got.localTime === localTime && got.note === want.note) return;
      const wanted = JSON.stringify({ ...want, localTime });
      walk.wrong.push(
        `${JSON.stringify(cadence)} after ${textOf(afterMs)}Z: ${JSON.stringify(got)}, not ${wanted}`,
      );
    };
    for (const fire of shown) {
      const [runDate, timeOfDay] = textOf(fire[0]).split('T') as [string, string];
      expect({ type: 'one_time', zoneId, runDate, timeOfDay }, atMs - reachMs - 1, fire);
    }
    // Of the times that share an instant, the one that the clock showed then.
    const eachMinute = [...shown].filter(([clockMs, fire]) => clock(fire.atMs) === clockMs);
    const middleMs = [...shown.keys()][Math.floor(shown.size / 2)]!;
    const eachDay = [...shown].filter(([clockMs]) => (clockMs - middleMs) % 86_400_000 === 0);
    const daily: Cadence = { type: 'daily', zoneId, timeOfDay: textOf(middleMs).slice(11) };
    for (let afterMs = atMs - reachMs; afterMs < atMs + reachMs; afterMs += minuteMs) {
      const minute = nextOf(eachMinute, afterMs);
      if (minute) expect({ type: 'interval', zoneId, everyMinutes: 1 }, afterMs, minute);
      const day = nextOf(eachDay, afterMs);
      if (day) expect(daily, afterMs, day);
    }
  }
  return walk;
}

export function walkZone(zoneId: string, fromYear: number, toYear: number): Walk {
  const range = [Date.UTC(fromYear, 0, 1), Date.UTC(toYear, 0, 1)] as const;
  return walkTransitions(zoneId, intlTransitions(zoneId, range, 6));
}
