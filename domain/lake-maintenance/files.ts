import type { LakeDeps } from '../../data/lake/commit.ts';
import { callProcedure } from '../../data/lake/procedures.ts';
import type { Lake } from '../../data/lake/provision.ts';
import { literal } from '../../data/lake/sql.ts';

/** Whoever read the lake before a file was let go of has ended by then: statements run for minutes at most. */
const removedFilesKeptDays = 1;
/** Staged files lie in the lake's folder before the commit that takes them; no import or batch stages for so long. */
const orphansKeptDays = 7;

/** Removes the files that merging and expiry let go of a day ago. A file that is gone already is no error. */
export function removeOldFiles(deps: LakeDeps, lake: Lake): Promise<number> {
  return remove(deps, lake, 'ducklake_cleanup_old_files', removedFilesKeptDays);
}

/** Removes files of the lake's folder that the catalog never took, a week after they were written. */
export function removeOrphans(deps: LakeDeps, lake: Lake): Promise<number> {
  return remove(deps, lake, 'ducklake_delete_orphaned_files', orphansKeptDays);
}

async function remove(deps: LakeDeps, lake: Lake, procedure: string, keptDays: number): Promise<number> {
  const removed = await callProcedure(
    deps,
    lake,
    `${procedure}(${literal(lake.schema)}, older_than => now() - INTERVAL ${keptDays} DAY)`,
  );
  return removed.length;
}
