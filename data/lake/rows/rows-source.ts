import { literal } from '../sql.ts';
import { transportOf } from './encode.ts';

/** Reads the rows' JSON text ($1) with each column's exact transport type. */
export function rowsSource(columns: readonly { dataType: string }[]): string {
  const shape = Object.fromEntries(
    columns.map(({ dataType }, position) => [`c${position}`, transportOf(dataType).jsonType]),
  );
  return `(SELECT unnest(from_json($1::JSON, ${literal(JSON.stringify([shape]))})) AS r)`;
}

/** The value of one transported column. */
export function transported(dataType: string, position: number): string {
  const { cast } = transportOf(dataType);
  return cast === undefined ? `r.c${position}` : `CAST(r.c${position} AS ${cast})`;
}
