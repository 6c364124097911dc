import { RemoteFailure } from '../../../../data/outgoing/failure.ts';

/** What of a database is copied of an incremental dataset. */
export interface Increment {
  /** The column that grows with every change, by its name at the source. */
  cursor: string;
  keys: readonly string[];
  /** From there on; null copies everything. */
  since: string | null;
}

export interface CopiedIncrement {
  /** The greatest cursor of the moment that was copied; null of an empty source. */
  reached: string | null;
  /** The names of the key's columns in the table. */
  keys: string[];
}

/** Which kind of value a cursor has: it says how far back what was committed late is looked for. */
export type CursorKind = 'number' | 'day' | 'time';

/**
 * A row may be committed after one with a greater cursor was copied. So much before what was reached is
 * copied again, and merged by the key; what is later still comes with the next whole copy.
 */
export const overlapOf = { number: 10_000, day: 1, timeMinutes: 10 };

/** From a column's type to its kind. @throws RemoteFailure where it is none that can be a cursor */
export function cursorKind(
  name: string,
  type: string,
  kinds: Readonly<Record<string, CursorKind>>,
): CursorKind {
  const kind = kinds[type];
  if (kind !== undefined) return kind;
  throw new RemoteFailure(
    'request',
    `The column ${JSON.stringify(name)} of the type ${type} cannot be a cursor: take one of numbers, days or times.`,
  );
}

/** The place of a column among those of the source. @throws RemoteFailure where there is none of this name */
export function placeOf(columns: readonly { name: string }[], name: string): number {
  const place = columns.findIndex((column) => column.name === name);
  if (place !== -1) return place;
  throw new RemoteFailure(
    'request',
    `The source has no column ${JSON.stringify(name)}, which the dataset names.`,
  );
}

/**
 * What a copy of an increment tells beside its rows; nothing where everything is copied as it is. `names` are
 * the table's.
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
