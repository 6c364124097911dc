import { getDataConnection } from '../../../domain/intake/data-connections/data-connections.ts';
import { cancelSnapshot, confirmSnapshot } from '../../../domain/intake/datasets/cancel.ts';
import { getDataset } from '../../../domain/intake/datasets/datasets.ts';
import { getSnapshotRun, listSnapshotRuns } from '../../../domain/intake/datasets/snapshot-runs.ts';
import { startSnapshot } from '../../../domain/intake/datasets/start.ts';
import { memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import {
  confirmQuery,
  decodeCursor,
  idCursor,
  type ListRequest,
  page,
  pageQuery,
  toPage,
} from '../../schemas.ts';
import { snapshotExample, snapshotSchema, snapshotView } from './snapshot-schemas.ts';

const tag = 'Data Connectors';

/** Snapshots of datasets, each a durable process. */
export function snapshotsRoutes(app: Routes, deps: ApiDeps): void {
  const snapshots = resource(app, deps, {
    tag,
    path: '/v1/connections/data/:connection_id/datasets/:dataset_id/snapshots/:run_id',
    schema: snapshotSchema,
    example: snapshotExample,
    parent: (db, organizationId, { connection_id: connectionId, dataset_id: id }) =>
      getDataset(db, organizationId, id, connectionId),
    load: async (db, organizationId, params) => {
      await getDataset(db, organizationId, params.dataset_id, params.connection_id);
      return getSnapshotRun(db, organizationId, params.run_id, params.dataset_id);
    },
    view: snapshotView,
  });

  snapshots.create({
    summary: 'Take a snapshot of a dataset',
    operationId: 'takeSnapshot',
    audit: 'snapshot.started',
    description:
      'Copies the current data of the source into the lake. The snapshot runs in the background: the response is 202. Poll the Location until the status is succeeded, failed or cancelled, then find the table by `snapshotTableName`. The table always shows either all of its new content or all of its old content. A dataset has one snapshot at a time; a second one gets 409 `snapshot_active`. Snapshots must be enabled; otherwise the response is 409 `snapshot_not_enabled` and says what to set.',
    status: 202,
    errors: [
      'admin_required',
      ...(['snapshot_not_enabled', 'snapshot_active', 'name_taken', 'conflict'] as const),
      'workflows_unavailable',
    ],
    run: ({ organizationId, params, caller, request, newId }) =>
      startSnapshot(deps, {
        organizationId,
        connectionId: params.connection_id,
        datasetId: params.dataset_id,
        callerId: caller.id,
        memo: memoOf(request),
        runId: newId('snp'),
        newTableId: newId('tbl'),
      }),
  });
  snapshots.list({
    summary: 'List the snapshots of a dataset, newest first',
    operationId: 'listSnapshots',
    rows: (db, { organizationId, params }, slice) =>
      listSnapshotRuns(db, organizationId, slice, { dataset_id: params.dataset_id }),
  });
  snapshots.show({ summary: 'Show a snapshot', operationId: 'getSnapshot' });
  snapshots.action('cancel', {
    summary: 'Cancel a snapshot',
    operationId: 'cancelSnapshot',
    audit: 'snapshot.cancelled',
    description: "A snapshot that has ended doesn't change. A snapshot that is committing can still succeed.",
    query: confirmQuery,
    status: [200, 202],
    run: async ({ organizationId, params, reply }) => {
      const place = { organizationId, datasetId: params.dataset_id, runId: params.run_id };
      const { row, isAsked } = await cancelSnapshot(deps, place);
      if (isAsked) reply.code(202);
      return row;
    },
  });
  snapshots.action('confirm', {
    summary: 'Confirm a snapshot',
    operationId: 'confirmSnapshot',
    audit: 'snapshot.confirmed',
    description:
      'Confirms a snapshot that would lose more rows than its guard allows. If nobody confirms it within 24 hours, it fails.',
    errors: ['conflict'],
    run: ({ organizationId, params }) =>
      confirmSnapshot(deps, { organizationId, datasetId: params.dataset_id, runId: params.run_id }),
  });

  const collection = '/v1/connections/data/:connection_id/snapshots';
  route(
    app,
    { db: deps.db, tag },
    ['GET', collection],
    {
      summary: 'List the snapshots of a connection, newest first',
      operationId: 'listConnectionSnapshots',
      exists: (db, organizationId, { connection_id: id }) => getDataConnection(db, organizationId, id),
      query: pageQuery,
    },
    {
      200: page(snapshotSchema).meta({ examples: [{ items: [snapshotExample], nextCursor: null }] }),
    },
    async ({ organizationId, params, query, request, transaction }) => {
      const list = request as unknown as ListRequest;
      const after = decodeCursor(idCursor, list);
      const rows = await transaction(async (db) => {
        await getDataConnection(db, organizationId, params.connection_id);
        const slice = { after, limit: query.limit + 1 };
        return listSnapshotRuns(db, organizationId, slice, { connection_id: params.connection_id });
      });
      return toPage(list, rows, ({ id }) => id, snapshotView);
    },
  );
}
