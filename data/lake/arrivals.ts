/** Requests that wait to be committed together. */
export interface Arrivals {
  waiting: readonly unknown[];
  /** Called with each arrival while a group gathers. */
  onArrival?: (() => void) | undefined;
}

/** A group is gathered when nothing has arrived for as long, or after so long in all. */
const quietMs = 8;
const mostGatherMs = 16;

/**
 * Waits until as many requests have gathered: clients that were just answered take a moment to send again,
 * and a commit costs more than that moment. A lone client never waits.
 */
export function gatherArrivals(queue: Arrivals, expected: number): Promise<void> {
  if (queue.waiting.length >= expected) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(quiet);
      clearTimeout(atMost);
      queue.onArrival = undefined;
      resolve();
    };
    const quiet = setTimeout(end, quietMs);
    const atMost = setTimeout(end, mostGatherMs);
    queue.onArrival = () => {
      if (queue.waiting.length >= expected) end();
      else quiet.refresh();
    };
  });
}
