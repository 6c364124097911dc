import { createHash } from 'node:crypto';
import pMap from 'p-map';
import { AppError } from '../../../data/errors.ts';
import { commitOperations } from '../../../data/lake/commit.ts';
import { addDataFile } from '../../../data/lake/ducklake/procedures.ts';
import { newestSnapshot } from '../../../data/lake/ducklake/snapshots.ts';
import {
  readTableContent,
  type TableContent,
  UnreadableContent,
} from '../../../data/lake/ducklake/table-content.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { isTransientFailure } from '../../../data/lake/engine/failure.ts';
import { findOperations, findStatistics } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { findPhysicalTable } from '../tables/columns.ts';
import { requireTable } from '../tables/replace.ts';
import { blockingTests, type GateDeps, refuseUnverified } from '../verification/gate.ts';
import { placesOf } from './places.ts';
import { type EngineSnapshot, readChanges, type TableChanges } from './read-changes.ts';

export interface CommitDeps extends GateDeps {
  objects: ObjectStore;
}

export interface IcebergCommit {
  organizationId: string;
  tableId: string;
  tableName: string;
  snapshots: readonly EngineSnapshot[];
  /** The version that the engine saw. */
  expectedVersion: number;
  committedBy: string;
}

/** Amazon's limit for a copy in one request. */
const mostFileBytes = 5_368_709_120;
const copiesAtOnce = 8;
const mostFiles = 100_000;

/**
 * Commits what an engine wrote, as one operation of the ledger with the id of its last snapshot: the same
 * commit again changes nothing. New data files are copied to where no engine can change them.
 *
 * @throws AppError conflict where the table has another version; invalid_request, unsupported_option,
 *   verification_failed
 */
export async function commitSnapshots(
  deps: CommitDeps,
  commit: IcebergCommit,
  signal: AbortSignal,
): Promise<void> {
  const { organizationId, tableId, tableName, snapshots, committedBy } = commit;
  const { id } = snapshots.at(-1)!;
  const operationId = operationIdOf(tableId, id);
  const lake = await deps.lake.catalog.get(organizationId);
  const isDone = () => isSnapshotCommitted(deps, commit, id);
  if (await isDone()) return;
  const { bucket } = deps.objects.settings;
  const places = placesOf(commit, { dataPath: lake.writer.dataPath, bucket });
  const changes = await readChanges(deps.objects, places, snapshots);
  const hash = createHash('sha256').update(operationId).digest('hex').slice(0, 24);
  const files = await adopt(deps.objects, changes, `${lake.writer.dataPath}main/${tableId}/${hash}/`);
  const seen = await filesNow(deps, lake, tableName);
  await refuseFailing(deps, commit, { files, changes, removesAll: removesAll(seen, changes) }, signal);

  await deps.lake.locks.hold(tableId, async () => {
    if (await isDone()) return;
    await requireTable(deps.lake, organizationId, tableId);
    const statistics = await findStatistics(deps.lake.catalogPool, lake.schema, tableId);
    if (statistics?.version !== commit.expectedVersion) throw changed();
    // Maintenance merges files without a new version.
    const content = await filesNow(deps, lake, tableName);
    const live = new Set(content.files.map(({ url }) => url));
    if (changes.removed.some((url) => !live.has(url))) throw changed();
    if (files.length === 0 && changes.removed.length === 0 && changes.positions.length === 0) return;
    await commitOperations(deps.lake, lake, async (connection) => {
      await refuseOtherFiles(connection, content, files);
      const table = identifier(content.name);
      const isWhole = removesAll(content, changes);
      const before = statistics.rowCount;
      if (isWhole) await connection.run(`DELETE FROM ${table}`);
      else await remove(connection, table, changes, live);
      const kept = await countRows(connection, table);
      for (const url of files)
        await addDataFile(connection, lake.schema, content.name, url).catch(refuseFile);
      const rowsAdded = (await countRows(connection, table)) - kept;
      const rows = { rowsAdded, rowsRemoved: before - kept };
      // The lake makes no snapshot of nothing.
      if (rows.rowsAdded === 0 && rows.rowsRemoved === 0) throw new NothingChanged();
      const operation = operationOf(rows, isWhole);
      return [{ id: operationId, tableId, operation, ...rows, runId: null, committedBy }];
    }).catch((error: unknown) => {
      if (!(error instanceof NothingChanged)) throw error;
    });
  });
}

class NothingChanged extends AppError {
  constructor() {
    super('conflict', 'The commit changes nothing.');
  }
}

const operationIdOf = (tableId: string, snapshotId: bigint): string => `iceberg:${tableId}:${snapshotId}`;

/** Whether an engine's snapshot is in the table's history. */
export async function isSnapshotCommitted(
  { lake: deps }: Pick<CommitDeps, 'lake'>,
  { organizationId, tableId }: { organizationId: string; tableId: string },
  snapshotId: bigint,
): Promise<boolean> {
  const { schema } = await deps.catalog.get(organizationId);
  const id = operationIdOf(tableId, snapshotId);
  return (await findOperations(deps.catalogPool, schema, [id])).has(id);
}

async function filesNow({ lake: deps }: CommitDeps, lake: Lake, name: string): Promise<TableContent> {
  const content = await readTableContent(
    deps.catalogPool,
    lake.schema,
    {
      table: { name },
      snapshotId: await newestSnapshot(deps.catalogPool, lake.schema),
      dataPath: lake.writer.dataPath,
    },
    mostFiles,
  ).catch((error: unknown) => {
    throw error instanceof UnreadableContent ? new AppError('conflict', error.message) : error;
  });
  if (content === undefined) throw changed();
  return content;
}

const removesAll = ({ files }: TableContent, { removed }: TableChanges): boolean => {
  const gone = new Set(removed);
  return removed.length > 0 && files.every(({ url }) => gone.has(url));
};

async function countRows(connection: EngineConnection, table: string): Promise<number> {
  const { rows } = await connection.read(`SELECT count(*) FROM ${table}`);
  return Number(rows[0]![0]);
}

function operationOf(
  { rowsAdded, rowsRemoved }: { rowsAdded: number; rowsRemoved: number },
  isWhole: boolean,
): 'append' | 'delete' | 'replace' | 'upsert' {
  if (rowsRemoved === 0) return 'append';
  if (rowsAdded === 0) return 'delete';
  return isWhole ? 'replace' : 'upsert';
}

/** Copies new files to a folder of the lake; files without rows are left out. May be repeated. */
async function adopt(objects: ObjectStore, { added }: TableChanges, folder: string): Promise<string[]> {
  const root = `s3://${objects.settings.bucket}/`;
  const withRows = added.filter(({ rows }) => rows > 0);
  return pMap(
    withRows,
    async ({ url }, index) => {
      const from = url.slice(root.length);
      const found = await objects.head(from);
      if (found === undefined) throw invalid(`${url} isn't there.`);
      if (found.sizeBytes > mostFileBytes) throw invalid(`${url} is larger than 5 GiB.`);
      const to = `${folder}${index}.parquet`;
      const isCopied = await objects.copy(from, to.slice(root.length), found.etag);
      if (!isCopied) throw invalid(`${url} was changed while it was committed.`);
      return to;
    },
    { concurrency: copiesAtOnce },
  );
}

/** Removes the rows of files that go, and rows by their positions. */
async function remove(
  connection: EngineConnection,
  table: string,
  { removed, positions }: TableChanges,
  live: ReadonlySet<string>,
): Promise<void> {
  if (removed.length > 0)
    await connection.run(`DELETE FROM ${table} WHERE filename IN (${removed.map(literal).join(', ')})`);
  if (positions.length === 0) return;
  const deleted = `read_parquet([${positions.map(literal).join(', ')}])`;
  const { rows } = await connection.read(`SELECT DISTINCT file_path FROM ${deleted}`).catch(refuseFile);
  // Positions in a file that is no longer there would delete nothing, without a word.
  if (rows.some(([url]) => !live.has(String(url)))) throw changed();
  await connection.run(
    `DELETE FROM ${table} WHERE (filename, file_row_number) IN (SELECT file_path, pos FROM ${deleted})`,
  );
}

/** Engines find columns by field id, the lake by name: both must mean the same column. */
async function refuseOtherFiles(
  connection: EngineConnection,
  { columns }: TableContent,
  files: readonly string[],
): Promise<void> {
  if (files.length === 0) return;
  const names = new Map(columns.map(({ id, name }) => [id, name]));
  const parents = new Set(columns.filter(({ parent }) => parent !== null).map(({ id }) => id));
  const { rows } = await connection
    .read(
      `SELECT DISTINCT name, field_id FROM parquet_schema([${files.map(literal).join(', ')}]) WHERE field_id IS NOT NULL`,
    )
    .catch(refuseFile);
  for (const [name, id] of rows)
    if (!parents.has(Number(id)) && names.get(Number(id)) !== name)
      throw invalid(
        `A file has the field id ${id} for ${JSON.stringify(name)}, which isn't that of the table.`,
      );
}

/** Tests blocking tests against what the table will hold. */
async function refuseFailing(
  deps: CommitDeps,
  { organizationId, tableId, tableName, committedBy }: IcebergCommit,
  {
    files,
    changes,
    removesAll: isWhole,
  }: { files: readonly string[]; changes: TableChanges; removesAll: boolean },
  signal: AbortSignal,
): Promise<void> {
  const tests = await blockingTests(deps.db, organizationId, tableId);
  if (tests.length === 0) return;
  const isAppend = changes.removed.length === 0 && changes.positions.length === 0;
  if (!isAppend && !isWhole)
    throw new AppError(
      'unsupported_option',
      'The table has blocking tests. Append to it or overwrite it whole: what a commit that changes some of its rows leaves cannot be tested before it is made.',
    );
  const lake = await deps.lake.catalog.get(organizationId);
  const physical = await findPhysicalTable(deps.lake.catalogPool, lake.schema, tableName);
  if (physical === undefined) throw changed();
  await refuseUnverified(
    deps,
    {
      ...{ organizationId, tableId, tableName, columns: physical.columns },
      files: files.map((url) => ({ url })),
      how: { kind: isAppend ? 'append' : 'replace' },
      process: { id: `iceberg ${tableId}`, startedAt: new Date(), projectId: null, by: committedBy },
    },
    signal,
  );
}

function refuseFile(error: unknown): never {
  if (isTransientFailure(error)) throw error;
  throw invalid(`A file can't be added to the table: ${(error as Error).message.split('\n', 1)[0]}`);
}

const changed = () =>
  new AppError('conflict', 'The table was changed meanwhile. Load it again, and repeat the commit.');
const invalid = (message: string) => new AppError('invalid_request', message);
