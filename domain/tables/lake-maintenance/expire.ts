import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { dropForgottenTables } from '../../../data/lake/ducklake/inlined.ts';
import { dropSnapshots } from '../../../data/lake/ducklake/procedures.ts';
import { isSnapshotKept, snapshotsOlderThan } from '../../../data/lake/ducklake/snapshots.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { insertLakePin, type LakePin, takePinnedSnapshots } from './pins.ts';

export interface ExpiryDeps {
  db: Database;
  lake: LakeDeps;
}

/** Maximum number of snapshots expired by one call. */
const snapshotsAtOnce = 1_000;

/** Lock key that serialises pinning and expiry, so that a granted pin holds. */
function expiryTurn(organizationId: string): string {
  return `expiry of ${organizationId}`;
}

/**
 * Expires snapshots past the retention, never the newest and never a pinned one. The ledger keeps its
 * entries. Files no longer referenced are only marked for removal. Call repeatedly until there are no more.
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
    const expired = await snapshotsOlderThan(deps.lake.catalogPool, lake.schema, retentionDays, {
      except: pinned,
      atMost: snapshotsAtOnce,
    });
    if (expired.length === 0) {
      await dropForgottenTables(deps.lake.catalogPool, lake.schema);
      return { expired: 0, hasMore: false };
    }
    return { expired: await dropSnapshots(deps.lake, lake, expired), hasMore: true };
  });
}

/** Keeps a snapshot readable beyond the retention; refused if it has already expired. */
export async function pinSnapshot(
  deps: ExpiryDeps,
  lake: Lake,
  organizationId: string,
  pin: LakePin,
): Promise<void> {
  await deps.lake.locks.hold(expiryTurn(organizationId), async () => {
    if (!(await isSnapshotKept(deps.lake.catalogPool, lake.schema, pin.snapshotId)))
      throw new AppError('version_expired', `Snapshot ${pin.snapshotId} is no longer kept.`);
    await inOrganization(deps.db, organizationId, (db) => insertLakePin(db, organizationId, pin));
  });
}
