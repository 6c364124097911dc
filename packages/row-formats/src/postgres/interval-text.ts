import type { DuckDBIntervalValue } from '@duckdb/node-api';

/** PostgreSQL's own form: `1 year 2 mons -3 days +04:05:06`. */
export function intervalText({ months, days, micros }: DuckDBIntervalValue): string {
  const parts: string[] = [];
  let follows = '';
  const add = (count: number, unit: string) => {
    if (count === 0) return;
    parts.push(`${count > 0 ? follows : ''}${count} ${unit}${count === 1 ? '' : 's'}`);
    // After a negative part, a positive one says so.
    follows = count < 0 ? '+' : '';
  };
  add(Math.trunc(months / 12), 'year');
  add(months % 12, 'mon');
  add(days, 'day');
  if (micros === 0n && parts.length > 0) return parts.join(' ');
  const size = micros < 0n ? -micros : micros;
  const two = (value: bigint) => String(value).padStart(2, '0');
  const clock = `${two(size / 3_600_000_000n)}:${two((size / 60_000_000n) % 60n)}:${two((size / 1_000_000n) % 60n)}`;
  const fraction = size % 1_000_000n;
  const rest =
    fraction === 0n
      ? ''
      : `.${String(fraction)
          .padStart(6, '0')
          .replace(/0{1,6}$/, '')}`;
  parts.push(`${micros < 0n ? '-' : follows}${clock}${rest}`);
  return parts.join(' ');
}
