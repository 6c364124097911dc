import { identifier } from '../../../data/lake/sql.ts';

/**
 * Whether the values of an INTEGER column differ, by one bit for each value there may be: a seventh of the
 * time of grouping ten million of them. It does not say which ones repeat.
 */

/** Grouping fewer rows takes less time than two statements. */
export const manyRows = 1_000_000;

/** The survey of a column, a SELECT of one row: its bounds, and whether the first values repeat. */
export function surveyKey(column: string): string {
  const name = identifier(column);
  const sample = `SELECT ${name} AS k FROM this WHERE ${name} IS NOT NULL LIMIT 100000`;
  return `SELECT CAST(min(${name}) AS VARCHAR) AS least, CAST(max(${name}) AS VARCHAR) AS most,
    (SELECT count(*) > count(DISTINCT k) FROM (${sample})) AS repeats FROM this`;
}

/** In bits: 32 MiB for each thread. */
const mostValues = 1n << 28n;
const [leastBigint, mostBigint] = [-(1n << 63n), (1n << 63n) - 1n];

/**
 * A SELECT of one row: `differ`, whether the column's values do. Undefined where the survey found that some
 * repeat, or so wide a range that the bits would take much memory.
 */
export function compareKey(column: string, survey: Record<string, unknown> | undefined): string | undefined {
  const { least, most, repeats } = survey ?? {};
  if (typeof least !== 'string' || typeof most !== 'string' || repeats !== false) return undefined;
  const [from, to] = [BigInt(least), BigInt(most)];
  if (to - from >= mostValues || from < leastBigint || to > mostBigint) return undefined;
  const name = identifier(column);
  // As text, since the least BIGINT has no literal.
  const offset = `CAST(${name} AS BIGINT) - CAST('${from}' AS BIGINT)`;
  return `SELECT count(${name}) = bit_count(bitstring_agg(${offset}, 0, ${to - from})) AS differ FROM this`;
}
