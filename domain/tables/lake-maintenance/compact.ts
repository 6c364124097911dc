import type { LakeDeps } from '../../../data/lake/commit.ts';
import { countWholeFilesBelow, smallestDeletedShare } from '../../../data/lake/ducklake/files.ts';
import { hasInlinedDeletions } from '../../../data/lake/ducklake/inlined.ts';
import { type CompactedFiles, mergeFiles, rewriteFiles } from '../../../data/lake/ducklake/procedures.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import type { PhysicalTable } from '../tables/columns.ts';
import { flushHeld } from '../tables/flush.ts';
import { type MaintainedTable, withTableLock } from './tables.ts';

/** Limits on what one call reads, so that writers of the table wait for seconds at most. */
const smallFileBytes = 8_000_000;
const filesAtOnce = 32;
const rewriteBytesAtOnce = 128_000_000;
/** Fewer small files than this are not merged, because each merge rewrites their rows. */
const smallFilesWorthMerging = 8;
const passes = 20;
/** A file with at least this share of deleted rows is rewritten without them. */
const deletedShareWorthRewriting = 0.5;

const nothing: CompactedFiles = { filesMerged: 0, filesWritten: 0 };

/**
 * Merges a table's small files, a few at a time, letting writers in between. The old files are kept for a day
 * for current readers; every kept version reads as before.
 */
export async function mergeTable(
  deps: LakeDeps,
  lake: Lake,
  table: MaintainedTable,
): Promise<CompactedFiles> {
  const total = { ...nothing };
  for (let pass = 0; pass < passes; pass += 1) {
    const merged = await withTableLock(deps, lake, table, async (physical) => {
      const { lakeTableId, name } = physical;
      // Files with deletions are not merged, so they do not count.
      const small = await countWholeFilesBelow(deps.catalogPool, lake.schema, lakeTableId, smallFileBytes);
      if (small < smallFilesWorthMerging) return nothing;
      if (!(await applyDeletions(deps, lake, physical))) return nothing;
      return mergeFiles(deps, lake, name, { files: filesAtOnce, bytes: smallFileBytes });
    });
    if (merged === undefined || merged.filesMerged === 0) break;
    total.filesMerged += merged.filesMerged;
    total.filesWritten += merged.filesWritten;
  }
  return total;
}

/** Rewrites those files of a table whose rows are mostly deleted. */
export async function rewriteTable(
  deps: LakeDeps,
  lake: Lake,
  table: MaintainedTable,
): Promise<CompactedFiles> {
  const rewritten = await withTableLock(deps, lake, table, async (physical) => {
    if ((await rewriteThreshold(deps, lake, physical.lakeTableId)) === undefined) return nothing;
    if (!(await applyDeletions(deps, lake, physical))) return nothing;
    const threshold = await rewriteThreshold(deps, lake, physical.lakeTableId);
    if (threshold === undefined) return nothing;
    return rewriteFiles(deps, lake, physical.name, threshold);
  });
  return rewritten ?? nothing;
}

/**
 * Flushes deletions that are still in the catalog, under the lock that the compaction also needs. If they
 * were flushed after their file was retired, they would be dated to a time when the table had other files,
 * and past versions would read wrongly. False if not all could be moved.
 */
async function applyDeletions(deps: LakeDeps, lake: Lake, table: PhysicalTable): Promise<boolean> {
  const place = [deps.catalogPool, lake.schema, table.lakeTableId] as const;
  if (!(await hasInlinedDeletions(...place))) return true;
  await flushHeld(deps, lake, table);
  return !(await hasInlinedDeletions(...place));
}

/** The share of deleted rows above which all files together are small enough to be rewritten at once. */
async function rewriteThreshold(
  deps: LakeDeps,
  lake: Lake,
  lakeTableId: number,
): Promise<number | undefined> {
  const share = await smallestDeletedShare(deps.catalogPool, lake.schema, lakeTableId, {
    from: deletedShareWorthRewriting,
    atMostBytes: rewriteBytesAtOnce,
  });
  // The engine compares in floating point, so slightly less, to include the file that determines the share.
  return share === undefined ? undefined : Math.max(share - 1e-9, 0);
}
