import type { LakeDeps } from '../../../data/lake/commit.ts';
import { removeReleasedFiles, removeUnknownFiles } from '../../../data/lake/ducklake/procedures.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';

/** By then every reader from before a file's release has ended: statements run for minutes at most. */
const removedFilesKeptDays = 1;
/**
 * Staged files are in the lake's folder before the commit that adds them; no import or batch stages for this
 * long.
 */
const orphansKeptDays = 7;

/**
 * Removes files released by merging and expiry more than a day ago. A file that is already gone is no error.
 */
export function removeOldFiles(deps: LakeDeps, lake: Lake): Promise<number> {
  return removeReleasedFiles(deps, lake, removedFilesKeptDays);
}

/**
 * Removes files of the lake's folder that were never registered in the catalog, and unfinished uploads, a
 * week after they were begun.
 */
export async function removeOrphans(
  { lake: deps, objects }: { lake: LakeDeps; objects: Pick<ObjectStore, 'settings' | 'abortUploads'> },
  lake: Lake,
  now: Date = new Date(),
): Promise<number> {
  const folder = lake.writer.dataPath.slice(`s3://${objects.settings.bucket}/`.length);
  const files = await removeUnknownFiles(deps, lake, orphansKeptDays);
  const before = new Date(now.getTime() - orphansKeptDays * 86_400_000);
  return files + (await objects.abortUploads(folder, before));
}
