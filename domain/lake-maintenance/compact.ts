import type { LakeDeps } from '../../data/lake/commit.ts';
import { callProcedure } from '../../data/lake/procedures.ts';
import type { Lake } from '../../data/lake/provision.ts';
import { identifier, literal } from '../../data/lake/sql.ts';
import type { PhysicalTable } from '../tables/columns.ts';
import { flushHeld, hasInlinedDeletions } from '../tables/flush.ts';
import { holdTable, type MaintainedTable } from './tables.ts';

export interface Compacted {
  filesMerged: number;
  filesWritten: number;
}

/** What one call may read, so that the table's writers wait for seconds at most. */
const smallFileBytes = 8_000_000;
const filesAtOnce = 32;
const rewriteBytesAtOnce = 128_000_000;
/** Fewer small files than this are left alone: each merge writes its rows anew. */
const smallFilesWorthMerging = 8;
const passes = 20;
/** From this share of deleted rows on a file is written anew without them. */
const deletedShareWorthRewriting = 0.5;

const nothing: Compacted = { filesMerged: 0, filesWritten: 0 };

/**
 * Merges a table's small files, a few at a time, and lets writers in between. The old files stay for a day
 * for those who are reading them; every kept version reads as before.
 */
export async function mergeTable(deps: LakeDeps, lake: Lake, table: MaintainedTable): Promise<Compacted> {
  const total = { ...nothing };
  for (let pass = 0; pass < passes; pass += 1) {
    const merged = await holdTable(deps, lake, table, async (physical) => {
      const { lakeTableId, name } = physical;
      if ((await countSmallFiles(deps, lake, lakeTableId)) < smallFilesWorthMerging) return nothing;
      if (!(await settleDeletions(deps, lake, physical))) return nothing;
      return compact(
        deps,
        lake,
        `ducklake_merge_adjacent_files(${literal(lake.schema)}, ${literal(name)}, schema => 'main', max_compacted_files => ${filesAtOnce}, max_file_size => ${smallFileBytes})`,
      );
    });
    if (merged === undefined || merged.filesMerged === 0) break;
    total.filesMerged += merged.filesMerged;
    total.filesWritten += merged.filesWritten;
  }
  return total;
}

/** Writes the files of a table anew whose rows are mostly deleted. */
export async function rewriteTable(deps: LakeDeps, lake: Lake, table: MaintainedTable): Promise<Compacted> {
  const rewritten = await holdTable(deps, lake, table, async (physical) => {
    if ((await rewriteThreshold(deps, lake, physical.lakeTableId)) === undefined) return nothing;
    if (!(await settleDeletions(deps, lake, physical))) return nothing;
    const threshold = await rewriteThreshold(deps, lake, physical.lakeTableId);
    if (threshold === undefined) return nothing;
    return compact(
      deps,
      lake,
      `ducklake_rewrite_data_files(${literal(lake.schema)}, ${literal(physical.name)}, schema => 'main', delete_threshold => ${threshold})`,
    );
  });
  return rewritten ?? nothing;
}

/**
 * Moves deletions that still lie in the catalog out, under the lock that the compaction needs too: flushed after
 * their file was retired, they would be told of a time when it had others, and past versions would read wrongly.
 * False where they could not all be moved.
 */
async function settleDeletions(deps: LakeDeps, lake: Lake, table: PhysicalTable): Promise<boolean> {
  if (!(await hasInlinedDeletions(deps, lake, table))) return true;
  await flushHeld(deps, lake, table);
  return !(await hasInlinedDeletions(deps, lake, table));
}

async function compact(deps: LakeDeps, lake: Lake, procedure: string): Promise<Compacted> {
  const rows = await callProcedure<{ files_processed: bigint; files_created: bigint }>(deps, lake, procedure);
  return {
    filesMerged: rows.reduce((sum, row) => sum + Number(row.files_processed), 0),
    filesWritten: rows.reduce((sum, row) => sum + Number(row.files_created), 0),
  };
}

/** Files with deletions are not merged, so they do not count. */
async function countSmallFiles(deps: LakeDeps, lake: Lake, lakeTableId: number): Promise<number> {
  const schema = identifier(lake.schema);
  const { rows } = await deps.catalogPool.query<{ count: number }>(
    `SELECT count(*) FROM ${schema}.ducklake_data_file f
     WHERE f.table_id = $1 AND f.end_snapshot IS NULL AND f.file_size_bytes < $2
       AND NOT EXISTS (
         SELECT FROM ${schema}.ducklake_delete_file d
         WHERE d.data_file_id = f.data_file_id AND d.end_snapshot IS NULL)`,
    [lakeTableId, smallFileBytes],
  );
  return rows[0]?.count ?? 0;
}

/** The share of deleted rows above which all files together are small enough to be written anew at once. */
async function rewriteThreshold(
  deps: LakeDeps,
  lake: Lake,
  lakeTableId: number,
): Promise<number | undefined> {
  const schema = identifier(lake.schema);
  const { rows } = await deps.catalogPool.query<{ share: number | null }>(
    `SELECT min(share)::double precision AS share FROM (
       SELECT share, sum(bytes) OVER (ORDER BY share DESC) AS bytes_so_far FROM (
         SELECT d.delete_count::numeric / nullif(f.record_count, 0) AS share, f.file_size_bytes AS bytes
         FROM ${schema}.ducklake_data_file f
         JOIN ${schema}.ducklake_delete_file d ON d.data_file_id = f.data_file_id AND d.end_snapshot IS NULL
         WHERE f.table_id = $1 AND f.end_snapshot IS NULL) AS files
       WHERE share >= $2) AS candidates
     WHERE bytes_so_far <= $3`,
    [lakeTableId, deletedShareWorthRewriting, rewriteBytesAtOnce],
  );
  const share = rows[0]?.share ?? undefined;
  // The engine compares in floating point: a hair below, so that the file that sets the share is in.
  return share === undefined ? undefined : Math.max(share - 1e-9, 0);
}
