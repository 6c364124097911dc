import { useSyncExternalStore } from 'react';

const onDay = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const exactly = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' });
const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const tickMs = 15_000;
const day = 86_400;
/** The first whose seconds are more than those between now and the moment, with the unit that it is said in. */
const units = [
  [60, 1, 'second'],
  [3_600, 60, 'minute'],
  [day, 3_600, 'hour'],
  [30 * day, day, 'day'],
] as const;

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all times of a page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const tell of listeners) tell();
  }, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** How long ago a moment was, or when it will be; after a month, its day. */
function inWords(moment: Date, since: number): string {
  const seconds = (moment.getTime() - since) / 1_000;
  const [, each, unit] = units.find(([below]) => Math.abs(seconds) < below) ?? [];
  if (each === undefined) return onDay.format(moment);
  // Clocks differ, and a moment that has just passed is no news.
  return Math.abs(seconds) < 10 ? 'just now' : ago.format(Math.trunc(seconds / each), unit);
}

/** A moment as people say it; pointing at it shows it exactly, in the reader's time zone. */
export function Time({ at }: { at: string | null }) {
  const since = useSyncExternalStore(subscribe, () => now);
  if (at === null) return null;
  const moment = new Date(at);
  return (
    <time dateTime={at} title={exactly.format(moment)}>
      {inWords(moment, Math.max(since, Date.now() - tickMs))}
    </time>
  );
}
