import { Cron } from 'croner';
import { UnreadableCadence } from './unreadable.ts';

/** Cached because parsing a pattern costs more than evaluating it; the oldest entry is evicted. */
const maxCachedPatterns = 1_000;
const patterns = new Map<string, Cron>();

/** Why an expression cannot be parsed, or undefined. */
export function cronFault(expression: string): string | undefined {
  try {
    patternOf(expression);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * The next local time that an expression matches. It is evaluated as if local time were UTC, so that gaps and
 * overlaps are left to `instantOf`: croner itself skips times in a gap, and fires twice in an overlap for
 * every expression with a wildcard or a step in its time.
 */
export function nextCronTime(expression: string, afterClockMs: number): number | undefined {
  try {
    return patternOf(expression).nextRun(new Date(afterClockMs))?.getTime();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UnreadableCadence(
      `The stored cronExpression ${JSON.stringify(expression.slice(0, 100))} cannot be read (${why}). Replace it with a one_time, daily, weekly or monthly cadence.`,
      { cause },
    );
  }
}

function patternOf(expression: string): Cron {
  const known = patterns.get(expression);
  if (known) return known;
  // The library also accepts a date, which it would read in a different zone.
  if (!/^(@[a-z]+|\S+(\s+\S+){4,6})$/i.test(expression.trim()))
    throw new TypeError('it needs five fields, six with seconds first, or seven with a year last');
  // Many other cron parsers accept steps from a number (5/20), so stored expressions contain them.
  const pattern = new Cron(expression, { utcOffset: 0, sloppyRanges: true, paused: true });
  if (patterns.size >= maxCachedPatterns) patterns.delete(patterns.keys().next().value!);
  patterns.set(expression, pattern);
  return pattern;
}
