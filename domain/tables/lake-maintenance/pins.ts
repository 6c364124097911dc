import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

export interface LakePin {
  snapshotId: number;
  /** Readable name of the holder that needs it: `dashboard/dsh_…`. A holder may pin several snapshots. */
  holder: string;
  expiresAt: Date;
}

/** Adds the pin, or updates the expiry of an existing one. */
export async function insertLakePin(
  db: OrganizationTransaction,
  organizationId: string,
  { snapshotId, holder, expiresAt }: LakePin,
): Promise<void> {
  await db
    .insertInto('lake_pins')
    .values({ organization_id: organizationId, snapshot_id: snapshotId, holder, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'holder', 'snapshot_id']).doUpdateSet({ expires_at: expiresAt }),
    )
    .execute();
}

/**
 * Extends all of the holder's pins, or only those that end before `endingBefore`; released or expired pins
 * stay so. False if there was none.
 */
export async function extendLakePins(
  db: OrganizationTransaction,
  organizationId: string,
  holder: string,
  expiresAt: Date,
  { endingBefore = expiresAt }: { endingBefore?: Date } = {},
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('lake_pins')
    .set({ expires_at: expiresAt })
    .where('organization_id', '=', organizationId)
    .where('holder', '=', holder)
    .where('expires_at', '<=', endingBefore)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Releases all of the holder's pins. */
export async function deleteLakePins(
  db: OrganizationTransaction,
  organizationId: string,
  holder: string,
): Promise<void> {
  await db
    .deleteFrom('lake_pins')
    .where('organization_id', '=', organizationId)
    .where('holder', '=', holder)
    .execute();
}

/** The newest snapshot that the holder has pinned. */
export async function findPinnedSnapshot(
  db: OrganizationTransaction,
  organizationId: string,
  holder: string,
): Promise<number | undefined> {
  const newest = await db
    .selectFrom('lake_pins')
    .select('snapshot_id')
    .where('organization_id', '=', organizationId)
    .where('holder', '=', holder)
    .orderBy('snapshot_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.snapshot_id;
}

/** The snapshots that are currently pinned; also deletes expired pins. */
export async function takePinnedSnapshots(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<number[]> {
  await db
    .deleteFrom('lake_pins')
    .where('organization_id', '=', organizationId)
    .where('expires_at', '<=', new Date())
    .execute();
  const rows = await db
    .selectFrom('lake_pins')
    .select('snapshot_id')
    .distinct()
    .where('organization_id', '=', organizationId)
    .execute();
  return rows.map((row) => row.snapshot_id);
}
