import type pg from 'pg';
import { identifier } from './sql.ts';

/** What one commit did to one table, recorded in the same database transaction as the data. */
export interface LakeOperation {
  /** Unique forever in its lake: the database refuses a second commit of the same operation. */
  id: string;
  tableId: string;
  operation: 'create' | 'append' | 'upsert' | 'replace' | 'alter' | 'delete' | 'foreign';
  rowsAdded: number;
  rowsRemoved: number;
  /** The run or request that caused it, and who requested it. */
  runId: string | null;
  committedBy: string;
}

export interface LedgerEntry extends LakeOperation {
  version: number;
  committedAt: Date;
}

/** What a commit passes to the catalog's triggers in addition to its data. */
export interface CommitNote {
  /** One word, shown in the lake's list of snapshots. */
  message: string;
  operations: readonly LakeOperation[];
  /** DuckLake's ids of the tables whose inlined rows and deletions the commit moves to files. */
  flushed: readonly number[];
}

/** The text that carries a note and the tables of the commit through DuckLake's commit to the triggers. */
export function commitExtraInfo({ operations, flushed }: CommitNote, heldTables: readonly string[]): string {
  return JSON.stringify({
    tables: [...new Set([...heldTables, ...operations.map(({ tableId }) => tableId)])],
    flushed,
    operations: operations.map((operation) => ({
      id: operation.id,
      table_id: operation.tableId,
      operation: operation.operation,
      rows_added: operation.rowsAdded,
      rows_removed: operation.rowsRemoved,
      run_id: operation.runId,
      committed_by: operation.committedBy,
    })),
  });
}

type Queryable = Pick<pg.Pool, 'query'>;

interface OperationRow {
  id: string;
  snapshot_id: number;
  table_id: string;
  operation: LakeOperation['operation'];
  rows_added: number;
  rows_removed: number;
  run_id: string | null;
  committed_by: string;
  committed_at: Date;
}

/** The committed operations among these ids, by id. */
export async function findOperations(
  pool: Queryable,
  schemaName: string,
  ids: readonly string[],
): Promise<Map<string, LedgerEntry>> {
  const { rows } = await pool.query<OperationRow>(
    `SELECT * FROM ${identifier(schemaName)}.workspace_operation WHERE id = ANY($1) AND operation <> 'void'`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, toEntry(row)]));
}

/**
 * Ensures that an operation can no longer commit: its id is taken, so the database refuses a commit that is
 * still in progress elsewhere. If it is already committed, its entry is returned and nothing changes.
 */
export async function voidOperation(
  pool: Queryable,
  schemaName: string,
  id: string,
): Promise<LedgerEntry | undefined> {
  // Waits until a concurrent commit of the same id has committed or rolled back.
  await pool.query(
    `INSERT INTO ${identifier(schemaName)}.workspace_operation
       (id, snapshot_id, table_id, operation, rows_added, rows_removed, committed_by)
     VALUES ($1, -1, '', 'void', 0, 0, 'service') ON CONFLICT (id) DO NOTHING`,
    [id],
  );
  return (await findOperations(pool, schemaName, [id])).get(id);
}

/**
 * Operations committed after a snapshot, in order and without gaps. Snapshot numbers are consecutive, so no
 * operation can appear later with a number already passed.
 */
export async function operationsAfter(
  pool: Queryable,
  schemaName: string,
  snapshotId: number,
  limit: number,
): Promise<LedgerEntry[]> {
  const { rows } = await pool.query<OperationRow>(
    `SELECT * FROM ${identifier(schemaName)}.workspace_operation
     WHERE snapshot_id > $1 AND operation <> 'void'
       AND snapshot_id <= coalesce((
         SELECT max(snapshot_id) FROM (
           SELECT snapshot_id FROM ${identifier(schemaName)}.workspace_operation
           WHERE snapshot_id > $1 ORDER BY snapshot_id LIMIT $2) AS page), $1)
     ORDER BY snapshot_id, id`,
    [snapshotId, limit],
  );
  return rows.map(toEntry);
}

function toEntry(row: OperationRow): LedgerEntry {
  return {
    id: row.id,
    tableId: row.table_id,
    operation: row.operation,
    rowsAdded: row.rows_added,
    rowsRemoved: row.rows_removed,
    runId: row.run_id,
    committedBy: row.committed_by,
    version: row.snapshot_id,
    committedAt: row.committed_at,
  };
}

export interface TableVersion {
  version: number;
  committedAt: Date;
  operation: LakeOperation['operation'];
  rowsAdded: number;
  rowsRemoved: number;
  runId: string | null;
  committedBy: string;
}

/** A table's versions, newest first; appends that shared a commit are one version. */
export async function listVersions(
  pool: Queryable,
  schemaName: string,
  tableId: string,
  before: number | undefined,
  limit: number,
): Promise<TableVersion[]> {
  const { rows } = await pool.query<OperationRow>(
    `SELECT snapshot_id, min(operation) AS operation, sum(rows_added)::bigint AS rows_added,
            sum(rows_removed)::bigint AS rows_removed, min(run_id) AS run_id,
            min(committed_by) AS committed_by, max(committed_at) AS committed_at
     FROM ${identifier(schemaName)}.workspace_operation
     WHERE table_id = $1 AND ($2::bigint IS NULL OR snapshot_id < $2)
     GROUP BY snapshot_id ORDER BY snapshot_id DESC LIMIT $3`,
    [tableId, before ?? null, limit],
  );
  return rows.map((row) => {
    const { id: _id, tableId: _table, ...version } = toEntry(row);
    return version;
  });
}

export interface TableStatistics {
  rowCount: number;
  version: number;
  updatedAt: Date;
}

/** Row count and last version of those of these tables that were ever written; of all without ids. */
export async function tableStatistics(
  pool: Queryable,
  schemaName: string,
  tableIds?: readonly string[],
): Promise<Map<string, TableStatistics>> {
  const { rows } = await pool.query<{
    table_id: string;
    row_count: number;
    version: number;
    updated_at: Date;
  }>(
    `SELECT table_id, row_count, version, updated_at FROM ${identifier(schemaName)}.workspace_table
     ${tableIds === undefined ? '' : 'WHERE table_id = ANY($1)'}`,
    tableIds === undefined ? [] : [tableIds],
  );
  return new Map(
    rows.map((row) => [
      row.table_id,
      { rowCount: row.row_count, version: row.version, updatedAt: row.updated_at },
    ]),
  );
}

/** Row count and last version of a table; undefined if it was never written. */
export const findStatistics = async (
  pool: Queryable,
  schemaName: string,
  tableId: string,
): Promise<TableStatistics | undefined> => (await tableStatistics(pool, schemaName, [tableId])).get(tableId);

/** The last version of every table of the lake that was ever written, by table id. */
export async function newestVersions(pool: Queryable, schemaName: string): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ table_id: string; version: number }>(
    `SELECT table_id, version FROM ${identifier(schemaName)}.workspace_table`,
  );
  return new Map(rows.map((row) => [row.table_id, row.version]));
}

/** The last version of these tables committed by that time; 0 if there is none. */
export async function versionBefore(
  pool: Queryable,
  schemaName: string,
  tableIds: readonly string[],
  at: Date,
): Promise<number> {
  const { rows } = await pool.query<{ version: number }>(
    `SELECT coalesce(max(snapshot_id), 0) AS version FROM ${identifier(schemaName)}.workspace_operation
     WHERE table_id = ANY($1) AND operation <> 'void' AND committed_at <= $2`,
    [tableIds, at],
  );
  return rows[0]!.version;
}

/** The first operations on these tables after one snapshot and up to another. */
export async function firstOperations(
  pool: Queryable,
  schemaName: string,
  tableIds: readonly string[],
  { from, to }: { from: number; to: number },
): Promise<LedgerEntry[]> {
  const { rows } = await pool.query<OperationRow>(
    `SELECT * FROM ${identifier(schemaName)}.workspace_operation
     WHERE table_id = ANY($1) AND snapshot_id > $2 AND snapshot_id <= $3 AND operation <> 'void'
     ORDER BY snapshot_id FETCH FIRST 100 ROWS WITH TIES`,
    [tableIds, from, to],
  );
  return rows.map(toEntry);
}

/** What the operations on a table after one snapshot and up to another did altogether. */
export async function changesBetween(
  pool: Queryable,
  schemaName: string,
  tableId: string,
  { from, to }: { from: number; to: number },
): Promise<{ operations: LakeOperation['operation'][]; rowsAdded: number; rowsRemoved: number }> {
  const { rows } = await pool.query<{
    operations: LakeOperation['operation'][];
    rows_added: number;
    rows_removed: number;
  }>(
    `SELECT coalesce(array_agg(DISTINCT operation), '{}') AS operations,
            coalesce(sum(rows_added), 0)::bigint AS rows_added,
            coalesce(sum(rows_removed), 0)::bigint AS rows_removed
     FROM ${identifier(schemaName)}.workspace_operation
     WHERE table_id = $1 AND snapshot_id > $2 AND snapshot_id <= $3 AND operation <> 'void'`,
    [tableId, from, to],
  );
  const { operations, rows_added: rowsAdded, rows_removed: rowsRemoved } = rows[0]!;
  return { operations, rowsAdded, rowsRemoved };
}

/** The newest version of each of these tables that a read at the snapshot sees. */
export async function versionsAt(
  pool: Queryable,
  schemaName: string,
  tableIds: readonly string[],
  snapshotId: number,
): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ table_id: string; version: number }>(
    `SELECT t.table_id, (SELECT max(o.snapshot_id) FROM ${identifier(schemaName)}.workspace_operation o
                         WHERE o.table_id = t.table_id AND o.snapshot_id <= $2) AS version
     FROM unnest($1::text[]) AS t (table_id)`,
    [tableIds, snapshotId],
  );
  return new Map(rows.filter((row) => row.version !== null).map((row) => [row.table_id, row.version]));
}
