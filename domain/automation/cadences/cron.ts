import { Cron } from 'croner';
import { AppError } from '../../../data/errors.ts';

/** Reading a pattern takes longer than asking it; the one that was read first makes room. */
const maxCachedPatterns = 1_000;
const patterns = new Map<string, Cron>();

/** Why an expression cannot be read, or undefined. */
export function cronFault(expression: string): string | undefined {
  try {
    patternOf(expression);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * The next time of the clock that an expression names. It is matched against the clock as if it were UTC's,
 * so that gaps and overlaps are left to `instantOf`: croner's own rules skip what falls into a gap, and fire
 * twice in an overlap, for every expression with a wildcard or a step in its time.
 */
export function nextCronTime(expression: string, afterClockMs: number): number | undefined {
  try {
    return patternOf(expression).nextRun(new Date(afterClockMs))?.getTime();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError(
      'invalid_cadence',
      `The stored cronExpression ${JSON.stringify(expression.slice(0, 100))} cannot be read (${why}). Replace the cadence by a one_time, daily, weekly or monthly one.`,
      { cause },
    );
  }
}

function patternOf(expression: string): Cron {
  const known = patterns.get(expression);
  if (known) return known;
  // A date is no expression, though the library takes one: it would be read in a zone of its own.
  if (!/^(@[a-z]+|\S+(\s+\S+){4,6})$/i.test(expression.trim()))
    throw new TypeError('it needs five fields, six with seconds first, or seven with a year last');
  // Steps from a number (5/20) are what many other readers of cron take, so stored expressions have them.
  const pattern = new Cron(expression, { utcOffset: 0, sloppyRanges: true, paused: true });
  if (patterns.size >= maxCachedPatterns) patterns.delete(patterns.keys().next().value!);
  patterns.set(expression, pattern);
  return pattern;
}
