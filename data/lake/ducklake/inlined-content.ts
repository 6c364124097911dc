import type pg from 'pg';
import { identifier } from '../sql.ts';

type Queryable = Pick<pg.Pool, 'query'>;

type At = readonly [tableId: number, snapshotId: number];

/** Positions of deleted rows that are in the catalog, by data file. */
export async function readInlinedDeletions(
  client: Queryable,
  schema: string,
  [tableId, snapshotId]: At,
  files: ReadonlySet<number>,
): Promise<Map<number, number[]>> {
  const name = `${schema}.ducklake_inlined_delete_${tableId}`;
  if (!(await exists(client, name))) return new Map();
  const { rows } = await client.query<{ file_id: number; row_id: number }>(
    `SELECT file_id, row_id FROM ${name} WHERE begin_snapshot <= $1 ORDER BY file_id, row_id`,
    [snapshotId],
  );
  const positions = new Map<number, number[]>();
  for (const { file_id: fileId, row_id: position } of rows) {
    if (!files.has(fileId)) continue;
    const known = positions.get(fileId);
    if (known === undefined) positions.set(fileId, [position]);
    else known.push(position);
  }
  return positions;
}

/** How many there are, and the snapshot that added or removed the last. */
export async function readInlinedRows(
  client: Queryable,
  schema: string,
  [tableId, snapshotId]: At,
): Promise<{ count: number; newest: number }> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM ${schema}.ducklake_inlined_data_tables WHERE table_id = $1`,
    [tableId],
  );
  let count = 0;
  let newest = 0;
  for (const { name } of tables) {
    const table = `${schema}.${identifier(name)}`;
    if (!(await exists(client, table))) continue;
    const { rows } = await client.query<{ count: number; newest: number | null }>(
      `SELECT count(*) FILTER (WHERE end_snapshot IS NULL OR end_snapshot > $1) AS count,
         max(CASE WHEN end_snapshot <= $1 THEN end_snapshot ELSE begin_snapshot END) AS newest
       FROM ${table} WHERE begin_snapshot <= $1`,
      [snapshotId],
    );
    count += rows[0]!.count;
    newest = Math.max(newest, rows[0]!.newest ?? 0);
  }
  return { count, newest };
}

async function exists(client: Queryable, name: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    name,
  ]);
  return rows[0]?.exists === true;
}
