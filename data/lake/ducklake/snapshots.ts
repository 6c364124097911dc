import type pg from 'pg';
import { identifier } from '../sql.ts';

type Queryable = Pick<pg.Pool, 'query'>;

/**
 * The newest kept snapshot at or after `version` and before the next operation on the table; undefined if
 * none is kept, or if the table was not written by then. One statement, because a commit between two
 * statements would be included.
 */
export async function newestSnapshotShowing(
  pool: Queryable,
  schemaName: string,
  tableId: string,
  version: number,
): Promise<number | undefined> {
  const schema = identifier(schemaName);
  const { rows } = await pool.query<{ snapshot_id: number | null }>(
    `SELECT (
       SELECT max(s.snapshot_id) FROM ${schema}.ducklake_snapshot s
       WHERE s.snapshot_id >= $2 AND s.snapshot_id < coalesce((
         SELECT min(o.snapshot_id) FROM ${schema}.workspace_operation o
         WHERE o.table_id = $1 AND o.snapshot_id > $2), 9223372036854775807)
     ) AS snapshot_id
     WHERE EXISTS (
       SELECT FROM ${schema}.workspace_operation WHERE table_id = $1 AND snapshot_id <= $2)
       AND $2 <= (SELECT max(snapshot_id) FROM ${schema}.ducklake_snapshot)`,
    [tableId, version],
  );
  return rows[0]?.snapshot_id ?? undefined;
}

/** Snapshots older than this many days, oldest first, without the newest one and without `except`. */
export async function snapshotsOlderThan(
  pool: Queryable,
  schemaName: string,
  days: number,
  { except, atMost }: { except: readonly number[]; atMost: number },
): Promise<number[]> {
  const schema = identifier(schemaName);
  const { rows } = await pool.query<{ snapshot_id: number }>(
    `SELECT snapshot_id FROM ${schema}.ducklake_snapshot
     WHERE snapshot_time < now() - make_interval(days => $1)
       AND snapshot_id < (SELECT max(snapshot_id) FROM ${schema}.ducklake_snapshot)
       AND snapshot_id <> ALL ($2::bigint[])
     ORDER BY snapshot_id LIMIT $3`,
    [days, except, atMost],
  );
  return rows.map((row) => row.snapshot_id);
}

export async function isSnapshotKept(
  pool: Queryable,
  schemaName: string,
  snapshotId: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM ${identifier(schemaName)}.ducklake_snapshot WHERE snapshot_id = $1`,
    [snapshotId],
  );
  return rowCount !== 0;
}

/** The newest snapshot of the lake. */
export async function newestSnapshot(pool: Queryable, schemaName: string): Promise<number> {
  const { rows } = await pool.query<{ snapshot_id: number }>(
    `SELECT max(snapshot_id) AS snapshot_id FROM ${identifier(schemaName)}.ducklake_snapshot`,
  );
  return rows[0]!.snapshot_id;
}

/**
 * The newest snapshot, if a table, by DuckLake's id, is the same at it as at an earlier one; undefined if it
 * may have changed in any way.
 */
export async function unchangedUntil(
  pool: Queryable,
  schemaName: string,
  tableId: number,
  snapshotId: number,
): Promise<number | undefined> {
  const schema = identifier(schemaName);
  const { rows } = await pool.query<{ newest: number; changed: boolean }>(
    `SELECT (SELECT max(snapshot_id) FROM ${schema}.ducklake_snapshot) AS newest,
       NOT EXISTS (SELECT FROM ${schema}.ducklake_snapshot WHERE snapshot_id = $1)
       OR EXISTS (
         SELECT FROM ${schema}.ducklake_snapshot_changes
         WHERE snapshot_id > $1 AND changes_made ~ $2) AS changed`,
    [snapshotId, `:${tableId}(,|$)`],
  );
  return rows[0]!.changed ? undefined : rows[0]!.newest;
}
