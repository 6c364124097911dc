import type { ObjectStore } from '../../../data/objects/store.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { areRemovalsHeld } from '../backups/hold.ts';
import { deleteObjectLater } from './files.ts';

/**
 * Removes the objects below a prefix to which nothing refers any more: at once, or after the backup that
 * copies. The caller has committed what makes them unneeded, so a backup that begins now does not name them.
 */
export async function removeUnneeded(
  { db, objects }: { db: Database; objects: Pick<ObjectStore, 'removeAll'> },
  organizationId: string,
  prefix: string,
): Promise<void> {
  if (!(await areRemovalsHeld(db))) return objects.removeAll(prefix);
  await inOrganization(db, organizationId, (transaction) =>
    deleteObjectLater(transaction, organizationId, prefix, 0),
  );
}
