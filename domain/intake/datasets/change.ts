import { AppError, ValidationError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { CsvOptions } from '../../../packages/file-reader/index.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { replicationOf } from '../data-connections/change.ts';
import { type DataConnection, getDataConnection } from '../data-connections/data-connections.ts';
import { csvFaults } from '../file-imports/request-faults.ts';
import type { UnreadableValues } from './copy/copier.ts';
import { type Dataset, getDataset, insertDataset, updateDataset } from './datasets.ts';

export interface DatasetSettings {
  resource: string;
  name: string;
  snapshotEnabled: boolean;
  mode: 'full' | 'incremental';
  cursor: string | null;
  keyColumns: readonly string[];
  maxShrinkRatio: number | null;
  unreadableValues: UnreadableValues;
  /** Of object stores. */
  csv: CsvOptions | null;
  projectId: string | null;
  /** Stored as given; only the follower interprets it. */
  cadence: object | null;
}

/** Starts snapshots by the cadences of datasets. Implemented by schedules, which are in a higher wing. */
export interface CadenceFollower {
  /** @throws AppError invalid_cadence */
  refuseUnfit(cadence: object, before: object | null): void;
  /** Called in the transaction that changes the dataset. */
  follow(db: OrganizationTransaction, dataset: Dataset): Promise<void>;
}

export interface DatasetPlace {
  organizationId: string;
  connectionId: string;
  id: string;
}

export async function createDataset(
  db: OrganizationTransaction,
  follower: CadenceFollower,
  place: DatasetPlace,
  given: DatasetSettings & { createdBy: string },
): Promise<Dataset> {
  const { organizationId, connectionId, id } = place;
  // Locked, so that it is not deleted meanwhile.
  const connection = await getDataConnection(db, organizationId, connectionId, 'share');
  await refuseUnfit(db, connection, given);
  if (given.cadence !== null) follower.refuseUnfit(given.cadence, null);
  const dataset = await insertDataset(db, {
    organization_id: organizationId,
    id,
    connection_id: connectionId,
    resource: given.resource,
    ...columnsOf(given),
    created_by: given.createdBy,
  });
  await follower.follow(db, dataset);
  return dataset;
}

/** Fields left out stay unchanged. The resource cannot change: that would be another dataset. */
export async function changeDataset(
  db: OrganizationTransaction,
  follower: CadenceFollower,
  place: DatasetPlace,
  change: { [Key in keyof DatasetSettings]?: DatasetSettings[Key] | undefined },
): Promise<Dataset> {
  const { organizationId, connectionId, id } = place;
  const connection = await getDataConnection(db, organizationId, connectionId, 'share');
  const before = await getDataset(db, organizationId, id, connectionId, 'update');
  if (change.resource !== undefined && change.resource !== before.resource)
    throw new AppError(
      'unsupported_option',
      'The resource of a dataset cannot change, because the table contains its rows. Create a new dataset.',
    );
  const cadenceBefore = before.cadence as object | null;
  if (change.cadence != null) follower.refuseUnfit(change.cadence, cadenceBefore);
  const after: DatasetSettings = {
    resource: before.resource,
    name: change.name ?? before.name,
    snapshotEnabled: change.snapshotEnabled ?? before.snapshot_enabled,
    mode: change.mode ?? before.mode,
    cursor: change.cursor === undefined ? before.cursor_column : change.cursor,
    keyColumns: change.keyColumns ?? before.key_columns,
    maxShrinkRatio: change.maxShrinkRatio === undefined ? before.max_shrink_ratio : change.maxShrinkRatio,
    csv: change.csv === undefined ? before.csv : change.csv,
    unreadableValues: change.unreadableValues ?? (before.unreadable_values as UnreadableValues),
    projectId: change.projectId === undefined ? before.project_id : change.projectId,
    cadence: change.cadence === undefined ? cadenceBefore : change.cadence,
  };
  await refuseUnfit(db, connection, after, before);
  const dataset = await updateDataset(db, before, columnsOf(after));
  await follower.follow(db, dataset);
  return dataset;
}

function columnsOf(settings: DatasetSettings) {
  return {
    name: settings.name,
    snapshot_enabled: settings.snapshotEnabled,
    mode: settings.mode,
    cursor_column: settings.cursor,
    key_columns: [...settings.keyColumns],
    max_shrink_ratio: settings.maxShrinkRatio,
    unreadable_values: settings.unreadableValues,
    csv: settings.csv === null ? null : JSON.stringify(settings.csv),
    project_id: settings.projectId,
    cadence: settings.cadence === null ? null : JSON.stringify(settings.cadence),
  };
}

async function refuseUnfit(
  db: OrganizationTransaction,
  connection: DataConnection,
  settings: DatasetSettings,
  before?: Dataset,
): Promise<void> {
  const { organization_id: organizationId } = connection;
  if (settings.mode === 'incremental') refuseUnfitIncrement(connection, settings);
  const faults = settings.csv === null ? [] : csvFaults(settings.csv);
  if (faults.length > 0) throw new ValidationError(faults);
  if (settings.projectId !== null && settings.projectId !== before?.project_id)
    await getOpenProject(db, organizationId, settings.projectId);
  if (connection.type !== 'http' || before !== undefined) return;
  const resources = replicationOf(connection)?.resources ?? [];
  if (resources.some(({ request_path: path }) => path === settings.resource)) return;
  const known = resources.slice(0, 20).map(({ request_path: path }) => path);
  throw new ValidationError([
    {
      loc: ['body', 'resource'],
      msg: `The resource must be the request_path of a resource in the connection's http_replication. ${known.length === 0 ? 'It has no resources yet.' : `They are ${known.join(', ')}.`}`,
      type: 'value_error',
    },
  ]);
}

/**
 * An incremental dataset needs a cursor, and key columns to merge by. An HTTP resource has both in its
 * policy.
 */
function refuseUnfitIncrement(
  connection: DataConnection,
  { resource, cursor, keyColumns }: DatasetSettings,
): void {
  if (connection.type === 'http') {
    const policy = replicationOf(connection)?.resources?.find(({ request_path: path }) => path === resource);
    if (policy === undefined || policy.cursor !== undefined) return;
    throw new ValidationError([
      {
        loc: ['body', 'mode'],
        msg: `The resource ${resource} has no cursor in http_replication. Set a cursor there, or use the mode full.`,
        type: 'value_error',
      },
    ]);
  }
  if (connection.type !== 'postgres' && connection.type !== 'mysql')
    throw new AppError(
      'unsupported_option',
      `Datasets of ${connection.type} connections can only be copied as a whole. Use the mode full.`,
    );
  const missing = [
    ...(cursor === null
      ? [{ field: 'cursor', what: 'a cursor, a column whose value grows with every change' }]
      : []),
    ...(keyColumns.length === 0
      ? [{ field: 'key_columns', what: 'key columns, by which the service merges changed rows' }]
      : []),
  ];
  if (missing.length === 0) return;
  throw new ValidationError(
    missing.map(({ field, what }) => ({
      loc: ['body', field],
      msg: `An incremental dataset needs ${what}.`,
      type: 'missing',
    })),
  );
}
