import { AppError } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import { addDataFile } from '../../../data/lake/ducklake/procedures.ts';
import type { EngineConnection, LakeEngine } from '../../../data/lake/engine/contract.ts';
import { findStatistics, type LakeOperation } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { identifier } from '../../../data/lake/sql.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { Database } from '../../../data/postgres/client.ts';
import type { StagedFile } from '../../../packages/file-reader/index.ts';
import type { PhysicalTable } from '../../tables/tables/columns.ts';
import { type TableRow, uniqueKeysOf } from '../../tables/tables/registry.ts';
import { addColumnStatements, createTableStatements, retypeColumns } from '../../tables/tables/retype.ts';
import type { GateDeps } from '../../tables/verification/gate.ts';
import type { TargetColumns } from './columns.ts';
import type { IngestionBatch } from './ingestion-batches.ts';
import { deleteIncoming, mergeIncoming } from './merge.ts';
import type { IncomingRows } from './page-files.ts';
import type { StagedPage } from './staged-pages.ts';
import { refuseAmbiguousKeys, refuseRepeatedKeys } from './unique-keys.ts';

export interface ApplyDeps extends GateDeps {
  db: Database;
  lake: LakeDeps;
  /** Engine for collecting pages; its work may wait for the table's lock. */
  staging: LakeEngine;
  objects: ObjectStore;
}

/** The batch's id in the lake's ledger, where it exists exactly when its rows are in the table. */
export function batchOperationId(batchId: string): string {
  return `batch:${batchId}`;
}

export interface Commit {
  deps: ApplyDeps;
  lake: Lake;
  batch: IngestionBatch;
  table: TableRow;
  /** Holds the incoming rows of an upsert. */
  connection: EngineConnection;
  keys: readonly string[];
  pages: readonly StagedPage[];
  /** The table that the files were written for. */
  before: PhysicalTable;
  target: TargetColumns;
  files: readonly StagedFile[];
  incoming: IncomingRows | undefined;
}

/** Rolls back a transaction without changes, in which every record deletes a row that does not exist. */
export class NothingToApply extends AppError {
  constructor() {
    super('conflict', "The batch doesn't change the table.");
  }
}

/** Writes the batch's rows inside the caller's transaction; returns the ledger entries. */
export async function writeBatch(
  { deps, lake, batch, table, connection, keys, pages, target, files, incoming }: Commit,
  physical: PhysicalTable,
): Promise<LakeOperation[]> {
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const operation = (
    kind: LakeOperation['operation'],
    rowsAdded: number,
    rowsRemoved: number,
  ): LakeOperation => ({
    id: batchOperationId(batch.id),
    tableId: batch.table_id,
    operation: kind,
    rowsAdded,
    rowsRemoved,
    runId: batch.id,
    committedBy: batch.created_by,
  });
  switch (batch.mode) {
    case 'append':
      await changeColumns(connection, physical, target);
      await refuseRepeatedKeys(connection, { table: physical.name, files, keys, isSwap: false });
      await addFiles(connection, lake, physical.name, files);
      return [operation('append', rows, 0)];
    case 'upsert': {
      await changeColumns(connection, physical, target);
      if (incoming === undefined) return [operation('upsert', 0, 0)];
      const merge = { deps, lake, connection, physical, target, keys, incoming };
      const deleted = await deleteIncoming(merge);
      const isMore =
        target.retypes.size + target.added.length > 0 || pages.some((page) => page.quarantined > 0);
      if (deleted + incoming.rows === 0 && !isMore) throw new NothingToApply();
      const merged = await mergeIncoming(merge);
      const others = uniqueKeysOf(table).join() === keys.join() ? [] : uniqueKeysOf(table);
      await refuseAmbiguousKeys(connection, { table: physical.name, incoming, keys: others });
      const upsert = operation('upsert', merged.inserted + merged.updated, merged.updated);
      return deleted === 0 ? [upsert] : [upsert, deletionsOf(upsert, deleted)];
    }
    case 'replace':
    case 'provider_snapshot': {
      await refuseRepeatedKeys(connection, { table: physical.name, files, keys, isSwap: true });
      const statistics = await findStatistics(deps.lake.catalogPool, lake.schema, batch.table_id);
      await connection.run(`DROP TABLE ${identifier(physical.name)}`);
      for (const statement of createTableStatements(physical.name, target.columns))
        await connection.run(statement);
      await addFiles(connection, lake, physical.name, files);
      return [operation('replace', rows, statistics?.rowCount ?? 0)];
    }
  }
}

/**
 * Changes the table's columns as the batch requires: types that it determines or widens, and new columns at
 * the end.
 */
async function changeColumns(
  connection: EngineConnection,
  physical: PhysicalTable,
  { retypes, added }: TargetColumns,
): Promise<void> {
  if (retypes.size > 0) await retypeColumns(connection, physical.name, physical.columns, retypes, 'inferred');
  for (const column of added)
    for (const statement of addColumnStatements(physical.name, column)) await connection.run(statement);
}

async function addFiles(
  connection: EngineConnection,
  lake: Lake,
  table: string,
  files: readonly StagedFile[],
): Promise<void> {
  for (const { url } of files) await addDataFile(connection, lake.schema, table, url);
}

/**
 * Rows that a batch deletes have a separate entry: the batch's own contains how many rows it added and
 * replaced.
 */
const deletionsOf = (upsert: LakeOperation, rows: number): LakeOperation => ({
  ...upsert,
  id: `${upsert.id}:deleted`,
  rowsAdded: 0,
  rowsRemoved: rows,
});
