import type pg from 'pg';
import { identifier, literal } from '../sql.ts';

/** Lakes asked about in one statement. */
const atOnce = 50;

/** Bytes of the files of each lake's current tables, by schema; schemas that are gone are left out. */
export async function storedBytes(
  pool: Pick<pg.Pool, 'query'>,
  schemas: readonly string[],
): Promise<Map<string, number>> {
  const { rows: present } = await pool.query<{ name: string }>(
    `SELECT n.nspname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relname = 'ducklake_data_file' AND n.nspname = ANY ($1)`,
    [schemas],
  );
  const found = new Map<string, number>();
  for (let from = 0; from < present.length; from += atOnce) {
    const each = present.slice(from, from + atOnce).map(
      ({ name }) =>
        `SELECT ${literal(name)} AS name, coalesce(sum(file_size_bytes), 0)::bigint AS bytes
         FROM ${identifier(name)}.ducklake_data_file WHERE end_snapshot IS NULL`,
    );
    const { rows } = await pool.query<{ name: string; bytes: number }>(each.join(' UNION ALL '));
    for (const { name, bytes } of rows) found.set(name, bytes);
  }
  return found;
}
