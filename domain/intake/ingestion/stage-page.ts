import { AppError, notFound } from '../../../data/errors.ts';
import type { LakeDeps } from '../../../data/lake/commit.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { PageRules } from '../../tables/row-input/page/page.ts';
import { deletedField, rowIdColumn } from '../../tables/tables/column-name.ts';
import { findPhysicalTable, type LakeColumn } from '../../tables/tables/columns.ts';
import { refuseUnlessWritable } from '../../tables/tables/grants.ts';
import { getTable, type TableRow, uniqueKeysOf } from '../../tables/tables/registry.ts';
import type { PageSummary } from './column-pages/read.ts';
import type { PageBody } from './column-pages/sent.ts';
import { type DataSync, findDataSync } from './data-syncs.ts';
import {
  countsOf,
  getBatch,
  type IngestionBatch,
  isRevocable,
  moveBatch,
  revocableStatuses,
} from './ingestion-batches.ts';
import type { PageWriter, RecordOrigin } from './page-writer.ts';
import { findPage, insertPage, type StagedPage, stagedTotals } from './staged-pages.ts';

export interface StageDeps {
  db: Database;
  lake: LakeDeps;
  objects: ObjectStore;
  pages: PageWriter;
}

export interface PageRequest {
  organizationId: string;
  tableId: string;
  batchId: string;
  pageNumber: number;
  /** The generation that the client works with, if given. */
  generation?: string;
  body: PageBody;
  /** Throws if the batch does not accept pages through this route. */
  refuse?: (batch: IngestionBatch) => void;
  /** Origin of a record, by its index; by default, this page. */
  originOf?: (index: number) => RecordOrigin;
  /** s_ids that are known to be taken. */
  taken?: ReadonlySet<bigint>;
}

export interface Staged {
  page: StagedPage;
  replayed: boolean;
}

/**
 * Stages an immutable page. The same content again is reported as replayed; different content is rejected.
 * Parquet is written before the page's row: a crash between the two leaves an object that is removed with the
 * batch.
 */
export async function stagePage(deps: StageDeps, request: PageRequest): Promise<Staged> {
  const { organizationId, batchId, pageNumber } = request;
  const { batch, table, sync, earlier } = await lookUp(deps, request);
  request.refuse?.(batch);
  await refuseFenced(deps, batch, sync, request.generation);
  // Its records were validated when it was staged; the table may have changed since.
  if (earlier !== undefined)
    return replay(batch, earlier, await deps.pages.hash(organizationId, request.body));
  if (batch.status !== 'open') throw notOpen(batch);
  const columns = fieldsOf(batch, await columnsOf(deps.lake, organizationId, table));
  const rules: PageRules = {
    ...rulesOf(batch, keysOf(batch, table, sync)),
    ...(request.taken === undefined ? {} : { taken: request.taken }),
  };
  const place = { organizationId, batchId, pageNumber };
  const { content, ...keys } = await deps.pages.write(
    place,
    { body: request.body, columns, rules },
    request.originOf,
  );
  const added = await inOrganization(deps.db, organizationId, async (db) => {
    // Locked until the page is added, so that no complete, abort or rotation can come in between.
    const now = await getBatch(db, organizationId, request.tableId, batchId, 'share');
    if (now.status !== 'open') return { batch: now, isNew: false };
    const current = await syncOf(db, now, 'share');
    if (isFenced(now, current)) return { batch: now, isNew: false, sync: current };
    const inserted = await insertPage(db, toRow(place, content, keys));
    const page = inserted ?? (await findPage(db, organizationId, batchId, pageNumber));
    return { batch: now, isNew: inserted !== undefined, page };
  });
  const { page, isNew } = added;
  if (!isNew) for (const key of Object.values(keys)) if (key !== null) await deps.objects.remove(key);
  if (page === undefined) {
    await refuseFenced(deps, added.batch, added.sync, undefined);
    throw notOpen(added.batch);
  }
  return isNew ? { page, replayed: false } : replay(added.batch, page, content.sha256);
}

async function lookUp(deps: StageDeps, request: PageRequest) {
  const { organizationId, tableId, batchId, pageNumber } = request;
  return inOrganization(deps.db, organizationId, async (db) => {
    const table = await getTable(db, organizationId, tableId);
    refuseUnlessWritable(table);
    const batch = await getBatch(db, organizationId, tableId, batchId);
    return {
      table,
      batch,
      sync: await syncOf(db, batch),
      earlier: await findPage(db, organizationId, batchId, pageNumber),
    };
  });
}

async function syncOf(
  db: OrganizationTransaction,
  batch: IngestionBatch,
  lock?: 'share',
): Promise<DataSync | undefined> {
  return batch.sync_id === null ? undefined : findDataSync(db, batch.organization_id, batch.sync_id, lock);
}

/** Whether the sync's generation was rotated after the batch was opened. */
export function isFenced(batch: IngestionBatch, sync: DataSync | undefined): boolean {
  return sync !== undefined && sync.rotation !== batch.rotation;
}

export const fencedMessage =
  'The generation of the data sync was rotated after this batch was opened. Open a new batch under the current generation.';

export function fenced(): AppError {
  return new AppError('generation_fenced', fencedMessage);
}

/**
 * Ends a batch of an old generation; a page that merely names another generation is rejected without effect.
 */
async function refuseFenced(
  deps: Pick<StageDeps, 'db'>,
  batch: IngestionBatch,
  sync: DataSync | undefined,
  generation: string | undefined,
): Promise<void> {
  if (isRevocable(batch.status) && isFenced(batch, sync)) {
    await endFenced(deps.db, batch);
    throw fenced();
  }
  if (generation !== undefined && generation !== sync?.generation) {
    throw new AppError(
      'generation_fenced',
      `The page was created under the generation ${JSON.stringify(generation)}, which isn't the current generation of the data sync.`,
    );
  }
}

/** Fails a batch whose generation is no longer current, unless it can no longer be revoked. */
export async function endFenced(db: Database, batch: IngestionBatch): Promise<void> {
  await inOrganization(db, batch.organization_id, async (transaction) => {
    const totals = await stagedTotals(transaction, batch.organization_id, batch.id);
    for (const from of revocableStatuses) {
      await moveBatch(transaction, batch, from, 'failed', {
        ...countsOf(totals),
        error: JSON.stringify({ code: 'generation_fenced', message: fencedMessage }),
      });
    }
  });
}

/** The error for a batch that no longer accepts pages. */
export function notOpen(batch: IngestionBatch): AppError {
  const error = batch.error as { code?: string; message?: string } | null;
  if (error?.code === 'generation_fenced') return fenced();
  return new AppError(
    'batch_not_open',
    `The batch is ${batch.status}${error?.message === undefined ? '' : `: ${error.message}`}`,
  );
}

function replay(batch: IngestionBatch, page: StagedPage, sha256: string): Staged {
  if (page.sha256 !== sha256) {
    throw new AppError(
      'page_content_mismatch',
      `Page ${page.page_number} is already staged with different content. A retry must send the same page.`,
      { extensions: { staged_sha256: page.sha256, sent_sha256: sha256 } },
    );
  }
  // The pages of a batch that ended without being applied no longer exist.
  if (['failed', 'aborted', 'expired'].includes(batch.status)) throw notOpen(batch);
  return { page, replayed: true };
}

/**
 * The key of an upsert: the sync's, else the table's, else the row id. In other modes, the key that the table
 * enforces.
 */
export function keysOf(batch: IngestionBatch, table: TableRow, sync: DataSync | undefined): string[] {
  if (batch.mode !== 'upsert') return uniqueKeysOf(table);
  const keys = sync === undefined || sync.key_columns.length === 0 ? table.key_columns : sync.key_columns;
  return keys.length === 0 ? [rowIdColumn] : keys;
}

function rulesOf(batch: IngestionBatch, keys: readonly string[]): PageRules {
  return {
    onBadRecord: batch.on_bad_record as PageRules['onBadRecord'],
    onNewField: batch.on_new_field,
    keys,
    repeats: batch.mode === 'upsert',
  };
}

/** The fields that a record may have: the table's columns and, in an upsert, the deletion flag. */
function fieldsOf(batch: IngestionBatch, columns: LakeColumn[]): LakeColumn[] {
  if (batch.mode !== 'upsert' || columns.some(({ name }) => name === deletedField)) return columns;
  return [...columns, { name: deletedField, dataType: 'BOOLEAN', nullable: true, typing: 'declared' }];
}

async function columnsOf(lake: LakeDeps, organizationId: string, table: TableRow): Promise<LakeColumn[]> {
  const { schema } = await lake.catalog.get(organizationId);
  const physical = await findPhysicalTable(lake.catalogPool, schema, table.name);
  if (physical === undefined) throw notFound('The table');
  return physical.columns;
}

function toRow(
  { organizationId, batchId, pageNumber }: { organizationId: string; batchId: string; pageNumber: number },
  content: PageSummary,
  keys: { objectKey: string | null; quarantineKey: string | null },
) {
  return {
    organization_id: organizationId,
    batch_id: batchId,
    page_number: pageNumber,
    sha256: content.sha256,
    size_bytes: content.sizeBytes,
    records: content.records,
    quarantined: content.bad.length,
    object_key: keys.objectKey,
    quarantine_key: keys.quarantineKey,
    columns: JSON.stringify(
      content.columns.map(({ name, dataType, isNew }) => ({ name, dataType, ...(isNew ? { isNew } : {}) })),
    ),
    row_id_min: content.rowIds === undefined ? null : String(content.rowIds.min),
    row_id_max: content.rowIds === undefined ? null : String(content.rowIds.max),
  };
}
