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

/** In bits, 32 MiB for each thread; and for each row, beyond which grouping takes less time. */
const mostValues = 1n << 28n;
const mostPerRow = 16;

/**
 * A SELECT of one row: `differ`, whether the column's values do. Undefined where the survey found that some
 * repeat, or too wide a range.
 */
export function compareKey(
  column: string,
  survey: Readonly<Record<string, unknown>> | undefined,
  rows = 0,
): string | undefined {
  const { least, most, repeats } = survey ?? {};
  if (typeof least !== 'string' || typeof most !== 'string' || repeats !== false) return undefined;
  const range = BigInt(most) - BigInt(least);
  if (range >= mostValues || range >= BigInt(rows * mostPerRow)) return undefined;
  const name = identifier(column);
  // As text, since the least BIGINT has no literal.
  const offset = `CAST(${name} AS BIGINT) - CAST('${least}' AS BIGINT)`;
  return `SELECT count(${name}) = bit_count(bitstring_agg(${offset}, 0, ${range})) AS differ FROM this`;
}
