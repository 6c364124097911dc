import type { EngineConnection } from '../../../../data/lake/engine/contract.ts';
import { identifier } from '../../../../data/lake/sql.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import type { SnapshotWarning } from '../snapshot-runs.ts';

/** A column of text, and the engine's expression of its value. */
export interface TextColumn {
  name: string;
  dataType: string;
  /** Its text, without escapes. */
  text: string;
  value: string;
}

/** The value, or null where the type cannot hold it. The lake takes no file with an infinite day. */
export function orNull({ dataType, text, value }: TextColumn): string {
  if (value === text) return value;
  return dataType === 'DATE' ? `CASE WHEN isfinite(TRY(${value})) THEN TRY(${value}) END` : `TRY(${value})`;
}

/** The value; the statement fails where the type cannot hold it. */
export function orFail({ dataType, text, value }: TextColumn): string {
  if (dataType !== 'DATE') return value;
  return `CASE WHEN isfinite(${value}) IS NOT FALSE THEN ${value} ELSE CAST('no day: ' || ${text} AS DATE) END`;
}

const isUnreadable = (column: TextColumn): string =>
  `${column.text} IS NOT NULL AND ${orNull(column)} IS NULL`;

const canBeUnreadable = ({ text, value }: TextColumn): boolean => value !== text;

/** How many values of each column became null. @param from a relation of the texts */
export async function countUnreadable(
  connection: EngineConnection,
  columns: readonly TextColumn[],
  from: string,
): Promise<Map<string, number>> {
  const possible = columns.filter(canBeUnreadable);
  if (possible.length === 0) return new Map();
  const counts = possible.map((column) => `count(*) FILTER (${isUnreadable(column)})`);
  const { rows } = await connection.read(`SELECT ${counts.join(', ')} FROM ${from}`);
  const found = Object.values(rows[0] ?? {}).map(Number);
  return new Map(possible.map(({ name }, index) => [name, found[index] ?? 0]));
}

const shownCharacters = 100;

/**
 * The first column with a value that its type cannot hold, that value, and the row by its key; undefined if
 * there is none.
 */
export async function unreadableFailure(
  connection: EngineConnection,
  columns: readonly TextColumn[],
  { from, keys }: { from: string; keys: readonly string[] },
): Promise<RemoteFailure | undefined> {
  const named = columns.filter(({ name }) => keys.includes(name));
  const shown = named.length > 0 ? named : columns.slice(0, 1);
  for (const column of columns.filter(canBeUnreadable)) {
    const texts = [column, ...shown].map(({ text }) => `left(${text}, ${shownCharacters})`);
    const list = texts.map((text, index) => `${text} AS ${identifier(`t${index}`)}`).join(', ');
    const { rows } = await connection.read(
      `SELECT ${list} FROM ${from} WHERE ${isUnreadable(column)} LIMIT 1`,
    );
    if (rows[0] === undefined) continue;
    const [value, ...key] = Object.values(rows[0]).map(String);
    const row = shown.map(({ name }, index) => `${name} = ${key[index]}`).join(', ');
    return new RemoteFailure(
      'request',
      `The column ${JSON.stringify(column.name)} has a value that ${column.dataType} cannot hold: ${JSON.stringify(value)}, in the row with ${row}. Correct the value, or set unreadable_values of the dataset to null.`.toWellFormed(),
    );
  }
  return undefined;
}

export const unreadableWarnings = (counts: ReadonlyMap<string, number>): SnapshotWarning[] =>
  [...counts].flatMap(([column, count]) =>
    count === 0
      ? []
      : [
          {
            code: 'unreadable_values' as const,
            message: `${count === 1 ? 'A value of the column' : `${count} values of the column`} ${JSON.stringify(column)} became null, because the type of the column cannot hold ${count === 1 ? 'it' : 'them'}.`,
            column,
            count,
          },
        ],
  );
