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

/** Snapshots that one call lets go of. */
const snapshotsAtOnce = 1_000;

/** Whoever pins a snapshot and whoever expires snapshots take turns: a pin that was given holds. */
function expiryTurn(organizationId: string): string {
  return `expiry of ${organizationId}`;
}

/**
 * Lets go of snapshots past the retention: never the newest, never a pinned one. The ledger keeps its
 * entries. Files that nothing kept refers to any more are only noted for removal. Called until there are no
 * more.
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

/** Keeps a snapshot readable beyond the retention; refused where it is gone already. */
export async function pinSnapshot(
  deps: ExpiryDeps,
  lake: Lake,
  organizationId: string,
  pin: LakePin,
): Promise<void> {
  await deps.lake.locks.hold(expiryTurn(organizationId), async () => {
    if (!(await isSnapshotKept(deps.lake.catalogPool, lake.schema, pin.snapshotId)))
      throw new AppError('version_expired', `Snapshot ${pin.snapshotId} is not kept any more.`);
    await inOrganization(deps.db, organizationId, (db) => insertLakePin(db, organizationId, pin));
  });
}
