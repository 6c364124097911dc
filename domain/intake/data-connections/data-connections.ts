import type { Insertable, Updateable } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import { isUniqueViolation, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';

export type DataConnection = RecordOf<'data_connections'>;

const connections = records('data_connections', { prefix: 'con', what: 'The data connection' });

export const {
  find: findDataConnection,
  get: getDataConnection,
  list: listDataConnections,
  remove: removeDataConnection,
} = connections;

/** Adds a connection; if the id exists, returns the existing one. */
export async function insertDataConnection(
  db: OrganizationTransaction,
  row: Insertable<DB['data_connections']>,
): Promise<DataConnection> {
  // Serialises counting and inserting within an organization.
  await lockByName(db, `data connections of ${row.organization_id}`);
  const { count } = await db
    .selectFrom('data_connections')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', row.organization_id)
    .where('id', '!=', row.id)
    .executeTakeFirstOrThrow();
  refuseBeyond(limits.connections.dataConnections, count);
  return named(row.name, () => connections.insert(db, row));
}

export function updateDataConnection(
  db: OrganizationTransaction,
  { organization_id: organizationId, id, name }: DataConnection,
  change: Updateable<DB['data_connections']>,
): Promise<DataConnection> {
  const newName = (change.name as string | undefined) ?? name;
  return named(newName, () => connections.update(db, organizationId, id, change));
}

async function named<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'data_connections_name')) throw error;
    throw new AppError('name_taken', `A data connection named ${JSON.stringify(name)} already exists.`);
  }
}
