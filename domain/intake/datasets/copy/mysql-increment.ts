import type { Connection, RowDataPacket } from 'mysql2/promise';
import { type CursorKind, cursorKind, type Increment, overlapOf, placeOf } from './increment.ts';
import { type MysqlColumn, quoted } from './mysql-types.ts';

const kinds: Record<string, CursorKind> = {
  tinyint: 'number',
  smallint: 'number',
  mediumint: 'number',
  int: 'number',
  bigint: 'number',
  decimal: 'number',
  year: 'number',
  date: 'day',
  datetime: 'time',
  timestamp: 'time',
};
const casts = { number: 'DECIMAL(65,10)', day: 'DATE', time: 'DATETIME(6)' };

/** The rows of a table that an increment copies, and the greatest cursor. */
export async function incrementOf(
  connection: Connection,
  from: string,
  columns: readonly MysqlColumn[],
  { cursor, since }: Increment,
): Promise<{ from: string; reached: string | null }> {
  const kind = cursorKind(cursor, columns[placeOf(columns, cursor)]!.type, kinds);
  const name = quoted(cursor);
  const [rows] = await connection.query<RowDataPacket[]>(
    `SELECT CAST(MAX(${name}) AS CHAR) AS reached FROM ${from}`,
  );
  const { reached } = rows[0] as { reached: string | null };
  if (since === null) return { from, reached };
  const value = `CAST(${connection.escape(since)} AS ${casts[kind]})`;
  const back = {
    number: String(overlapOf.number),
    day: `INTERVAL ${overlapOf.day} DAY`,
    time: `INTERVAL ${overlapOf.timeMinutes} MINUTE`,
  }[kind];
  return { from: `${from} WHERE ${name} >= ${value} - ${back}`, reached };
}
