import { findStatistics } from '../../../data/lake/ledger.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { commitOnce, isCommitted } from '../../tables/staging/staging.ts';
import { findPhysicalTable, type LakeColumn, type PhysicalTable } from '../../tables/tables/columns.ts';
import { mergeFiles } from '../../tables/tables/merge-files.ts';
import { countMissingRows } from '../../tables/tables/missing-rows.ts';
import { findTable, tableStates } from '../../tables/tables/registry.ts';
import { type Replacement, replaceWithFiles } from '../../tables/tables/replace.ts';
import { beginStep } from '../../workspace/runs/runs.ts';
import { snapshotSteps } from './lifecycle.ts';
import type { Replica } from './replicate.ts';
import { moveSnapshot, type SchemaChange, type SnapshotRun, updateSnapshotRun } from './snapshot-runs.ts';
import { type Manifest, removePages, type SnapshotRunDeps, workOf } from './staged.ts';

/**
 * Commits what is staged, exactly once, as the table's whole content or, if incremental, as a merge. Then
 * marks the snapshot as succeeded.
 */
export const commitSnapshot = (deps: SnapshotRunDeps, row: SnapshotRun): Promise<void> =>
  commitOnce(deps, workOf(row), {
    commit: (manifest: Manifest) => commitFiles(deps, row, manifest),
    record: (db, manifest, committed) => recordSnapshot(db, row, manifest, committed),
    cleanUp: () => removePages(deps, row),
  });

interface Committed {
  tableName: string;
  tableVersion: number;
}

async function commitFiles(deps: SnapshotRunDeps, row: SnapshotRun, manifest: Manifest): Promise<Committed> {
  const { organization_id: organizationId, table_id: tableId } = row;
  const tableName = await inOrganization(deps.db, organizationId, async (db) => {
    await beginStep(db, organizationId, row.id, snapshotSteps.commit);
    // The table may have been renamed since.
    return (await findTable(db, organizationId, tableId))?.name ?? row.table_name;
  });
  const change: TableChange = {
    organizationId,
    tableId,
    tableName,
    staged: manifest,
    operationId: workOf(row).operationId,
    runId: row.id,
    committedBy: row.created_by,
  };
  const { replica } = manifest;
  const tableVersion =
    replica?.isIncremental === true
      ? await addTo(deps, row, change, replica)
      : await replaceWhole(deps, row, change, replica);
  return { tableName, tableVersion };
}

async function recordSnapshot(
  db: OrganizationTransaction,
  row: SnapshotRun,
  { rows, bytes, replica }: Manifest,
  { tableName, tableVersion }: Committed,
): Promise<void> {
  const { organization_id, table_id } = row;
  await tableStates.move(db, { organization_id, id: table_id }, 'creating', 'ready');
  const moved = await moveSnapshot(db, row, 'running', 'succeeded', {
    rows_copied: rows,
    bytes_copied: bytes,
    progress: 1,
    table_name: tableName,
    table_version: tableVersion,
    cursor: replica?.cursor ?? null,
    error: null,
  });
  if (moved === undefined) return;
  await db
    .updateTable('datasets')
    .set({
      table_id,
      last_snapshot_at: moved.finished_at,
      last_snapshot_run_id: row.id,
      replicated: replica === undefined ? null : JSON.stringify(replica.next),
    })
    .where('organization_id', '=', organization_id)
    .where('id', '=', row.dataset_id)
    .execute();
}

type TableChange = Omit<Replacement, 'beside'>;

async function replaceWhole(
  deps: SnapshotRunDeps,
  row: SnapshotRun,
  change: TableChange,
  replica: Replica | undefined,
): Promise<number> {
  const { schema } = await deps.lake.catalog.get(change.organizationId);
  // A retry after the commit would compare the new table with itself.
  if (!(await isCommitted(deps, workOf(row)))) {
    const before = await findPhysicalTable(deps.lake.catalogPool, schema, change.tableName);
    const { columns } = change.staged;
    await keepSchemaChanges(deps, row, schemaChanges(columnsBefore(before?.columns, replica), columns));
    await countDeleted(deps, row, change, before, replica?.keys ?? []);
  }
  return replaceWithFiles(deps.lake, { ...change, beside: undefined });
}

/** Counts the table's rows whose key is missing from a full copy. */
async function countDeleted(
  deps: SnapshotRunDeps,
  { organization_id: organizationId, id }: SnapshotRun,
  { staged }: TableChange,
  before: PhysicalTable | undefined,
  keys: readonly string[],
): Promise<void> {
  if (before === undefined || keys.length === 0) return;
  const deleted = await countMissingRows(deps.lake, organizationId, { table: before, staged, keys });
  await inOrganization(deps.db, organizationId, (db) =>
    updateSnapshotRun(db, organizationId, id, { rows_deleted: deleted }),
  );
}

/** Merges the rows since the last snapshot. If there are none, nothing is committed. */
async function addTo(
  deps: SnapshotRunDeps,
  row: SnapshotRun,
  change: TableChange,
  replica: Replica,
): Promise<number> {
  const keep = (before: readonly LakeColumn[], after: readonly LakeColumn[]) =>
    keepSchemaChanges(
      deps,
      row,
      schemaChanges(columnsBefore(before, replica), columnsOf(after, replica.next.columns)),
    );
  if (change.staged.rows === 0) {
    const { schema } = await deps.lake.catalog.get(change.organizationId);
    const table = await findPhysicalTable(deps.lake.catalogPool, schema, change.tableName);
    if (table !== undefined) await keep(table.columns, table.columns);
    return (await findStatistics(deps.lake.catalogPool, schema, change.tableId))?.version ?? 0;
  }
  const { keys, overlap } = replica;
  const { version, before, after } = await mergeFiles(deps.lake, { ...change, keys, overlap });
  if (before !== undefined) await keep(before, after);
  return version;
}

/**
 * The columns that the source had at the previous snapshot. A merge leaves those that it no longer had in the
 * table: without this, each snapshot would tell again that they were removed.
 */
const columnsBefore = (columns: readonly LakeColumn[] | undefined, replica: Replica | undefined) =>
  columns && columnsOf(columns, replica?.previousColumns);

/** Those of the table's columns that the source has; all if its columns are not known. */
function columnsOf(
  columns: readonly LakeColumn[],
  names: readonly string[] | undefined,
): readonly LakeColumn[] {
  if (names === undefined) return columns;
  const known = new Set(names.map((name) => name.toLowerCase()));
  return columns.filter(({ name }) => known.has(name.toLowerCase()));
}

async function keepSchemaChanges(
  { db }: SnapshotRunDeps,
  { organization_id: organizationId, id }: SnapshotRun,
  changes: SchemaChange[],
): Promise<void> {
  await inOrganization(db, organizationId, (transaction) =>
    updateSnapshotRun(transaction, organizationId, id, { schema_changes: JSON.stringify(changes) }),
  );
}

/** Changes of the source's columns since the last snapshot; empty for the first one. */
export function schemaChanges(
  before: readonly LakeColumn[] | undefined,
  after: readonly LakeColumn[],
): SchemaChange[] {
  if (before === undefined) return [];
  const [old, now] = [before, after].map(
    (columns) => new Map(columns.map((column) => [column.name, column.dataType])),
  );
  return [
    ...after.flatMap(({ name, dataType }): SchemaChange[] => {
      const from = old!.get(name);
      if (from === undefined) return [{ column: name, change: 'added', from: null, to: dataType }];
      return from === dataType ? [] : [{ column: name, change: 'retyped', from, to: dataType }];
    }),
    ...before.flatMap(({ name, dataType }): SchemaChange[] =>
      now!.has(name) ? [] : [{ column: name, change: 'removed', from: dataType, to: null }],
    ),
  ];
}
