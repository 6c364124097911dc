import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

export interface LakePin {
  snapshotId: number;
  /** Who needs it, readable: `dashboard/dsh_…`. A holder may pin several snapshots. */
  holder: string;
  expiresAt: Date;
}

/** Adds the pin, or moves the end of one that is there. */
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
 * Moves the end of everything the holder pins, or of what ends before `endingBefore` alone; what it let go
 * of, or lost, stays so. False where there was nothing.
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

/** Lets go of everything the holder pinned. */
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

/** The snapshots that are pinned now; pins whose time has passed are removed on the way. */
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
