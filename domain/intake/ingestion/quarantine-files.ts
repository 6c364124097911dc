import { createHash, randomUUID } from 'node:crypto';
import { AppError, notFound } from '../../../data/errors.ts';
import { readLake } from '../../../data/lake/ducklake/alive.ts';
import type { EngineConnection } from '../../../data/lake/engine/contract.ts';
import type { LakeOperation } from '../../../data/lake/ledger.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import { batchPrefix } from '../../../data/objects/keys.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { BadFileError, type FileFormat, type StagedFile } from '../../../packages/file-reader/index.ts';
import { findPhysicalTable } from '../../tables/tables/columns.ts';
import { findTable, getTable, type TableRow } from '../../tables/tables/registry.ts';
import { lineColumn, rawColumn } from '../file-imports/restaged-columns.ts';
import { getTableImport, isReplacedSince, type TableImport } from '../file-imports/table-imports.ts';
import { completeBatch } from './complete.ts';
import { getBatch, type IngestionBatch } from './ingestion-batches.ts';
import type { Quarantine, QuarantineModel, ReplayDeps } from './quarantine-model.ts';
import { findPage, insertPage, type StagedPage } from './staged-pages.ts';

/**
 * Stages an import's quarantined records that now fit its table, as one page, and completes the batch. A
 * retry uses a page that is already staged.
 */
async function stage(deps: ReplayDeps, batch: IngestionBatch, signal: AbortSignal): Promise<void> {
  const { organization_id: organizationId, table_id: tableId, id: batchId } = batch;
  const { row, quarantine, page } = await inOrganization(deps.db, organizationId, async (db) => {
    const found = await getTableImport(db, organizationId, batch.replay_of!);
    return {
      row: found,
      quarantine: await findImportQuarantine(db, found),
      page: await findPage(db, organizationId, batchId, 1),
    };
  });
  if (quarantine === undefined) throw notFound('The quarantine of the import');
  if (page === undefined) {
    const columns = await columnsOf(deps, batch);
    const staged = await restageImport(deps, batch, row, quarantine, columns, signal);
    await inOrganization(deps.db, organizationId, async (db) => {
      const now = await getBatch(db, organizationId, tableId, batchId, 'share');
      if (now.status === 'open') await insertPage(db, pageOf(deps.objects, batch, staged, columns));
    });
  }
  const where = { organizationId, tableId, batchId };
  await completeBatch(deps.db, where, {
    pageCount: 1,
    pages: undefined,
    checkpoint: null,
    confirmShrink: false,
  });
}

async function columnsOf({ db, lake }: ReplayDeps, batch: IngestionBatch) {
  const { organization_id: organizationId, table_id: tableId } = batch;
  const { schema } = await lake.catalog.get(organizationId);
  const table = await inOrganization(db, organizationId, (transaction) =>
    getTable(transaction, organizationId, tableId),
  );
  const physical = await findPhysicalTable(lake.catalogPool, schema, table.name);
  if (physical === undefined) throw notFound('The table');
  return physical.columns;
}

async function restageImport(
  deps: ReplayDeps,
  batch: IngestionBatch,
  row: TableImport,
  quarantine: TableRow,
  columns: Awaited<ReturnType<typeof columnsOf>>,
  signal: AbortSignal,
): Promise<StagedFile | undefined> {
  if ((await deps.objects.head(row.object_key)) === undefined) {
    throw new AppError(
      'conflict',
      'The file of this import no longer exists. Import a file with these records.',
    );
  }
  // Unique per attempt, so that a lingering attempt writes elsewhere.
  const prefixUrl = `s3://${deps.objects.settings.bucket}/${batchPrefix(row.organization_id, batch.id)}${randomUUID()}/`;
  const quarantineUrl = `${prefixUrl}quarantined.parquet`;
  const lake = await deps.lake.catalog.get(row.organization_id);
  await readLake(deps.lake.engine, lake, (connection) =>
    connection.run(
      `COPY (SELECT line, raw FROM ${identifier(quarantine.name)}) TO ${literal(quarantineUrl)} (FORMAT parquet)`,
    ),
  );
  const source = {
    key: row.object_key,
    sizeBytes: row.size_bytes,
    format: row.format as FileFormat,
  };
  const options = row.options;
  const again = { columns, quarantineUrl, prefixUrl };
  return deps.files
    .restage(row.organization_id, { source, options, again }, signal)
    .catch((error: unknown) => {
      if (!(error instanceof BadFileError)) throw error;
      throw new AppError('conflict', `The file of the import cannot be read for this: ${error.message}.`, {
        cause: error,
      });
    });
}

function pageOf(
  objects: ObjectStore,
  batch: IngestionBatch,
  file: StagedFile | undefined,
  columns: Awaited<ReturnType<typeof columnsOf>>,
) {
  const key = file?.url.slice(`s3://${objects.settings.bucket}/`.length) ?? null;
  return {
    organization_id: batch.organization_id,
    batch_id: batch.id,
    page_number: 1,
    // Its records were never sent as JSON, so their origin is hashed.
    sha256: createHash('sha256').update(`${batch.replay_of} ${key}`).digest('hex'),
    size_bytes: file?.sizeBytes ?? 0,
    records: file?.rows ?? 0,
    quarantined: 0,
    object_key: key,
    quarantine_key: null,
    columns: JSON.stringify(columns.map(({ name, dataType }) => ({ name, dataType }))),
    row_id_min: null,
    row_id_max: null,
  };
}

/** Removes the records of a replay from their import's quarantine, inside the caller's transaction. */
async function take(
  connection: EngineConnection,
  objects: ObjectStore,
  batch: IngestionBatch,
  quarantine: Quarantine,
  pages: readonly StagedPage[],
): Promise<LakeOperation> {
  const urls = pages.flatMap(({ object_key: key }) =>
    key === null ? [] : [literal(`s3://${objects.settings.bucket}/${key}`)],
  );
  const { rows } = await connection.read(
    `DELETE FROM ${identifier(quarantine.name)} AS q
     WHERE EXISTS (SELECT 1 FROM read_parquet([${urls.join(', ')}]) AS p
       WHERE p.${identifier(lineColumn)} = q.line AND p.${identifier(rawColumn)} = q.raw)`,
  );
  return {
    id: `batch:${batch.id}:quarantine`,
    tableId: quarantine.id,
    operation: 'replace',
    rowsAdded: 0,
    rowsRemoved: Number(rows[0]?.[0] ?? 0),
    runId: batch.id,
    committedBy: batch.created_by,
  };
}

/** The table for an import's bad rows; undefined if it no longer exists. */
async function findImportQuarantine(
  db: Parameters<typeof findTable>[0],
  { organization_id: organizationId, quarantine_table_id: id }: TableImport,
): Promise<TableRow | undefined> {
  const table = id === null ? undefined : await findTable(db, organizationId, id);
  return table?.status === 'ready' ? table : undefined;
}

/** Number of records in an import's quarantine. */
export async function countQuarantinedRows(
  deps: Pick<ReplayDeps, 'db' | 'lake'>,
  row: TableImport,
): Promise<number> {
  const table = await inOrganization(deps.db, row.organization_id, (db) => findImportQuarantine(db, row));
  if (table === undefined) return 0;
  const lake = await deps.lake.catalog.get(row.organization_id);
  return readLake(deps.lake.engine, lake, async (connection) => {
    const { rows } = await connection.read(`SELECT count(*) FROM ${identifier(table.name)}`);
    return Number(rows[0]![0]);
  });
}

/** One table per import, with the rows' location in its file and their text. */
export const fileQuarantine: QuarantineModel = {
  stage,
  async reserve({ db }, _lake, batch, _table, pages) {
    if (pages.every(({ records }) => records === 0)) return undefined;
    const { organization_id: organizationId } = batch;
    return inOrganization(db, organizationId, async (transaction) => {
      const row = await getTableImport(transaction, organizationId, batch.replay_of!);
      if (await isReplacedSince(transaction, row))
        throw new AppError('conflict', 'The table was imported again after the replay was requested.');
      return findImportQuarantine(transaction, row);
    });
  },
  write: take,
  finalize: (db, batch) =>
    inOrganization(db, batch.organization_id, async (transaction) => {
      const row = await getTableImport(transaction, batch.organization_id, batch.replay_of!);
      return row.quarantine_table_id;
    }),
};
