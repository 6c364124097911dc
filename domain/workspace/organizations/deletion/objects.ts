import { AppError } from '../../../../data/errors.ts';
import type { ObjectStore } from '../../../../data/objects/store.ts';
import type { Database } from '../../../../data/postgres/client.ts';
import { areRemovalsHeld } from '../../backups/hold.ts';

/** Folders of the bucket in which each organization has a folder of its own, named by its id. */
export const sharedFolders = [
  'files',
  'uploads',
  'batches',
  'conversations',
  'reports',
  'builds',
  'imports',
  'snapshots',
  'iceberg',
] as const;

/** Every prefix below which there may be objects of an organization; `lake` is the schema of its lake. */
export function prefixesOf(organizationId: string, lake: string | null): string[] {
  return [
    ...sharedFolders.map((folder) => `${folder}/${organizationId}/`),
    // Results of workflows.
    `${organizationId}/`,
    ...(lake === null ? [] : [`lakes/${lake}/`]),
  ];
}

/**
 * Removes all objects of an organization, with unfinished uploads. A backup that copies may name them: while
 * one does, nothing is removed, and the answer is `held`.
 */
export async function removeObjectsOf(
  { db, objects }: { db: Database; objects: ObjectStore },
  { organizationId, lake }: { organizationId: string; lake: string | null },
  signal: AbortSignal,
): Promise<'removed' | 'held'> {
  for (const prefix of prefixesOf(organizationId, lake)) {
    if (await areRemovalsHeld(db)) return 'held';
    signal.throwIfAborted();
    await objects.abortUploads(prefix);
    await objects.removeAll(prefix);
    // The store may have refused some of them.
    if ((await objects.list(prefix, 1)).length > 0)
      throw new AppError('storage_unavailable', `The object store still has objects under ${prefix}.`);
  }
  return 'removed';
}
