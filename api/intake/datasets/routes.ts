import type { z } from 'zod';
import {
  changeDatasetSchedule,
  datasetCadences,
  showDataset,
  showDatasets,
  wakeDatasetSchedule,
} from '../../../domain/automation/schedules/dataset-schedules.ts';
import { getDataConnection } from '../../../domain/intake/data-connections/data-connections.ts';
import { changeDataset, createDataset } from '../../../domain/intake/datasets/change.ts';
import { deleteDataset, getDataset, listDatasets } from '../../../domain/intake/datasets/datasets.ts';
import type { CsvOptions } from '../../../packages/file-reader/index.ts';
import { memoOf } from '../../caller.ts';
import { camelKeys } from '../../camel-keys.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import type { Call } from '../../route.ts';
import {
  changeDatasetBody,
  createDatasetBody,
  datasetExample,
  datasetSchema,
  datasetView,
} from './schemas.ts';

const datasetPath = '/v1/connections/data/:connection_id/datasets/:dataset_id' as const;

/** Datasets: what is copied from a connection, and to which table. */
export function datasetsRoutes(app: Routes, deps: ApiDeps): void {
  const datasets = resource(app, deps, {
    tag: 'Data Connectors',
    path: datasetPath,
    schema: datasetSchema,
    example: datasetExample,
    parent: (db, organizationId, { connection_id: id }) => getDataConnection(db, organizationId, id),
    load: async (db, organizationId, { connection_id: connectionId, dataset_id: id }) =>
      showDataset(db, await getDataset(db, organizationId, id, connectionId)),
    view: datasetView,
  });

  datasets.list({
    summary: 'List the datasets of a connection, newest first',
    operationId: 'listDatasets',
    rows: async (db, { organizationId, params }, slice) =>
      showDatasets(db, organizationId, await listDatasets(db, organizationId, params.connection_id, slice)),
  });
  datasets.create({
    summary: 'Create a dataset',
    operationId: 'createDataset',
    audit: 'dataset.created',
    description:
      'Selects a resource of the source to copy into a table of the lake. The table is named after the dataset. Nothing is copied yet.',
    body: createDatasetBody,
    errors: ['name_taken', 'conflict', 'limit_reached', 'unsupported_option', 'invalid_cadence', 'not_found'],
    run: async ({ organizationId, params, body, caller, newId, transaction, request }) => {
      const place = { organizationId, connectionId: params.connection_id, id: newId('dst') };
      const given = { maxShrinkRatio: null, ...settingsOf(body), createdBy: caller.id };
      const dataset = await transaction(async (db) =>
        showDataset(db, await createDataset(db, datasetCadences, place, given)),
      );
      await wakeDatasetSchedule(deps, dataset, memoOf(request));
      return dataset;
    },
  });
  datasets.show({ summary: 'Show a dataset', operationId: 'getDataset' });
  datasets.change({
    summary: 'Change a dataset',
    operationId: 'updateDataset',
    audit: 'dataset.updated',
    description:
      "Fields that you omit keep their values. The resource can't change, and the table keeps its name.",
    body: changeDatasetBody,
    errors: ['name_taken', 'conflict', 'limit_reached', 'unsupported_option', 'invalid_cadence', 'not_found'],
    run: async ({ organizationId, params, body, transaction, request }) => {
      const place = { organizationId, connectionId: params.connection_id, id: params.dataset_id };
      const dataset = await transaction(async (db) =>
        showDataset(db, await changeDataset(db, datasetCadences, place, settingsOf(body))),
      );
      await wakeDatasetSchedule(deps, dataset, memoOf(request));
      return dataset;
    },
  });
  datasets.remove({
    summary: 'Delete a dataset',
    operationId: 'deleteDataset',
    audit: 'dataset.deleted',
    description:
      'This also deletes its runs. Its table stays. If a snapshot of the dataset is in progress, the response is 409 `conflict`.',
    errors: ['conflict'],
    run: ({ organizationId, params, transaction }) =>
      transaction(async (db) => {
        const { connection_id: connectionId, dataset_id: id } = params;
        const dataset = await getDataset(db, organizationId, id, connectionId, 'update');
        const ended = await showDataset(db, dataset);
        await deleteDataset(db, dataset);
        return ended;
      }),
  });
  const changeSchedule =
    (change: 'pause' | 'resume') =>
    async ({ organizationId, params, transaction, request }: Call<typeof datasetPath>) => {
      const { connection_id: connectionId, dataset_id: id } = params;
      const dataset = await transaction(async (db) => {
        const row = await getDataset(db, organizationId, id, connectionId, 'update');
        await changeDatasetSchedule(db, row, change);
        return showDataset(db, row);
      });
      await wakeDatasetSchedule(deps, dataset, memoOf(request));
      return dataset;
    };
  datasets.action('pause', {
    summary: 'Pause the schedule of a dataset',
    operationId: 'pauseDataset',
    audit: 'dataset.paused',
    description:
      'No scheduled snapshot is taken until the schedule is resumed. A snapshot in progress continues.',
    errors: ['conflict'],
    run: changeSchedule('pause'),
  });
  datasets.action('resume', {
    summary: 'Resume the schedule of a dataset',
    operationId: 'resumeDataset',
    audit: 'dataset.resumed',
    description: "Snapshots that were due while the schedule was paused aren't made up for.",
    errors: ['conflict'],
    run: changeSchedule('resume'),
  });
}

type Sent = z.output<typeof changeDatasetBody>;

type SentCsv<Body extends Sent> = CsvOptions | null | (undefined extends Body['csv'] ? undefined : never);

/** A request's settings in the names of the domain; absent ones are undefined. */
function settingsOf<Body extends Sent>(body: Body) {
  const { guard } = body;
  return {
    resource: body.resource as Body['resource'],
    name: body.name as Body['name'],
    snapshotEnabled: body.snapshot_enabled as Body['snapshot_enabled'],
    mode: body.mode as Body['mode'],
    cursor: body.cursor as Body['cursor'],
    keyColumns: body.key_columns as Body['key_columns'],
    csv: (body.csv == null ? body.csv : camelKeys(body.csv)) as SentCsv<Body>,
    unreadableValues: body.unreadable_values as Body['unreadable_values'],
    projectId: body.project_id as Body['project_id'],
    cadence: body.schedule as Body['schedule'],
    ...(guard === undefined ? {} : { maxShrinkRatio: guard?.max_shrink_ratio ?? null }),
  };
}
