import type { LakeDeps } from '../../../data/lake/commit.ts';
import { removeReleasedFiles, removeUnknownFiles } from '../../../data/lake/ducklake/procedures.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';

/**
 * Whoever read the lake before a file was let go of has ended by then: statements run for minutes at most.
 */
const removedFilesKeptDays = 1;
/**
 * Staged files lie in the lake's folder before the commit that takes them; no import or batch stages for so
 * long.
 */
const orphansKeptDays = 7;

/** Removes the files that merging and expiry let go of a day ago. A file that is gone already is no error. */
export function removeOldFiles(deps: LakeDeps, lake: Lake): Promise<number> {
  return removeReleasedFiles(deps, lake, removedFilesKeptDays);
}

/**
 * Removes files of the lake's folder that the catalog never took, and uploads that never ended, a week after
 * they were begun.
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
