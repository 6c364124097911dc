import { AppError } from '../../../data/errors.ts';
import { abortBatch, completeBatch } from '../../../domain/intake/ingestion/complete.ts';
import {
  getBatch,
  type IngestionBatch,
  listBatches,
} from '../../../domain/intake/ingestion/ingestion-batches.ts';
import { openBatch } from '../../../domain/intake/ingestion/open-batch.ts';
import { wakeBatch } from '../../../domain/intake/ingestion/process.ts';
import { stagePage } from '../../../domain/intake/ingestion/stage-page.ts';
import { stagedTotals } from '../../../domain/intake/ingestion/staged-pages.ts';
import { getTable } from '../../../domain/tables/tables/registry.ts';
import { memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { columnBody, sentColumnsOf } from '../../plugins/column-body.ts';
import { bodyLimits } from '../../plugins/json-body.ts';
import { resource } from '../../resource.ts';
import { type Load, route } from '../../route.ts';
import { confirmQuery } from '../../schemas.ts';
import { sentListOf } from '../../sent-list.ts';
import { readManifestPages } from './manifest.ts';
import {
  batchExample,
  batchSchema,
  batchView,
  completeBody,
  createBatchBody,
  listBatchesQuery,
  pageBody,
  pageParams,
  stagedPage,
  stagedPageView,
  stagingErrors,
} from './schemas.ts';

/** Exactly-once ingestion: pages in any order, one manifest, one commit. */
export function ingestionBatchesRoutes(app: Routes, deps: ApiDeps): void {
  const tag = {
    name: 'Ingestion',
    description: 'Load data exactly once with batches, provider snapshots and data syncs.',
  };
  const scope = 'tables:append';
  const find: Find = async (db, organizationId, params) => {
    await getTable(db, organizationId, params.table_id);
    return getBatch(db, organizationId, params.table_id, params.batch_id);
  };
  const batches = resource(app, deps, {
    tag,
    path: '/v1/tables/:table_id/ingestion-batches/:batch_id',
    schema: batchSchema,
    example: batchExample,
    // Also after its table was dropped: the outcome of a batch can still be read, and an open one be ended.
    load: (db, organizationId, { table_id: tableId, batch_id: id }) =>
      getBatch(db, organizationId, tableId, id),
    parent: (db, organizationId, { table_id: id }) => getTable(db, organizationId, id),
    view: async (batch, { transaction }) => {
      if (batch.pages_staged !== null) return batchView(batch, undefined);
      const totals = await transaction((db) => stagedTotals(db, batch.organization_id, batch.id));
      return batchView(batch, totals);
    },
  });

  batches.list({
    summary: 'List the batches of a table, newest first',
    scope,
    query: listBatchesQuery,
    rows: (db, { organizationId, params, query }, slice) =>
      listBatches(db, organizationId, slice, {
        table_id: params.table_id,
        ...(query.status === undefined ? {} : { status: query.status }),
      }),
  });
  batches.create({
    summary: 'Open an ingestion batch',
    audit: 'batch.opened',
    description:
      'Stage pages into the batch, complete it with the number of pages, and poll it. The service applies a batch once and as a whole, or not at all.',
    scope,
    body: createBatchBody,
    errors: ['not_appendable', 'unsupported_option', 'conflict', 'workflows_unavailable'],
    status: [201, 200],
    run: async ({ organizationId, caller, params, body, newId, request, reply }) => {
      const { batch, isNew } = await openBatch(deps, {
        organizationId,
        callerId: caller.id,
        memo: memoOf(request),
        batchId: newId('bat'),
        tableId: params.table_id,
        mode: body.mode,
        syncId: body.sync_id,
        clientBatchId: body.client_batch_id,
        expiresInSeconds: body.expires_in_seconds,
        onBadRecord: body.on_bad_record,
        onNewField: body.on_new_field,
        maxShrinkRatio: body.guard?.max_shrink_ratio,
        replayOf: undefined,
      });
      if (!isNew) reply.code(200);
      return batch;
    },
  });

  void app.register(async (scope) => {
    columnBody(scope);
    pageRoute(scope, deps, find);
  });

  batches.action('complete', {
    summary: 'Complete a batch',
    audit: 'batch.completed',
    description:
      'The manifest is exactly the pages 1 to `page_count`. The body can be up to 3 MiB, enough for the hashes of about 30,000 pages. Sending the same manifest again returns the same 202, even after the batch was applied. Poll the Location.',
    scope,
    exists: find,
    body: completeBody,
    bodyLimit: bodyLimits.manifest,
    errors: [
      'manifest_incomplete',
      'batch_not_open',
      'generation_fenced',
      'unsupported_option',
      'body_too_large',
    ],
    status: 202,
    run: async ({ organizationId, caller, params, body, transaction }) => {
      const { table_id: tableId, batch_id: batchId } = params;
      refuseReplay(await transaction((db) => find(db, organizationId, params, caller)));
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
      if (moved) await wakeBatch(deps, batch);
      return batch;
    },
  });

  batches.show({
    summary: 'Show a batch',
    description:
      'Tells you whether the data arrived: `applied` means that its rows are in the table, in `tableVersion`.',
    scope,
  });
  batches.remove({
    summary: 'Abort a batch',
    operationId: 'abortIngestionBatch',
    audit: 'batch.aborted',
    description:
      "You can abort a batch while it is open, completing or awaiting confirmation. Aborting it twice has the same result. A batch that is being applied can't be aborted.",
    scope,
    query: confirmQuery,
    errors: ['batch_not_open', 'generation_fenced'],
    run: async ({ organizationId, params }) => {
      const where = { organizationId, tableId: params.table_id, batchId: params.batch_id };
      const batch = await abortBatch(deps.db, where);
      if (batch.cleaned_at === null) await wakeBatch(deps, batch);
      return batch;
    },
  });
}

type Find = Load<'/:table_id/:batch_id', IngestionBatch>;

const pageText = `You can send pages in any order. A page can't change: if you send the same content again, the response says \`replayed\`, and other content is refused. Every record needs an integer \`s_id\`.

A page can also be a Parquet file or an Arrow IPC stream of up to 200,000 records, by its \`Content-Type\`. Each column has the name of a column of the table. Columns can't be nested, and a document is sent as JSON text. The \`sha256\` and \`sizeBytes\` of such a page are those of its bytes, before any \`Content-Encoding\`. One batch can have pages in several formats.`;

function pageRoute(app: Routes, deps: ApiDeps, find: Find): void {
  route(
    app,
    { db: deps.db, tag: 'Ingestion' },
    ['PUT', '/v1/tables/:table_id/ingestion-batches/:batch_id/pages/:page_number'],
    {
      summary: 'Stage a page of a batch',
      operationId: 'stagePage',
      audit: 'batch.page_staged',
      description: pageText,
      scope: 'tables:append',
      exists: (db, organizationId, named, caller) => find(db, organizationId, named, caller),
      params: pageParams,
      body: pageBody,
      rawBody: true,
      takesCompressed: true,
      bodyLimit: bodyLimits.rows,
      errors: stagingErrors,
    },
    { 200: stagedPage },
    async ({ organizationId, params, request }) => {
      const { page, replayed } = await stagePage(deps, {
        organizationId,
        tableId: params.table_id,
        batchId: params.batch_id,
        pageNumber: Number(params.page_number),
        body: sentColumnsOf(request) ?? sentListOf(request, 'records'),
        refuse: refusePages,
      });
      return { data: stagedPageView(page, replayed) };
    },
  );
}

/** A batch of quarantined records is staged and completed by its own process. */
function refuseReplay({ replay_of: replayOf }: IngestionBatch): void {
  if (replayOf === null) return;
  throw new AppError(
    'unsupported_option',
    'This batch stages quarantined records and completes itself. Poll it or abort it.',
  );
}

/** Refuses pages for batches whose pages are sent elsewhere. */
function refusePages(batch: IngestionBatch): void {
  refuseReplay(batch);
  const { mode, sync_id: syncId, id } = batch;
  if (mode !== 'provider_snapshot') return;
  throw new AppError(
    'unsupported_option',
    `Send the pages of a provider_snapshot batch through its data sync: POST /v1/data-syncs/${syncId}/snapshots/${id}/pages.`,
  );
}
