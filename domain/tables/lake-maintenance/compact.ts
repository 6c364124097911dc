import type { LakeDeps } from '../../../data/lake/commit.ts';
import { countWholeFilesBelow, smallestDeletedShare } from '../../../data/lake/ducklake/files.ts';
import { hasInlinedDeletions } from '../../../data/lake/ducklake/inlined.ts';
import { type CompactedFiles, mergeFiles, rewriteFiles } from '../../../data/lake/ducklake/procedures.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import type { PhysicalTable } from '../tables/columns.ts';
import { flushHeld } from '../tables/flush.ts';
import { type MaintainedTable, withTableLock } from './tables.ts';

/** What one call may read, so that the table's writers wait for seconds at most. */
const smallFileBytes = 8_000_000;
const filesAtOnce = 32;
const rewriteBytesAtOnce = 128_000_000;
/** Fewer small files than this are left alone: each merge writes its rows anew. */
const smallFilesWorthMerging = 8;
const passes = 20;
/** From this share of deleted rows on a file is written anew without them. */
const deletedShareWorthRewriting = 0.5;

const nothing: CompactedFiles = { filesMerged: 0, filesWritten: 0 };

/**
 * Merges a table's small files, a few at a time, and lets writers in between. The old files stay for a day
 * for those who are reading them; every kept version reads as before.
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

/** Writes the files of a table anew whose rows are mostly deleted. */
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
 * Moves deletions that still lie in the catalog out, under the lock that the compaction needs too: flushed
 * after their file was retired, they would be told of a time when it had others, and past versions would read
 * wrongly. False where they could not all be moved.
 */
async function applyDeletions(deps: LakeDeps, lake: Lake, table: PhysicalTable): Promise<boolean> {
  const place = [deps.catalogPool, lake.schema, table.lakeTableId] as const;
  if (!(await hasInlinedDeletions(...place))) return true;
  await flushHeld(deps, lake, table);
  return !(await hasInlinedDeletions(...place));
}

/** The share of deleted rows above which all files together are small enough to be written anew at once. */
async function rewriteThreshold(
  deps: LakeDeps,
  lake: Lake,
  lakeTableId: number,
): Promise<number | undefined> {
  const share = await smallestDeletedShare(deps.catalogPool, lake.schema, lakeTableId, {
    from: deletedShareWorthRewriting,
    atMostBytes: rewriteBytesAtOnce,
  });
  // The engine compares in floating point: a hair below, so that the file that sets the share is in.
  return share === undefined ? undefined : Math.max(share - 1e-9, 0);
}
