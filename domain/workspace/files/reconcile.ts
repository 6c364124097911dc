import { sql } from 'kysely';
import { inOrganization } from '../../../data/postgres/client.ts';
import { itemsAtOnce, itemsStep, type ReconcileStep } from '../../../data/reconciling/step.ts';
import { areRemovalsHeld } from '../backups/hold.ts';
import { keepObject } from './files.ts';
import type { StoreDeps } from './store-object.ts';

/** Removes objects without references after the grace period for their readers. */
export function fileSteps({ db, objects }: StoreDeps): ReconcileStep[] {
  const find = async () => {
    if (await areRemovalsHeld(db)) return [];
    const { rows } = await sql<{ organization_id: string; object_key: string }>`
      SELECT organization_id, object_key FROM due_object_deletions(${itemsAtOnce})`.execute(db);
    return rows.map((row) => ({ organizationId: row.organization_id, objectKey: row.object_key }));
  };
  return [
    itemsStep('objects', find, async ({ organizationId, objectKey }) => {
      // A file's own key never ends with a slash; such a key is a prefix.
      await (objectKey.endsWith('/') ? objects.removeAll(objectKey) : objects.remove(objectKey));
      await inOrganization(db, organizationId, (transaction) =>
        keepObject(transaction, organizationId, objectKey),
      );
    }),
  ];
}
