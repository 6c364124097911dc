import { z } from 'zod';
import { openBatch } from '../../../domain/intake/ingestion/open-batch.ts';
import { findReplaySource } from '../../../domain/intake/ingestion/replay-source.ts';
import { getTable } from '../../../domain/tables/tables/registry.ts';
import { memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { route } from '../../route.ts';
import { idText } from '../../schemas.ts';
import { batchView, oneBatch } from './schemas.ts';

const replayBody = z
  .strictObject({
    batch_id: idText.optional().describe('A batch with `on_bad_record: quarantine`.'),
    import_id: idText.optional().describe('An import with `on_bad_row: quarantine`.'),
  })
  .refine((body) => (body.batch_id === undefined) !== (body.import_id === undefined), {
    message: 'Send either batch_id or import_id.',
  })
  .meta({
    oneOf: [
      { title: 'batch', required: ['batch_id'], properties: { import_id: false } },
      { title: 'import', required: ['import_id'], properties: { batch_id: false } },
    ],
    examples: [{ batch_id: 'bat_01kahz3v6dfyvb1s8m3h9q2w4x' }],
  });

const aDaySeconds = 86_400;

/** Replays of quarantined records, after the schema or the data was corrected. */
export function quarantineReplaysRoutes(app: Routes, deps: ApiDeps): void {
  route(
    app,
    { db: deps.db, tag: 'Ingestion' },
    ['POST', '/v1/tables/:table_id/quarantine/replays'],
    {
      summary: 'Replay quarantined records',
      operationId: 'replayQuarantine',
      audit: 'quarantine.replayed',
      description:
        'Opens a batch with the quarantined records of a batch or an import. Records that fit now are applied; the others stay quarantined. The file of an import is read again with the current types of the table. Poll the Location.',
      exists: (db, organizationId, { table_id: id }) => getTable(db, organizationId, id),
      body: replayBody,
      errors: ['conflict', 'workflows_unavailable'],
    },
    { 202: oneBatch },
    async ({ organizationId, caller, params, body, newId, request, reply }) => {
      const tableId = params.table_id;
      const { source, id, mode, onNewField } = await findReplaySource(deps, {
        organizationId,
        tableId,
        batchId: body.batch_id,
        importId: body.import_id,
      });
      const { batch } = await openBatch(deps, {
        organizationId,
        callerId: caller.id,
        memo: memoOf(request),
        batchId: newId('bat'),
        tableId,
        mode,
        syncId: undefined,
        clientBatchId: undefined,
        expiresInSeconds: aDaySeconds,
        onBadRecord: 'quarantine',
        onNewField,
        maxShrinkRatio: undefined,
        replayOf: { source, id },
      });
      reply.header('Location', `/v1/tables/${tableId}/ingestion-batches/${batch.id}`);
      return { data: batchView(batch, { pages: 0, records: 0, quarantined: 0, bytes: 0 }) };
    },
  );
}
