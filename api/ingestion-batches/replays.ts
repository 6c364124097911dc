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
import { memoOf } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { route } from '../route.ts';
import { idText } from '../schemas.ts';
import { batchView, oneBatch } from './schemas.ts';

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
  route(
    app,
    { db: deps.db, tag: 'Ingestion' },
    ['POST', '/v1/tables/:table_id/quarantine/replays'],
    {
      summary: 'Stage quarantined records again',
      description:
        'Opens a batch with the quarantined records of a batch or an import; those that fit now are applied, the rest stay quarantined. The file of an import is read again, with the types that the table has now. Poll the Location.',
      exists: (db, organizationId, { table_id: id }) => getTable(db, organizationId, id),
      body: replayBody,
      errors: ['conflict', 'workflows_unavailable'],
    },
    { 202: oneBatch },
    async ({ organizationId, caller, params, body, newId, request, reply }) => {
      const tableId = params.table_id;
      const source = await findSource(organizationId, tableId, body);
      const { batch } = await openBatch(deps, {
        organizationId,
        callerId: caller.id,
        memo: memoOf(request),
        batchId: newId('bat'),
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
      reply.header('Location', `/v1/tables/${tableId}/ingestion-batches/${batch.id}`);
      return { data: batchView(batch, { pages: 0, records: 0, quarantined: 0, bytes: 0 }) };
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
      onNewField: batch.on_new_field,
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
