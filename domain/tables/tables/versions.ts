import type pg from 'pg';
import { AppError } from '../../../data/errors.ts';
import { newestSnapshotShowing } from '../../../data/lake/ducklake/snapshots.ts';

/**
 * The snapshot at which a version of a table is read: the newest kept one before the table's next change. A
 * version therefore outlives its own snapshot for as long as any kept snapshot shows the same content, and
 * the current version is always readable. Refuses a version that no kept snapshot shows, or that is older
 * than the table.
 */
export async function snapshotShowing(
  pool: Pick<pg.Pool, 'query'>,
  schemaName: string,
  tableId: string,
  version: number,
): Promise<number> {
  const snapshotId = await newestSnapshotShowing(pool, schemaName, tableId, version);
  if (snapshotId !== undefined) return snapshotId;
  throw new AppError(
    'version_expired',
    `Version ${version} is no longer kept, or the table didn't exist at that time.`,
  );
}
