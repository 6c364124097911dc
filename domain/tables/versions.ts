import type pg from 'pg';
import { AppError } from '../../data/errors.ts';
import { identifier } from '../../data/lake/sql.ts';

/**
 * The snapshot at which a version of a table is read: the newest kept one before the table's next change. So a
 * version outlives its own snapshot for as long as any kept snapshot shows the same table, and the current
 * version is always readable. Refuses a version that no kept snapshot shows, or that lies before the table.
 */
export async function snapshotShowing(
  pool: Pick<pg.Pool, 'query'>,
  schemaName: string,
  tableId: string,
  version: number,
): Promise<number> {
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
  const snapshotId = rows[0]?.snapshot_id ?? undefined;
  if (snapshotId !== undefined) return snapshotId;
  throw new AppError(
    'version_expired',
    `Version ${version} is not kept any more, or the table did not exist then.`,
  );
}
