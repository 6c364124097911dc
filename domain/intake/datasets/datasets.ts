import { type Insertable, sql, type Updateable } from 'kysely';
import { AppError, notFound } from '../../../data/errors.ts';
import { unrestricted } from '../../../data/postgres/acting.ts';
import { isUniqueViolation, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';
import type { DataConnection } from '../data-connections/data-connections.ts';
import { refuseUnlessFilledTablesWritable } from '../data-connections/filled-tables.ts';
import { activeStatuses } from './snapshot-runs.ts';

export type Dataset = RecordOf<'datasets'>;

const datasets = records('datasets', { prefix: 'dst', what: 'The dataset' });

export const { find: findDataset } = datasets;

/** Finds a dataset of this connection. @throws AppError not_found */
export async function getDataset(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  connectionId: string,
  lock?: 'update',
): Promise<Dataset> {
  const dataset = await datasets.get(db, organizationId, id, lock);
  if (dataset.connection_id !== connectionId) throw notFound('The dataset');
  return dataset;
}

/** Newest first. */
export function listDatasets(
  db: OrganizationTransaction,
  organizationId: string,
  connectionId: string,
  slice: Slice,
): Promise<Dataset[]> {
  return datasets.list(db, organizationId, slice, { connection_id: connectionId });
}

/** Adds a dataset, and chooses the name of its table; if the id exists, returns the existing one. */
export async function insertDataset(
  db: OrganizationTransaction,
  row: Omit<Insertable<DB['datasets']>, 'snapshot_table_name'>,
): Promise<Dataset> {
  const { organization_id: organizationId, connection_id: connectionId } = row;
  // Serialises choosing table names and counting datasets within an organization.
  await lockByName(db, `datasets of ${organizationId}`);
  const snapshotTableName = await unrestricted(db, async () => {
    const { count } = await db
      .selectFrom('datasets')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId)
      .where('connection_id', '=', connectionId)
      .where('id', '!=', row.id)
      .executeTakeFirstOrThrow();
    refuseBeyond(limits.connections.datasets, count);
    return freeTableName(db, organizationId, row.name);
  });
  return named(row.name, () => datasets.insert(db, { ...row, snapshot_table_name: snapshotTableName }));
}

export function updateDataset(
  db: OrganizationTransaction,
  { organization_id: organizationId, id, name }: Dataset,
  change: Updateable<DB['datasets']>,
): Promise<Dataset> {
  return named((change.name as string | undefined) ?? name, () =>
    datasets.update(db, organizationId, id, { ...change, updated_at: new Date() }),
  );
}

/**
 * Deletes a dataset and its runs, but not its table. @throws AppError conflict while one of its snapshots is
 * active
 */
export async function deleteDataset(db: OrganizationTransaction, dataset: Dataset): Promise<void> {
  await refuseActive(db, dataset.organization_id, { dataset_id: dataset.id });
  await datasets.remove(db, dataset.organization_id, dataset.id);
}

/**
 * Deletes a connection's datasets before the connection is removed, those of hidden tables too.
 *
 * @throws AppError admin_required if the table of one may not be written, conflict if there are any and
 *   `isMeant` is false, or if one of their snapshots is active
 */
export async function detachDatasets(
  db: OrganizationTransaction,
  connection: DataConnection,
  isMeant: boolean,
): Promise<void> {
  const { organization_id: organizationId, id: connectionId } = connection;
  await refuseUnlessFilledTablesWritable(db, connection);
  await unrestricted(db, async () => {
    const used = await db
      .selectFrom('datasets')
      .select(['id', 'name'])
      .where('organization_id', '=', organizationId)
      .where('connection_id', '=', connectionId)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (used === undefined) return;
    if (!isMeant)
      throw new AppError(
        'conflict',
        `The dataset ${JSON.stringify(used.name)} uses the connection. Delete the datasets of the connection, or send detach=true to keep their tables.`,
      );
    await refuseActive(db, organizationId, { connection_id: connectionId });
    await db
      .deleteFrom('datasets')
      .where('organization_id', '=', organizationId)
      .where('connection_id', '=', connectionId)
      .execute();
  });
}

async function refuseActive(
  db: OrganizationTransaction,
  organizationId: string,
  of: { dataset_id: string } | { connection_id: string },
): Promise<void> {
  let query = db
    .selectFrom('snapshot_runs')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('status', 'in', activeStatuses);
  query =
    'dataset_id' in of
      ? query.where('dataset_id', '=', of.dataset_id)
      : query.where('connection_id', '=', of.connection_id);
  const active = await query.limit(1).executeTakeFirst();
  if (active !== undefined)
    throw new AppError(
      'conflict',
      `The snapshot ${active.id} is running. Wait until it ends, or cancel it first.`,
    );
}

/**
 * A name derived from the dataset's that no table and no other dataset has: `Shop orders` becomes
 * `shop_orders`.
 */
async function freeTableName(
  db: OrganizationTransaction,
  organizationId: string,
  name: string,
): Promise<string> {
  const words = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
    .slice(0, 100)
    .toWellFormed();
  const base = words === '' ? 'dataset' : words;
  const { rows } = await sql<{ name: string }>`
    SELECT lower(name) AS name FROM tables
    WHERE organization_id = ${organizationId} AND starts_with(lower(name), ${base})
    UNION ALL SELECT lower(snapshot_table_name) FROM datasets
    WHERE organization_id = ${organizationId} AND starts_with(lower(snapshot_table_name), ${base})`.execute(
    db,
  );
  const taken = new Set(rows.map((row) => row.name));
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? base : `${base}_${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}

async function named<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error, 'datasets_table_name'))
      throw new AppError('name_taken', 'Another dataset has just taken the name of this table. Try again.');
    if (!isUniqueViolation(error, 'datasets_name')) throw error;
    throw new AppError('name_taken', `The connection already has a dataset named ${JSON.stringify(name)}.`);
  }
}
