import { AppError, notFound } from '../../../data/errors.ts';
import { createDataSync } from '../../../domain/intake/ingestion/create-sync.ts';
import { type DataSync, getDataSync, listDataSyncs } from '../../../domain/intake/ingestion/data-syncs.ts';
import { rotate } from '../../../domain/intake/ingestion/finish.ts';
import { findBatch, type IngestionBatch } from '../../../domain/intake/ingestion/ingestion-batches.ts';
import { stagePage } from '../../../domain/intake/ingestion/stage-page.ts';
import { findPage, type StagedPage } from '../../../domain/intake/ingestion/staged-pages.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { bodyLimits } from '../../plugins/json-body.ts';
import { resource } from '../../resource.ts';
import { type Load, route } from '../../route.ts';
import { sentListOf } from '../../sent-list.ts';
import { pageIdOf, stagingErrors } from '../ingestion-batches/schemas.ts';
import {
  checkpoint,
  checkpointView,
  createSyncBody,
  generationBody,
  oneSync,
  snapshotPage,
  snapshotPageBody,
  snapshotPageOf,
  stagedMetadata,
  stagedMetadataView,
  syncExample,
  syncSchema,
  syncView,
} from './schemas.ts';

/** Data syncs: the source behind a table, its generation and its client's progress. */
export function dataSyncsRoutes(app: Routes, deps: ApiDeps): void {
  const at = { db: deps.db, tag: 'Ingestion' };
  const load: Load<'/:sync_id', DataSync> = (db, organizationId, { sync_id: id }) =>
    getDataSync(db, organizationId, id);
  const syncs = resource(app, deps, {
    tag: at.tag,
    path: '/v1/data-syncs/:sync_id',
    schema: syncSchema,
    example: syncExample,
    load,
    view: syncView,
  });

  route(
    app,
    at,
    ['POST', '/v1/data-syncs'],
    {
      summary: 'Create a data sync',
      audit: 'sync.created',
      body: createSyncBody,
      errors: ['admin_required', 'not_found', 'not_appendable'],
    },
    { 201: oneSync },
    async ({ organizationId, caller, body, newId }) => {
      const { table_id: tableId, key_columns: keyColumns, provider, generation } = body;
      const sync = await createDataSync(deps, {
        organizationId,
        id: newId('dsn'),
        tableId,
        provider,
        generation,
        keyColumns,
        callerId: caller.id,
      });
      return { data: syncView(sync) };
    },
  );
  syncs.list({
    summary: 'List data syncs, oldest first',
    rows: (db, { organizationId }, { after, limit }) => listDataSyncs(db, organizationId, after, limit),
  });
  syncs.replace({
    at: '/v1/data-syncs/:sync_id/generation',
    exists: load,
    summary: 'Rotate the generation',
    operationId: 'rotateDataSyncGeneration',
    audit: 'sync.generation_rotated',
    description:
      'Batches of the old generation are refused: at their next page, and before they are applied.',
    body: generationBody,
    run: ({ organizationId, params, body }) => rotate(deps, organizationId, params.sync_id, body.generation),
  });

  route(
    app,
    at,
    ['POST', '/v1/data-syncs/:sync_id/snapshots/:snapshot_id/pages'],
    {
      summary: 'Stage a page of a provider snapshot',
      operationId: 'stageSnapshotPage',
      audit: 'batch.page_staged',
      description:
        "`snapshot_id` is the id of a provider_snapshot batch of this sync. You can send pages in any order. A page can't change. If you send the same canonical JSON again, the response says `replayed`.",
      scope: 'tables:append',
      exists: loadSnapshot,
      body: snapshotPageBody,
      rawBody: true,
      takesCompressed: true,
      bodyLimit: bodyLimits.rows,
      errors: stagingErrors,
    },
    { 200: snapshotPage },
    async ({ organizationId, caller, params, request, transaction }) => {
      const batch = await transaction((db) => loadSnapshot(db, organizationId, params, caller));
      if (batch.mode !== 'provider_snapshot') {
        throw new AppError(
          'unsupported_option',
          `Send the pages of a batch in mode ${batch.mode} to PUT /v1/tables/${batch.table_id}/ingestion-batches/${batch.id}/pages/{n}.`,
        );
      }
      const body = sentListOf(request, 'records', ['page_number', 'sync_generation']);
      const read = await deps.reader.read(organizationId, 'members', { body });
      const { page_number: pageNumber, sync_generation: generation } = snapshotPageOf(read);
      const { page: staged, replayed } = await stagePage(deps, {
        organizationId,
        tableId: batch.table_id,
        batchId: batch.id,
        pageNumber,
        generation,
        body,
      });
      return { data: { pageNumber, sizeBytes: String(staged.size_bytes), replayed } };
    },
  );

  route(
    app,
    at,
    ['GET', '/v1/data-syncs/:sync_id/checkpoint'],
    {
      summary: 'Show the last applied batch and its checkpoint',
      scope: 'tables:append',
      exists: load,
    },
    { 200: checkpoint },
    async ({ organizationId, caller, params, transaction }) => ({
      data: checkpointView(await transaction((db) => load(db, organizationId, params, caller))),
    }),
  );

  route(
    app,
    at,
    ['GET', '/v1/data-syncs/:sync_id/pages/:page_id'],
    {
      summary: 'Show a staged page',
      description: '`page_id` is `{batch_id}.{page_number}`.',
      scope: 'tables:append',
      exists: loadPage,
    },
    { 200: stagedMetadata },
    async ({ organizationId, caller, params, transaction }) => ({
      data: stagedMetadataView(await transaction((db) => loadPage(db, organizationId, params, caller))),
    }),
  );
}

const loadSnapshot: Load<'/:sync_id/:snapshot_id', IngestionBatch> = async (db, organizationId, params) => {
  const sync = await getDataSync(db, organizationId, params.sync_id);
  const batch = await findBatch(db, organizationId, params.snapshot_id);
  if (batch === undefined || batch.sync_id !== sync.id) throw notFound('The snapshot');
  return batch;
};

const loadPage: Load<'/:sync_id/:page_id', StagedPage> = async (db, organizationId, params) => {
  const [batchId = '', number = ''] = params.page_id.split('.');
  const sync = await getDataSync(db, organizationId, params.sync_id);
  const batch = await findBatch(db, organizationId, batchId);
  const staged =
    batch?.sync_id === sync.id && /^[1-9]\d{0,5}$/.test(number)
      ? await findPage(db, organizationId, batchId, Number(number))
      : undefined;
  if (staged === undefined || pageIdOf(staged) !== params.page_id) throw notFound('The page');
  return staged;
};
