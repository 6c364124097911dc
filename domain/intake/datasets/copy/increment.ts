import { RemoteFailure } from '../../../../data/outgoing/failure.ts';

/** What to copy of an incremental dataset of a database. */
export interface Increment {
  /** The column that increases with every change, by its name in the source. */
  cursor: string;
  keys: readonly string[];
  /** Copies from this value on; null copies everything. */
  since: string | null;
}

export interface CopiedIncrement {
  /** The greatest cursor at the moment of the copy; null if the source is empty. */
  reached: string | null;
  /** Names of the key columns in the table. */
  keys: string[];
}

/** Kind of a cursor's values; determines the overlap for rows that were committed late. */
export type CursorKind = 'number' | 'day' | 'time';

/**
 * A row may be committed after one with a greater cursor was copied. Therefore this much before the last
 * cursor is copied again and merged by the key; rows committed even later arrive with the next full copy.
 */
export const overlapOf = { number: 10_000, day: 1, timeMinutes: 10 };

/** The kind of a cursor column. @throws RemoteFailure if its type cannot be a cursor */
export function cursorKind(
  name: string,
  type: string,
  kinds: Readonly<Record<string, CursorKind>>,
): CursorKind {
  const kind = kinds[type];
  if (kind !== undefined) return kind;
  throw new RemoteFailure(
    'request',
    `The column ${JSON.stringify(name)} has the type ${type}, so it cannot be a cursor. Choose a column of numbers, dates or times.`,
  );
}

/** The index of a column among those of the source. @throws RemoteFailure if there is none of this name */
export function placeOf(columns: readonly { name: string }[], name: string): number {
  const place = columns.findIndex((column) => column.name === name);
  if (place !== -1) return place;
  throw new RemoteFailure(
    'request',
    `The dataset refers to the column ${JSON.stringify(name)}, but the source has no such column.`,
  );
}

/**
 * The part of a copy's result that concerns its increment; empty without one. `names` are the columns of the
 * table.
 */
export function incrementCopied(
  increment: Increment | undefined,
  reached: string | null | undefined,
  columns: readonly { name: string }[],
  names: readonly string[],
): { increment?: CopiedIncrement } {
  if (increment === undefined) return {};
  const keys = increment.keys.map((key) => names[placeOf(columns, key)]!);
  return { increment: { reached: reached ?? null, keys } };
}
