/** Waits; rejects with the signal's reason if it is aborted meanwhile. */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const aborted = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

const firstMs = 250;
const longestMs = 10_000;

/** How long to wait before an attempt, the first of which is 1: longer each time, and no less than the service asks. */
export function backoffMs(attempt: number, retryAfter?: string | null): number {
  const ms = Math.min(firstMs * 2 ** (attempt - 1), longestMs);
  const own = ms / 2 + (Math.random() * ms) / 2;
  const asked = secondsOf(retryAfter);
  return asked === undefined ? own : Math.max(own, Math.min(asked * 1_000, 6 * longestMs));
}

/** `Retry-After` is a number of seconds or a date. */
function secondsOf(retryAfter: string | null | undefined): number | undefined {
  if (retryAfter === null || retryAfter === undefined || retryAfter === '') return undefined;
  const seconds = Number(retryAfter);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const atMs = Date.parse(retryAfter);
  return Number.isNaN(atMs) ? undefined : Math.max(0, (atMs - Date.now()) / 1_000);
}
