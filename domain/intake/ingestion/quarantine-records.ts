import { AppError } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import { findOperations, type LakeOperation } from '../../../data/lake/ledger.ts';
import type { Lake } from '../../../data/lake/provision.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { LakeColumn } from '../../tables/tables/columns.ts';
import {
  findQuarantineTable,
  reserveTable,
  type TableRow,
  tableStates,
  touchTable,
} from '../../tables/tables/registry.ts';
import { createTableStatements } from '../../tables/tables/retype.ts';
import type { IngestionBatch } from './ingestion-batches.ts';
import { quarantineColumns } from './page-writer.ts';
import type { Quarantine, QuarantineModel } from './quarantine-model.ts';
import { stageQuarantined } from './replay.ts';
import type { StagedPage } from './staged-pages.ts';

const columns: readonly LakeColumn[] = [
  ...quarantineColumns.map(({ name, dataType }) => ({
    name,
    dataType,
    nullable: false,
    typing: 'declared' as const,
  })),
  { name: 'quarantined_at', dataType: 'TIMESTAMP', nullable: false, typing: 'declared' },
];

/**
 * The table's quarantine for the batch's bad records, reserved if there is none. Undefined for a batch that
 * does not use it.
 */
async function reserveFor(
  deps: { db: Database; lake: LakeDeps },
  lake: Lake,
  batch: IngestionBatch,
  table: TableRow,
  pages: readonly StagedPage[],
): Promise<Quarantine | undefined> {
  const { organization_id: organizationId } = table;
  if (batch.replay_of === null && pages.every(({ quarantined }) => quarantined === 0)) return undefined;
  const existing = await inOrganization(deps.db, organizationId, (db) =>
    findQuarantineTable(db, organizationId, table.id),
  );
  if (existing === undefined) return reserve(deps.db, table);
  if (existing.status === 'deleting') {
    throw new AppError(
      'storage_unavailable',
      'The quarantine table is being deleted. The service tries again.',
    );
  }
  // A reservation that is not touched for a minute is released.
  await inOrganization(deps.db, organizationId, (db) => touchTable(db, organizationId, existing.id));
  const operationId = `create:${existing.id}`;
  const made = await findOperations(deps.lake.catalogPool, lake.schema, [operationId]);
  return { ...existing, status: made.has(operationId) ? 'ready' : existing.status };
}

async function reserve(db: Database, table: TableRow): Promise<TableRow> {
  const id = newId('tbl');
  // The second name is only used if the first one is taken.
  const names = [
    `${table.name.slice(0, 230)}_quarantine`,
    `${table.name.slice(0, 220)}_quarantine_${id.slice(-6)}`,
  ];
  for (const name of names) {
    const reserved = await inOrganization(db, table.organization_id, (transaction) =>
      reserveTable(transaction, {
        organization_id: table.organization_id,
        id,
        name,
        kind: 'import',
        quarantine_of: table.id,
        description: `Records that could not become rows of ${table.name}, with their batch, their page, the reason and their content.`,
      }),
    ).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'name_taken') return undefined;
      throw error;
    });
    if (reserved !== undefined) return reserved;
  }
  throw new AppError(
    'storage_unavailable',
    'The service could not find a name for the quarantine table. It tries again.',
  );
}

/**
 * Adds the batch's bad records to the quarantine, inside the caller's transaction; a replay first removes the
 * records that it replays.
 */
async function write(
  connection: EngineConnection,
  objects: ObjectStore,
  batch: IngestionBatch,
  quarantine: Quarantine,
  pages: readonly StagedPage[],
): Promise<LakeOperation> {
  const table = identifier(quarantine.name);
  const isNew = quarantine.status === 'creating';
  if (isNew)
    for (const statement of createTableStatements(quarantine.name, columns)) await connection.run(statement);
  let rowsRemoved = 0;
  if (batch.replay_of !== null && !isNew) {
    const { rows } = await connection.read(`DELETE FROM ${table} WHERE batch_id = $1`, [batch.replay_of]);
    rowsRemoved = Number(rows[0]?.[0] ?? 0);
  }
  const keys = pages.flatMap(({ quarantine_key: key }) => (key === null ? [] : [key]));
  for (let start = 0; start < keys.length; start += filesAtOnce) {
    const urls = keys
      .slice(start, start + filesAtOnce)
      .map((key) => literal(`s3://${objects.settings.bucket}/${key}`));
    await connection.run(
      `INSERT INTO ${table} SELECT ${quarantineColumns.map(({ name }) => name).join(', ')}, now()
       FROM read_parquet([${urls.join(', ')}])`,
    );
  }
  return {
    // A reserved table is identified by the operation that created it.
    id: isNew ? `create:${quarantine.id}` : `batch:${batch.id}:quarantine`,
    tableId: quarantine.id,
    operation: isNew ? 'create' : rowsRemoved > 0 ? 'replace' : 'append',
    rowsAdded: pages.reduce((sum, { quarantined }) => sum + quarantined, 0),
    rowsRemoved,
    runId: batch.id,
    committedBy: batch.created_by,
  };
}

const filesAtOnce = 400;

/** Makes the reserved table ready once the batch is in the lake; returns its id. */
async function finalize(db: Database, batch: IngestionBatch): Promise<string | null> {
  return inOrganization(db, batch.organization_id, async (transaction) => {
    const table = await findQuarantineTable(transaction, batch.organization_id, batch.table_id);
    if (table === undefined) return null;
    if (table.status === 'creating') await tableStates.move(transaction, table, 'creating', 'ready');
    return table.id;
  });
}

/** One table per table, for the records of all its batches, as they were sent. */
export const recordQuarantine: QuarantineModel = {
  stage: (deps, batch, signal) => stageQuarantined(deps, batch, signal),
  reserve: reserveFor,
  write,
  finalize,
};
