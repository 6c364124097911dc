import pg from 'pg';
import { identifier } from '../../../../data/lake/sql.ts';
import { type CursorKind, cursorKind, type Increment, overlapOf, placeOf } from './increment.ts';
import type { PostgresColumn } from './postgres-types.ts';

const kinds: Record<string, CursorKind> = {
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  numeric: 'number',
  date: 'day',
  'timestamp without time zone': 'time',
  'timestamp with time zone': 'time',
};

/** The rows of a relation that an increment copies, and the greatest cursor. */
export async function incrementOf(
  client: pg.Client,
  { from, columns }: { from: string; columns: readonly PostgresColumn[] },
  { cursor, since }: Increment,
): Promise<{ from: string; reached: string | null }> {
  const column = columns[placeOf(columns, cursor)]!;
  const type = column.type.replace(/\(\d+(?:,\d+)?\)/, '');
  const kind = cursorKind(cursor, type, kinds);
  const name = identifier(cursor);
  // No later row could have a cursor greater than infinity or NaN.
  const finite = kind === 'number' ? `${name}::text NOT IN ('NaN', 'Infinity')` : `isfinite(${name})`;
  const { rows } = await client.query<{ reached: string | null }>(
    `SELECT max(${name}) FILTER (WHERE ${finite})::text AS reached FROM ${from}`,
  );
  const reached = rows[0]!.reached;
  if (since === null) return { from, reached };
  const value = `${pg.escapeLiteral(since)}::${type === 'numeric' ? type : kind === 'number' ? 'bigint' : type}`;
  const back = {
    number: String(overlapOf.number),
    day: String(overlapOf.day),
    time: `interval '${overlapOf.timeMinutes} minutes'`,
  }[kind];
  return { from: `${from} WHERE ${name} >= ${value} - ${back}`, reached };
}
