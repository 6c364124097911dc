import { AppError } from '../../data/errors.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { wake } from '../../data/processes/starter.ts';
import { abortBatch, completeBatch } from '../../domain/ingestion/complete.ts';
import { getBatch, type IngestionBatch } from '../../domain/ingestion/ingestion-batches.ts';
import { openBatch } from '../../domain/ingestion/open-batch.ts';
import { stagePage } from '../../domain/ingestion/stage-page.ts';
import { stagedTotals } from '../../domain/ingestion/staged-pages.ts';
import { getTable } from '../../domain/tables/tables.ts';
import { ingestionBatchWorkflowId, wakeIngestionBatchSignal } from '../../workflows/ingestion-batch/names.ts';
import { callerOf, idFor, memoOf } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { bodyLimits } from '../plugins/json-body.ts';
import { confirmQuery, envelope } from '../schemas.ts';
import { sentListOf } from '../sent-list.ts';
import { tableParams } from '../tables/schemas.ts';
import { readManifestPages } from './manifest.ts';
import {
  batchParams,
  batchSchema,
  batchView,
  completeBody,
  createBatchBody,
  pageBody,
  pageParams,
  stagedPageSchema,
  stagedPageView,
} from './schemas.ts';

/** Exactly-once ingestion: pages in any order, one manifest, one commit. */
export function ingestionBatchesRoutes(app: Routes, deps: ApiDeps): void {
  const tags = ['Ingestion'];
  const scope = 'tables:append';
  const tableExists = (organizationId: string, params: Record<string, string>) =>
    inOrganization(deps.db, organizationId, (db) => getTable(db, organizationId, params['table_id']!));
  const find = (organizationId: string, tableId: string, id: string) =>
    inOrganization(deps.db, organizationId, async (db) => {
      await getTable(db, organizationId, tableId);
      return getBatch(db, organizationId, tableId, id);
    });
  const exists = (organizationId: string, params: Record<string, string>) =>
    find(organizationId, params['table_id']!, params['batch_id']!);

  /** Also where its table is gone: what became of the batch can still be asked, and an open one be ended. */
  const findKept = (organizationId: string, tableId: string, id: string) =>
    inOrganization(deps.db, organizationId, (db) => getBatch(db, organizationId, tableId, id));
  const isKept = (organizationId: string, params: Record<string, string>) =>
    findKept(organizationId, params['table_id']!, params['batch_id']!);

  async function view(batch: IngestionBatch) {
    if (batch.pages_staged !== null) return batchView(batch, undefined);
    const totals = await inOrganization(deps.db, batch.organization_id, (db) =>
      stagedTotals(db, batch.organization_id, batch.id),
    );
    return batchView(batch, totals);
  }

  app.post(
    '/v1/tables/:table_id/ingestion-batches',
    {
      schema: {
        tags,
        summary: 'Open an ingestion batch',
        description:
          'Stage pages into it, complete it with their number, and poll it: it is applied once and whole, or not at all.',
        params: tableParams,
        body: createBatchBody,
        response: { 200: envelope(batchSchema), 201: envelope(batchSchema) },
      },
      config: {
        scope,
        exists: tableExists,
        errors: ['not_appendable', 'unsupported_option', 'conflict', 'workflows_unavailable'],
      },
    },
    async (request, reply) => {
      const { organizationId, id: callerId } = callerOf(request);
      const { body } = request;
      const { batch, isNew } = await openBatch(deps, {
        organizationId,
        callerId,
        memo: memoOf(request),
        batchId: idFor(request, 'bat'),
        tableId: request.params.table_id,
        mode: body.mode,
        syncId: body.sync_id,
        clientBatchId: body.client_batch_id,
        expiresInSeconds: body.expires_in_seconds,
        onBadRecord: body.on_bad_record,
        onNewField: body.on_new_field,
        maxShrinkRatio: body.guard?.max_shrink_ratio,
        replayOf: undefined,
      });
      return reply
        .code(isNew ? 201 : 200)
        .header('Location', `/v1/tables/${batch.table_id}/ingestion-batches/${batch.id}`)
        .send({ data: await view(batch) });
    },
  );

  app.put(
    '/v1/tables/:table_id/ingestion-batches/:batch_id/pages/:page_number',
    {
      bodyLimit: bodyLimits.rows,
      schema: {
        tags,
        summary: 'Stage a page of a batch',
        description:
          'Pages come in any order and are immutable: the same content again is told as `replayed`, other content is refused. Every record carries an integer `s_id`.',
        params: pageParams,
        body: pageBody,
        response: { 200: envelope(stagedPageSchema) },
      },
      config: {
        scope,
        exists,
        rawBody: true,
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
      const { table_id: tableId, batch_id: batchId, page_number: pageNumber } = request.params;
      const { page, replayed } = await stagePage(deps, {
        organizationId,
        tableId,
        batchId,
        pageNumber,
        body: sentListOf(request, 'records'),
        refuse: refusePages,
      });
      return { data: stagedPageView(page, replayed) };
    },
  );

  app.post(
    '/v1/tables/:table_id/ingestion-batches/:batch_id/complete',
    {
      bodyLimit: bodyLimits.manifest,
      schema: {
        tags,
        summary: 'Complete a batch',
        description:
          'The manifest is the pages 1 to `page_count`, exactly; a body of 3 MiB names the hashes of some 30,000 of them. The same manifest again is the same 202, also once the batch is applied; poll the Location.',
        params: batchParams,
        body: completeBody,
        response: { 202: envelope(batchSchema) },
      },
      config: {
        scope,
        exists,
        errors: [
          'manifest_incomplete',
          'batch_not_open',
          'generation_fenced',
          'unsupported_option',
          'body_too_large',
        ],
      },
    },
    async (request, reply) => {
      const { organizationId } = callerOf(request);
      const { table_id: tableId, batch_id: batchId } = request.params;
      const { body } = request;
      refuseReplay(await find(organizationId, tableId, batchId));
      const { batch, moved } = await completeBatch(
        deps.db,
        { organizationId, tableId, batchId },
        {
          pageCount: body.page_count,
          pages: body.pages && (await readManifestPages(body.pages)),
          checkpoint: body.checkpoint,
          confirmShrink: body.confirm_shrink,
        },
      );
      if (moved) await wake(deps, ingestionBatchWorkflowId(batch.id), wakeIngestionBatchSignal);
      return reply
        .code(202)
        .header('Location', `/v1/tables/${tableId}/ingestion-batches/${batchId}`)
        .send({ data: await view(batch) });
    },
  );

  app.get(
    '/v1/tables/:table_id/ingestion-batches/:batch_id',
    {
      schema: {
        tags,
        summary: 'Show a batch',
        description:
          'Always answers "did it land?": `applied` means its rows are in the table, in `tableVersion`.',
        params: batchParams,
        response: { 200: envelope(batchSchema) },
      },
      config: { scope, exists: isKept },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { table_id: tableId, batch_id: batchId } = request.params;
      return { data: await view(await findKept(organizationId, tableId, batchId)) };
    },
  );

  app.delete(
    '/v1/tables/:table_id/ingestion-batches/:batch_id',
    {
      schema: {
        tags,
        summary: 'Abort a batch',
        description:
          'While it is open, completing or awaiting confirmation. Aborting twice is the same; a batch that is being applied cannot be taken back.',
        params: batchParams,
        querystring: confirmQuery,
        response: { 200: envelope(batchSchema) },
      },
      config: { scope, exists: isKept, errors: ['batch_not_open', 'generation_fenced'] },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const { table_id: tableId, batch_id: batchId } = request.params;
      const batch = await abortBatch(deps.db, { organizationId, tableId, batchId });
      if (batch.cleaned_at === null)
        await wake(deps, ingestionBatchWorkflowId(batch.id), wakeIngestionBatchSignal);
      return { data: await view(batch) };
    },
  );
}

/** A batch of quarantined records is staged and completed by its own process. */
function refuseReplay({ replay_of: replayOf }: IngestionBatch): void {
  if (replayOf === null) return;
  throw new AppError(
    'unsupported_option',
    'This batch stages quarantined records and completes itself; poll it, or abort it.',
  );
}

/** Pages that come another way than to the batch itself. */
function refusePages(batch: IngestionBatch): void {
  refuseReplay(batch);
  const { mode, sync_id: syncId, id } = batch;
  if (mode !== 'provider_snapshot') return;
  throw new AppError(
    'unsupported_option',
    `A provider_snapshot batch takes its pages through its data sync: POST /v1/data-syncs/${syncId}/snapshots/${id}/pages.`,
  );
}
