import { AppError } from '../../data/errors.ts';
import type { LakeDeps } from '../../data/lake/commit.ts';
import { callProcedure } from '../../data/lake/procedures.ts';
import type { Lake } from '../../data/lake/provision.ts';
import { identifier, literal } from '../../data/lake/sql.ts';
import { type Database, inOrganization } from '../../data/postgres/client.ts';
import { insertLakePin, type LakePin, takePinnedSnapshots } from './pins.ts';

export interface ExpiryDeps {
  db: Database;
  lake: LakeDeps;
}

/** Snapshots that one call lets go of. */
const snapshotsAtOnce = 1_000;

/** Whoever pins a snapshot and whoever expires snapshots take turns: a pin that was given holds. */
function expiryTurn(organizationId: string): string {
  return `expiry of ${organizationId}`;
}

/**
 * Lets go of snapshots past the retention: never the newest, never a pinned one. The ledger keeps its entries.
 * Files that nothing kept refers to any more are only noted for removal. Called until there are no more.
 */
export async function expireSnapshots(
  deps: ExpiryDeps,
  lake: Lake,
  organizationId: string,
  retentionDays: number,
): Promise<{ expired: number; hasMore: boolean }> {
  return deps.lake.locks.hold(expiryTurn(organizationId), async () => {
    const pinned = await inOrganization(deps.db, organizationId, (db) =>
      takePinnedSnapshots(db, organizationId),
    );
    const schema = identifier(lake.schema);
    const { rows } = await deps.lake.catalogPool.query<{ snapshot_id: number }>(
      `SELECT snapshot_id FROM ${schema}.ducklake_snapshot
       WHERE snapshot_time < now() - make_interval(days => $1)
         AND snapshot_id < (SELECT max(snapshot_id) FROM ${schema}.ducklake_snapshot)
         AND snapshot_id <> ALL ($2::bigint[])
       ORDER BY snapshot_id LIMIT $3`,
      [retentionDays, pinned, snapshotsAtOnce],
    );
    if (rows.length === 0) {
      await dropForgotten(deps.lake, lake);
      return { expired: 0, hasMore: false };
    }
    const versions = rows.map((row) => row.snapshot_id).join(', ');
    const gone = await callProcedure(
      deps.lake,
      lake,
      `ducklake_expire_snapshots(${literal(lake.schema)}, versions => [${versions}])`,
    );
    return { expired: gone.length, hasMore: true };
  });
}

/** Drops the catalog's tables of rows and deletions whose own table no kept snapshot knows any more. */
async function dropForgotten(deps: LakeDeps, lake: Lake): Promise<void> {
  const schema = identifier(lake.schema);
  const { rows } = await deps.catalogPool.query<{ name: string }>(
    `SELECT p.tablename AS name FROM pg_tables p
     WHERE p.schemaname = $1 AND p.tablename ~ '^ducklake_inlined_(data|delete)_[0-9]+(_[0-9]+)?$'
       AND NOT EXISTS (
         SELECT FROM ${schema}.ducklake_table t WHERE t.table_id = split_part(p.tablename, '_', 4)::bigint)
       AND NOT EXISTS (
         SELECT FROM ${schema}.ducklake_inlined_data_tables i WHERE i.table_name = p.tablename)`,
    [lake.schema],
  );
  for (const { name } of rows)
    await deps.catalogPool.query(`DROP TABLE IF EXISTS ${schema}.${identifier(name)}`);
}

/** Keeps a snapshot readable beyond the retention; refused where it is gone already. */
export async function pinSnapshot(
  deps: ExpiryDeps,
  lake: Lake,
  organizationId: string,
  pin: LakePin,
): Promise<void> {
  await deps.lake.locks.hold(expiryTurn(organizationId), async () => {
    const { rowCount } = await deps.lake.catalogPool.query(
      `SELECT FROM ${identifier(lake.schema)}.ducklake_snapshot WHERE snapshot_id = $1`,
      [pin.snapshotId],
    );
    if (rowCount === 0)
      throw new AppError('version_expired', `Snapshot ${pin.snapshotId} is not kept any more.`);
    await inOrganization(deps.db, organizationId, (db) => insertLakePin(db, organizationId, pin));
  });
}
