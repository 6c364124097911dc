import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../../data/errors.ts';

const gibibyte = 1_024 ** 3;

interface OutputLimit {
  /** Bytes written so far. */
  written: () => Promise<number>;
  maxBytes: number;
  signal: AbortSignal;
  /** What to do about it. */
  advice: string;
  /** How often it is looked, in milliseconds. */
  everyMs?: number;
}

/**
 * Runs a task that writes to the object store, which others need too, and aborts it once it has written more
 * than is allowed. By how much it may be exceeded depends on what is written between two looks.
 *
 * @throws AppError `query_too_large`
 */
export async function withOutputLimit<T>(
  { written, maxBytes, signal, advice, everyMs = 5_000 }: OutputLimit,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const tooMuch = new AbortController();
  const over = new AbortController();
  const check = async () => {
    if ((await written()) > maxBytes) tooMuch.abort();
  };
  const watch = async () => {
    while (!over.signal.aborted) {
      await delay(everyMs, undefined, { signal: over.signal }).catch(() => undefined);
      // A store that does not answer now is asked again.
      if (!over.signal.aborted) await check().catch(() => undefined);
    }
  };
  const watched = watch();
  try {
    const result = await run(AbortSignal.any([signal, tooMuch.signal]));
    await check();
    if (!tooMuch.signal.aborted) return result;
  } catch (error) {
    if (!tooMuch.signal.aborted) throw error;
  } finally {
    over.abort();
    await watched;
  }
  throw new AppError(
    'query_too_large',
    `The result is larger than ${(maxBytes / gibibyte).toLocaleString('en-US')} GiB, which is the limit. ${advice}`,
  );
}
