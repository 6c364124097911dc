import { AppError, notFound, ValidationError } from '../../data/errors.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { getDataSync, insertDataSync, listDataSyncs } from '../../domain/ingestion/data-syncs.ts';
import { rotate } from '../../domain/ingestion/finish.ts';
import { findBatch } from '../../domain/ingestion/ingestion-batches.ts';
import { stagePage } from '../../domain/ingestion/stage-page.ts';
import { findPage } from '../../domain/ingestion/staged-pages.ts';
import { createdAtColumn } from '../../domain/tables/column-name.ts';
import { findPhysicalTable } from '../../domain/tables/columns.ts';
import { getTable, type TableRow } from '../../domain/tables/tables.ts';
import { callerOf, idFor } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { pageIdOf } from '../ingestion-batches/schemas.ts';
import { bodyLimits } from '../plugins/json-body.ts';
import { decodeCursor, envelope, idCursor, page, pageQuery, toPage } from '../schemas.ts';
import { sentListOf } from '../sent-list.ts';
import {
  checkpointSchema,
  createSyncBody,
  generationBody,
  snapshotPageBody,
  snapshotPageOf,
  snapshotPageSchema,
  snapshotParams,
  stagedMetadataSchema,
  syncPageParams,
  syncParams,
  syncSchema,
  syncView,
} from './schemas.ts';

/** Data syncs: the source behind a table, its generation and how far its client has come. */
export function dataSyncsRoutes(app: Routes, deps: ApiDeps): void {
  const tags = ['Ingestion'];
  const find = (organizationId: string, id: string) =>
    inOrganization(deps.db, organizationId, (db) => getDataSync(db, organizationId, id));
  const exists = (organizationId: string, params: Record<string, string>) =>
    find(organizationId, params['sync_id']!);
  const findSnapshot = (organizationId: string, syncId: string, id: string) =>
    inOrganization(deps.db, organizationId, async (db) => {
      const sync = await getDataSync(db, organizationId, syncId);
      const batch = await findBatch(db, organizationId, id);
      if (batch === undefined || batch.sync_id !== sync.id) throw notFound('The snapshot');
      return batch;
    });
  const findStaged = (organizationId: string, syncId: string, pageId: string) =>
    inOrganization(deps.db, organizationId, async (db) => {
      const [batchId = '', number = ''] = pageId.split('.');
      const sync = await getDataSync(db, organizationId, syncId);
      const batch = await findBatch(db, organizationId, batchId);
      const staged =
        batch?.sync_id === sync.id && /^[1-9]\d{0,5}$/.test(number)
          ? await findPage(db, organizationId, batchId, Number(number))
          : undefined;
      if (staged === undefined || pageIdOf(staged) !== pageId) throw notFound('The page');
      return staged;
    });

  app.post(
    '/v1/data-syncs',
    {
      schema: {
        tags,
        summary: 'Create a data sync',
        body: createSyncBody,
        response: { 201: envelope(syncSchema) },
      },
      config: { scope: 'agent:write', errors: ['not_found', 'not_appendable'] },
    },
    async (request, reply) => {
      const { organizationId, id: createdBy } = callerOf(request);
      const { table_id: tableId, key_columns: keyColumns, provider, generation } = request.body;
      const table = await inOrganization(deps.db, organizationId, (db) =>
        getTable(db, organizationId, tableId),
      );
      if (table.kind !== 'data') {
        throw new AppError('not_appendable', `A table of the kind ${table.kind} takes no batches.`);
      }
      await refuseUnknownKeys(organizationId, table, keyColumns);
      const sync = await inOrganization(deps.db, organizationId, (db) =>
        insertDataSync(db, {
          organization_id: organizationId,
          id: idFor(request, 'dsn'),
          table_id: table.id,
          provider,
          generation,
          key_columns: keyColumns,
          created_by: createdBy,
        }),
      );
      return reply.code(201).send({ data: syncView(sync) });
    },
  );

  async function refuseUnknownKeys(
    organizationId: string,
    table: TableRow,
    keys: readonly string[],
  ): Promise<void> {
    if (keys.length === 0) return;
    const lake = await deps.lake.catalog.get(organizationId);
    const physical = await findPhysicalTable(deps.lake.catalogPool, lake.schema, table.name);
    const faults = keys.flatMap((key, index) => {
      const isKnown = key !== createdAtColumn && physical?.columns.some(({ name }) => name === key) === true;
      const isRepeated = keys.indexOf(key) !== index;
      if (isKnown && !isRepeated) return [];
      const msg = isRepeated ? 'Key columns must differ.' : 'The table has no such column that can be a key.';
      return [{ loc: ['body', 'key_columns', index], msg, type: 'value_error' }];
    });
    if (faults.length > 0) throw new ValidationError(faults);
  }

  app.get(
    '/v1/data-syncs',
    {
      schema: {
        tags,
        summary: 'List data syncs, oldest first',
        querystring: pageQuery,
        response: { 200: page(syncSchema) },
      },
      config: { scope: 'agent:read' },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { limit } = request.query;
      const after = decodeCursor(idCursor, request);
      const rows = await inOrganization(deps.db, organizationId, (db) =>
        listDataSyncs(db, organizationId, after, limit + 1),
      );
      return toPage(request, rows, ({ id }) => id, syncView);
    },
  );

  app.put(
    '/v1/data-syncs/:sync_id/generation',
    {
      schema: {
        tags,
        summary: 'Rotate the generation',
        description:
          'Batches opened under the generation before are fenced: at their next page, and when they would be applied.',
        params: syncParams,
        body: generationBody,
        response: { 200: envelope(syncSchema) },
      },
      config: { scope: 'agent:write', exists },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const sync = await rotate(deps, organizationId, request.params.sync_id, request.body.generation);
      return { data: syncView(sync) };
    },
  );

  app.post(
    '/v1/data-syncs/:sync_id/snapshots/:snapshot_id/pages',
    {
      bodyLimit: bodyLimits.rows,
      schema: {
        tags,
        summary: 'Stage a page of a provider snapshot',
        description:
          '`snapshot_id` is the id of a provider_snapshot batch of this sync. Pages come in any order and are immutable; a retry with the same canonical JSON is told as `replayed`.',
        params: snapshotParams,
        body: snapshotPageBody,
        response: { 200: envelope(snapshotPageSchema) },
      },
      config: {
        scope: 'tables:append',
        rawBody: true,
        exists: (organizationId, params) =>
          findSnapshot(organizationId, params['sync_id']!, params['snapshot_id']!),
        errors: [
          'page_content_mismatch',
          'batch_not_open',
          'generation_fenced',
          'duplicate_row_id',
          'not_appendable',
          'unsupported_option',
          'body_too_large',
        ],
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { sync_id: syncId, snapshot_id: snapshotId } = request.params;
      const batch = await findSnapshot(organizationId, syncId, snapshotId);
      if (batch.mode !== 'provider_snapshot') {
        throw new AppError(
          'unsupported_option',
          `A batch in mode ${batch.mode} takes its pages at PUT /v1/tables/${batch.table_id}/ingestion-batches/${batch.id}/pages/{n}.`,
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

  app.get(
    '/v1/data-syncs/:sync_id/checkpoint',
    {
      schema: {
        tags,
        summary: 'Show the last applied batch and its checkpoint',
        params: syncParams,
        response: { 200: envelope(checkpointSchema) },
      },
      config: { scope: 'tables:append', exists },
    },
    async (request) => {
      const sync = await find(callerOf(request).organizationId, request.params.sync_id);
      return {
        data: {
          checkpoint: sync.checkpoint ?? null,
          generation: sync.checkpoint_generation,
          batchId: sync.checkpoint_batch_id,
          appliedAt: sync.applied_at?.toISOString() ?? null,
        },
      };
    },
  );

  app.get(
    '/v1/data-syncs/:sync_id/pages/:page_id',
    {
      schema: {
        tags,
        summary: 'Show what is known of a staged page',
        description: '`page_id` is `{batch_id}.{page_number}`.',
        params: syncPageParams,
        response: { 200: envelope(stagedMetadataSchema) },
      },
      config: {
        scope: 'tables:append',
        exists: (organizationId, params) =>
          findStaged(organizationId, params['sync_id']!, params['page_id']!),
      },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const staged = await findStaged(organizationId, request.params.sync_id, request.params.page_id);
      return {
        data: {
          pageId: pageIdOf(staged),
          batchId: staged.batch_id,
          pageNumber: staged.page_number,
          sizeBytes: String(staged.size_bytes),
          sha256: staged.sha256,
          records: staged.records,
          quarantined: staged.quarantined,
          stagedAt: staged.staged_at.toISOString(),
        },
      };
    },
  );
}
