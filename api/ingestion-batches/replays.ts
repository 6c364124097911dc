import { z } from 'zod';
import { AppError, notFound } from '../../data/errors.ts';
import { isId } from '../../data/ids.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { findLatestImport, getTableImport } from '../../domain/file-imports/table-imports.ts';
import { getBatch } from '../../domain/ingestion/ingestion-batches.ts';
import { openBatch } from '../../domain/ingestion/open-batch.ts';
import { countQuarantined } from '../../domain/ingestion/replay.ts';
import { countQuarantinedRows } from '../../domain/ingestion/replay-import.ts';
import { getTable } from '../../domain/tables/tables.ts';
import { callerOf, idFor, memoOf } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { envelope, idText } from '../schemas.ts';
import { tableParams } from '../tables/schemas.ts';
import { batchSchema, batchView } from './schemas.ts';

const replayBody = z
  .strictObject({
    batch_id: idText.optional().describe('A batch with `on_bad_record: quarantine`.'),
    import_id: idText.optional().describe('An import with `on_bad_row: quarantine`.'),
  })
  .refine((body) => (body.batch_id === undefined) !== (body.import_id === undefined), {
    message: 'Give either batch_id or import_id.',
  })
  .meta({
    oneOf: [{ required: ['batch_id'] }, { required: ['import_id'] }],
    examples: [{ batch_id: 'bat_01kahz3v6dfyvb1s8m3h9q2w4x' }],
  });

const aDaySeconds = 86_400;

/** Quarantined records, once the schema or the data is mended. */
export function quarantineReplaysRoutes(app: Routes, deps: ApiDeps): void {
  app.post(
    '/v1/tables/:table_id/quarantine/replays',
    {
      schema: {
        tags: ['Ingestion'],
        summary: 'Stage quarantined records again',
        description:
          'Opens a batch with the quarantined records of a batch or an import; those that fit now are applied, the rest stay quarantined. The file of an import is read again, with the types that the table has now. Poll the Location.',
        params: tableParams,
        body: replayBody,
        response: { 202: envelope(batchSchema) },
      },
      config: {
        scope: 'agent:write',
        errors: ['conflict', 'workflows_unavailable'],
        exists: (organizationId, params) =>
          inOrganization(deps.db, organizationId, (db) => getTable(db, organizationId, params['table_id']!)),
      },
    },
    async (request, reply) => {
      const { organizationId, id: callerId } = callerOf(request);
      const { table_id: tableId } = request.params;
      const source = await findSource(organizationId, tableId, request.body);
      const { batch } = await openBatch(deps, {
        organizationId,
        callerId,
        memo: memoOf(request),
        batchId: idFor(request, 'bat'),
        tableId,
        mode: source.mode,
        syncId: undefined,
        clientBatchId: undefined,
        expiresInSeconds: aDaySeconds,
        onBadRecord: 'quarantine',
        onNewField: source.onNewField,
        maxShrinkRatio: undefined,
        replayOf: source.id,
      });
      return reply
        .code(202)
        .header('Location', `/v1/tables/${tableId}/ingestion-batches/${batch.id}`)
        .send({ data: batchView(batch, { pages: 0, records: 0, quarantined: 0, bytes: 0 }) });
    },
  );

  /** What has records in quarantine, and how they were to come in. */
  async function findSource(
    organizationId: string,
    tableId: string,
    { batch_id: batchId, import_id: importId }: z.infer<typeof replayBody>,
  ) {
    const batch =
      batchId === undefined
        ? undefined
        : await inOrganization(deps.db, organizationId, async (db) => {
            await getTable(db, organizationId, tableId);
            return getBatch(db, organizationId, tableId, batchId);
          });
    // What a replay left in quarantine is still there under the batch or import it first came with.
    const id = batch === undefined ? importId! : (batch.replay_of ?? batch.id);
    if (batch === undefined || isId('imp', id)) return findImport(organizationId, tableId, id);
    if ((await countQuarantined(deps, organizationId, tableId, id)) === 0)
      throw notFound('A quarantined record of this batch');
    return {
      id,
      mode: batch.mode === 'upsert' ? ('upsert' as const) : ('append' as const),
      onNewField: batch.on_new_field as 'refuse' | 'add' | 'ignore',
    };
  }

  async function findImport(organizationId: string, tableId: string, id: string) {
    const { row, latest } = await inOrganization(deps.db, organizationId, async (db) => {
      await getTable(db, organizationId, tableId);
      const row = await getTableImport(db, organizationId, id);
      if (row.table_id !== tableId) throw notFound('The import');
      return { row, latest: await findLatestImport(db, organizationId, tableId) };
    });
    if ((await countQuarantinedRows(deps, row)) === 0) throw notFound('A quarantined record of this import');
    if (latest !== id) {
      throw new AppError(
        'conflict',
        'The table was imported anew since; replay the quarantine of its last import.',
      );
    }
    return { id, mode: 'append' as const, onNewField: 'refuse' as const };
  }
}
