import { z } from 'zod';
import { notFound } from '../../data/errors.ts';
import { countQuarantined } from '../../data/lake/batches/replay.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { getBatch } from '../../data/postgres/ingestion-batches.ts';
import { getTable } from '../../data/postgres/tables.ts';
import { callerOf, idFor, memoOf } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { envelope } from '../schemas.ts';
import { tableParams } from '../tables/schemas.ts';
import { batchSchema, batchView } from './schemas.ts';
import { openBatch } from './start.ts';

const replayBody = z
  .strictObject({ batch_id: z.string().min(1) })
  .meta({ examples: [{ batch_id: 'bat_01kahz3v6dfyvb1s8m3h9q2w4x' }] });

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
          'Opens a batch with the quarantined records of a batch; those that fit now are applied, the rest stay quarantined. Poll the Location.',
        params: tableParams,
        body: replayBody,
        response: { 202: envelope(batchSchema) },
      },
      config: {
        scope: 'agent:write',
        errors: ['conflict', 'workflows_unavailable', 'storage_unavailable'],
        exists: (organizationId, params) =>
          inOrganization(deps.db, organizationId, (db) => getTable(db, organizationId, params['table_id']!)),
      },
    },
    async (request, reply) => {
      const { organizationId, id: callerId } = callerOf(request);
      const { table_id: tableId } = request.params;
      const source = await inOrganization(deps.db, organizationId, async (db) => {
        await getTable(db, organizationId, tableId);
        return getBatch(db, organizationId, tableId, request.body.batch_id);
      });
      // What a replay left in quarantine is still there under the batch it first came with.
      const replayOf = source.replay_of ?? source.id;
      if ((await countQuarantined(deps, organizationId, tableId, replayOf)) === 0)
        throw notFound('A quarantined record of this batch');
      const { batch } = await openBatch(deps, {
        organizationId,
        callerId,
        memo: memoOf(request),
        batchId: idFor(request, 'bat'),
        tableId,
        mode: source.mode === 'upsert' ? 'upsert' : 'append',
        syncId: undefined,
        clientBatchId: undefined,
        expiresInSeconds: aDaySeconds,
        onBadRecord: 'quarantine',
        onNewField: source.on_new_field as 'refuse' | 'add' | 'ignore',
        maxShrinkRatio: undefined,
        replayOf,
      });
      return reply
        .code(202)
        .header('Location', `/v1/tables/${tableId}/ingestion-batches/${batch.id}`)
        .send({ data: batchView(batch, { pages: 0, records: 0, quarantined: 0, bytes: 0 }) });
    },
  );
}
