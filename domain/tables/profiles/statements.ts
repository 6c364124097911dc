import { identifier } from '../../../data/lake/sql.ts';
import type { Bins } from './axis.ts';
import { topValues } from './column-profile.ts';
import type { ColumnRules } from './column-rules.ts';

/** The rows of a table at one version, or a sample of them. */
export interface Rows {
  table: string;
  snapshotId: number;
  /** The share of the rows that is read, in percent; undefined for all of them. */
  samplePercent: number | undefined;
}

/**
 * Values of a column of which the exact number is counted: the best of an approximate count. A column with
 * fewer different values has all of them here.
 */
export const candidates = 50;

/** A smaller sample would be rounded to nothing. */
const leastPercent = 0.000_001;

function from({ table, snapshotId, samplePercent }: Rows): string {
  const rows = `${identifier(table)} AS t AT (VERSION => ${snapshotId})`;
  if (samplePercent === undefined) return rows;
  return `${rows} USING SAMPLE ${Math.max(samplePercent, leastPercent).toFixed(6)} PERCENT (system)`;
}

/**
 * One row: the number of rows, and of column n `count_n`, `distinct_n`, `cut_n`, `min_n`, `max_n`, `mean_n`,
 * and the texts of its least and greatest position, `least_n` and `greatest_n`. What it holds in memory does
 * not grow with the rows.
 */
export function figuresStatement(rows: Rows, columns: readonly ColumnRules[]): string {
  const given = columns.flatMap(({ shown, ordered, distinct, isCut, mean, axis }, n) => [
    `${shown} AS shown_${n}`,
    `${ordered ?? 'NULL'} AS ordered_${n}`,
    `${distinct} AS distinct_${n}`,
    `${isCut} AS is_cut_${n}`,
    `${mean ?? 'CAST(NULL AS DOUBLE)'} AS mean_${n}`,
    `${axis?.position ?? 'NULL'} AS position_${n}`,
  ]);
  const figures = columns.flatMap((_, n) => [
    `count(shown_${n}) AS count_${n}`,
    `approx_count_distinct(distinct_${n}) AS distinct_${n}`,
    `coalesce(bool_or(is_cut_${n}), false) AS cut_${n}`,
    `min(ordered_${n}) AS min_${n}`,
    `max(ordered_${n}) AS max_${n}`,
    // A sum of large doubles may be infinite where their mean is not.
    `CASE WHEN isfinite(avg(mean_${n})) THEN avg(mean_${n}) ELSE avg(mean_${n} / 1e9) * 1e9 END AS mean_${n}`,
    `CAST(min(position_${n}) AS VARCHAR) AS least_${n}`,
    `CAST(max(position_${n}) AS VARCHAR) AS greatest_${n}`,
  ]);
  return `SELECT count(*) AS row_count, ${figures.join(', ')} FROM (SELECT ${given.join(', ')} FROM ${from(rows)})`;
}

/** One row: after a constant, `bins_n` with the number of values in each bin of column n that has some. */
export function binsStatement(
  rows: Rows,
  columns: readonly { n: number; position: string; bins: Bins }[],
): string {
  const given = columns.map(({ n, position }) => `${position} AS position_${n}`);
  const counts = columns.map(({ n, bins: { starts } }) => {
    const whens = starts.map((start, bin) => `WHEN position_${n} < ${start} THEN ${bin}`);
    const bin = whens.length === 0 ? '0' : `CASE ${whens.join(' ')} ELSE ${starts.length} END`;
    return `histogram(${bin}) FILTER (WHERE position_${n} IS NOT NULL) AS bins_${n}`;
  });
  return `SELECT 0 AS constant, ${counts.join(', ')} FROM (SELECT ${given.join(', ')} FROM ${from(rows)})`;
}

/** A row for each of the most frequent values: how often, the value, and how many candidates there were. */
export function topStatement(rows: Rows, { shown }: ColumnRules): string {
  return `WITH given AS (SELECT ${shown} AS value FROM ${from(rows)}),
    candidates AS MATERIALIZED (SELECT unnest(approx_top_k(value, ${candidates})) AS value FROM given)
    SELECT count(*) AS count, value, (SELECT count(*) FROM candidates) AS candidates
    FROM given WHERE value IN (SELECT value FROM candidates)
    GROUP BY value ORDER BY count DESC, value LIMIT ${topValues}`;
}
