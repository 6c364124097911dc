import { literal } from '../../../data/lake/sql.ts';
import { transportOf } from './encode.ts';

/** Reads the rows' JSON text with each column's exact transport type; `text` is an SQL expression for it. */
export function rowsSource(columns: readonly { dataType: string }[], text: string): string {
  const shape = Object.fromEntries(
    columns.map(({ dataType }, position) => [`c${position}`, transportOf(dataType).jsonType]),
  );
  return `(SELECT unnest(from_json(${text}::JSON, ${literal(JSON.stringify([shape]))})) AS r)`;
}

/** The value of one transported column. */
export function transported(dataType: string, position: number): string {
  const { cast } = transportOf(dataType);
  return cast === undefined ? `r.c${position}` : `CAST(r.c${position} AS ${cast})`;
}

/** Planned rows as an SQL expression with its values. */
export function textOf(rows: { text: string } | { path: string }): { expression: string; values: string[] } {
  if ('text' in rows) return { expression: '$1', values: [rows.text] };
  return { expression: `(SELECT content FROM read_text(${literal(rows.path)}))`, values: [] };
}
