import { AppError } from '../../../data/errors.ts';
import * as library from '../../../packages/cadences/index.ts';

/**
 * The first fire strictly after an instant, counted from `createdAtMs`; undefined if it fires no more.
 *
 * @throws AppError invalid_cadence for a stored cadence that can no longer be read
 */
export const nextOccurrence = readable(library.nextOccurrence);

/** The next fires, likewise. */
export const occurrences = readable(library.occurrences);

/** The local time of a zone at an instant, likewise; in the milliseconds that Date.UTC returns for it. */
export const clockAt = readable(library.clockAt);

function readable<Given extends unknown[], Result>(
  read: (...given: Given) => Result,
): (...given: Given) => Result {
  return (...given) => {
    try {
      return read(...given);
    } catch (error) {
      if (!(error instanceof library.UnreadableCadence)) throw error;
      throw new AppError('invalid_cadence', error.message, { cause: error });
    }
  };
}

/**
 * New cadences recur every period. A different interval is accepted only if a cadence of the same type
 * already has it stored, so that what was read can be written back with a different time.
 */
export function refuseNewInterval(
  written: library.DatasetCadence,
  stored: library.Cadence | undefined,
): void {
  if (written.type === 'one_time' || written.type === 'interval' || (written.interval ?? 1) === 1) return;
  if (stored?.type === written.type && stored.interval === written.interval) return;
  throw new AppError(
    'invalid_cadence',
    `The interval of a new cadence must be 1, not ${written.interval}. Omit interval, or set it to 1. Another interval is only kept if this ${written.type} cadence already has it.`,
  );
}
