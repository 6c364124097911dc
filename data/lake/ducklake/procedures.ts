import { inLakeTransaction, type LakeDeps } from '../commit.ts';
import type { EngineConnection } from '../engine/contract.ts';
import type { CommitNote } from '../ledger.ts';
import type { Lake } from '../provision.ts';
import { literal } from '../sql.ts';

/** Adds a Parquet file in the lake's folder to a table, within the connection's transaction. */
export async function addDataFile(
  connection: EngineConnection,
  lakeName: string,
  table: string,
  url: string,
): Promise<void> {
  await connection.run(
    `CALL ducklake_add_data_files(${literal(lakeName)}, ${literal(table)}, ${literal(url)}, schema => 'main')`,
  );
}

/** Moves a table's inlined rows and deletions to files; returns the number of rows. */
export async function flushInlined(
  deps: LakeDeps,
  lake: Lake,
  { lakeTableId, name }: { lakeTableId: number; name: string },
  connection?: EngineConnection,
): Promise<number> {
  const rows = await commit<{ rows_flushed: bigint }>(
    deps,
    lake,
    `ducklake_flush_inlined_data(${literal(lake.schema)}, schema_name => 'main', table_name => ${literal(name)})`,
    { message: 'flush', operations: [], flushed: [lakeTableId] },
    connection,
  );
  return rows.reduce((sum, row) => sum + Number(row.rows_flushed), 0);
}

/** Number of files of a table before and after compaction. */
export interface CompactedFiles {
  filesMerged: number;
  filesWritten: number;
}

/** Merges several small files into one. */
export function mergeFiles(
  deps: LakeDeps,
  lake: Lake,
  table: string,
  { files, bytes }: { files: number; bytes: number },
): Promise<CompactedFiles> {
  return compact(
    deps,
    lake,
    'merge',
    `ducklake_merge_adjacent_files(${literal(lake.schema)}, ${literal(table)}, schema => 'main', max_compacted_files => ${files}, max_file_size => ${bytes})`,
  );
}

/** Rewrites the files of which more than this share of the rows is deleted. */
export function rewriteFiles(
  deps: LakeDeps,
  lake: Lake,
  table: string,
  threshold: number,
): Promise<CompactedFiles> {
  return compact(
    deps,
    lake,
    'rewrite',
    `ducklake_rewrite_data_files(${literal(lake.schema)}, ${literal(table)}, schema => 'main', delete_threshold => ${threshold})`,
  );
}

async function compact(
  deps: LakeDeps,
  lake: Lake,
  message: string,
  procedure: string,
): Promise<CompactedFiles> {
  const note = { message, operations: [], flushed: [] };
  const rows = await commit<{ files_processed: bigint; files_created: bigint }>(deps, lake, procedure, note);
  return {
    filesMerged: rows.reduce((sum, row) => sum + Number(row.files_processed), 0),
    filesWritten: rows.reduce((sum, row) => sum + Number(row.files_created), 0),
  };
}

/**
 * Expires these snapshots; returns how many there were. Files that only they needed are marked for removal.
 */
export async function dropSnapshots(
  deps: LakeDeps,
  lake: Lake,
  snapshotIds: readonly number[],
): Promise<number> {
  const versions = snapshotIds.join(', ');
  const gone = await call(
    deps,
    lake,
    `ducklake_expire_snapshots(${literal(lake.schema)}, versions => [${versions}])`,
  );
  return gone.length;
}

/** Removes files that were released more than this many days ago; returns how many. */
export function removeReleasedFiles(deps: LakeDeps, lake: Lake, days: number): Promise<number> {
  return remove(deps, lake, 'ducklake_cleanup_old_files', days);
}

/**
 * Removes files of the lake's folder that are older than this many days and were never registered in the
 * catalog; returns how many.
 */
export function removeUnknownFiles(deps: LakeDeps, lake: Lake, days: number): Promise<number> {
  return remove(deps, lake, 'ducklake_delete_orphaned_files', days);
}

async function remove(deps: LakeDeps, lake: Lake, procedure: string, days: number): Promise<number> {
  const removed = await call(
    deps,
    lake,
    `${procedure}(${literal(lake.schema)}, older_than => now() - INTERVAL ${days} DAY)`,
  );
  return removed.length;
}

/** Query for the snapshot that a transaction reads, in an engine that has the lake attached by this name. */
export function currentSnapshotQuery(lakeName: string): string {
  return `SELECT id FROM ducklake_current_snapshot(${literal(lakeName)})`;
}

/** Runs a procedure that creates a snapshot; the caller holds the table's lock. */
function commit<T>(
  deps: LakeDeps,
  lake: Lake,
  procedure: string,
  note: CommitNote,
  connection?: EngineConnection,
): Promise<T[]> {
  return inLakeTransaction(
    deps,
    lake,
    async (on) => ({ result: await read<T>(on, procedure), note }),
    connection,
  );
}

/** Runs a procedure that creates no snapshot. */
function call<T>(deps: LakeDeps, lake: Lake, procedure: string): Promise<T[]> {
  return deps.engine.use(lake.writer, (connection) => read<T>(connection, procedure));
}

async function read<T>(connection: EngineConnection, procedure: string): Promise<T[]> {
  const { names, rows } = await connection.read(`CALL ${procedure}`);
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])) as T);
}
