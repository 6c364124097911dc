import { AppError } from '../../../data/errors.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { identifier } from '../../../data/lake/sql.ts';
import { rowIdColumn } from './column-name.ts';
import { shownRowId } from './row-id.ts';

/** A key that more than one row would have, and the s_id of one of them. */
export interface RepeatedKey {
  key: Record<string, unknown>;
  s_id: number | string;
}

/** Whether a row `t` and a row `i` have the same key. */
export const sameKey = (keys: readonly string[]): string =>
  keys.map((key) => `t.${identifier(key)} = i.${identifier(key)}`).join(' AND ');

/** Maximum number of keys named in an error. */
const maxNamed = 10;

/**
 * Keys of rows about to be added that the table already has, or else that occur more than once among those
 * rows.
 *
 * @param rows a relation of the rows that are added, with the table's own names
 */
export async function repeatedKeys(
  connection: EngineConnection,
  { table, rows, keys }: { table: string; rows: string; keys: readonly string[] },
): Promise<RepeatedKey[]> {
  const names = keys.map((key) => `t.${identifier(key)}`).join(', ');
  const present = await connection.readTexts(
    `SELECT t.${rowIdColumn}, ${names} FROM ${table} t SEMI JOIN ${rows} i ON (${sameKey(keys)})
     ORDER BY t.${rowIdColumn} LIMIT ${maxNamed}`,
  );
  return present.length > 0 ? present.map(toRepeatedKey) : keysRepeatedIn(connection, rows, keys);
}

/** Keys that occur more than once in a relation, each with the smallest s_id that has it. */
export async function keysRepeatedIn(
  connection: EngineConnection,
  rows: string,
  keys: readonly string[],
): Promise<RepeatedKey[]> {
  const names = keys.map((key) => `i.${identifier(key)}`).join(', ');
  const found = await connection.readTexts(
    `SELECT min(i.${rowIdColumn}), ${names} FROM ${rows} i GROUP BY ${names} HAVING count(*) > 1
     ORDER BY 1 LIMIT ${maxNamed}`,
  );
  return found.map(toRepeatedKey);
}

const toRepeatedKey = ({ first, text }: { first: unknown; text: string }): RepeatedKey => ({
  key: JSON.parse(text),
  s_id: rowIdOf(first),
});

/** A key that several rows of the table have. */
export interface AmbiguousKey {
  key: Record<string, unknown>;
  s_ids: (number | string)[];
}

/** Keys that several rows of the table have: of all rows, or only keys that `rows` have too. */
export async function ambiguousKeys(
  connection: EngineConnection,
  { table, rows, keys }: { table: string; rows?: string; keys: readonly string[] },
): Promise<AmbiguousKey[]> {
  const names = keys.map((key) => `t.${identifier(key)}`).join(', ');
  const among = rows === undefined ? '' : `SEMI JOIN ${rows} i ON (${sameKey(keys)})`;
  const found = await connection.readTexts(
    `SELECT array_to_string(list(t.${rowIdColumn} ORDER BY t.${rowIdColumn})[1:${maxNamed}], ','), ${names}
     FROM ${table} t ${among} GROUP BY ${names} HAVING count(*) > 1 ORDER BY min(t.${rowIdColumn}) LIMIT ${maxNamed}`,
  );
  return found.map(({ first, text }) => ({
    key: JSON.parse(text),
    s_ids: String(first).split(',').map(rowIdOf),
  }));
}

const rowIdOf = (id: unknown): number | string => shownRowId(BigInt(String(id)));

const listed = (repeated: readonly { key: object; ids: string }[]) =>
  repeated.map(({ key, ids }) => `${JSON.stringify(key)} (s_id ${ids})`).join(', ');

export function duplicateRowKey(repeated: readonly RepeatedKey[]): AppError {
  const named = listed(repeated.map(({ key, s_id: id }) => ({ key, ids: String(id) })));
  return new AppError(
    'duplicate_row_key',
    `Rows with these keys already exist in the table, or earlier in the request: ${named}. Use PUT to overwrite them.`,
    { extensions: { keys: repeated } },
  );
}

/** The error for ambiguous keys of a table that does not enforce them. */
export function ambiguousKey(ambiguous: readonly AmbiguousKey[]): AppError {
  const named = listed(ambiguous.map(({ key, s_ids: ids }) => ({ key, ids: ids.join(', ') })));
  return new AppError(
    'conflict',
    `Several rows of the table have the same key: ${named}. Delete the extra rows by their s_id.`,
    { extensions: { keys: ambiguous } },
  );
}
