import type { Insertable, Updateable } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import { isUniqueViolation, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';
import { type AppTool, toolsOf } from './app-tools.ts';

export type AppConnectionRow = RecordOf<'app_connections'>;
/** A connection with the tools that its server lists. */
export type AppConnection = AppConnectionRow & { tools: AppTool[] };

const connections = records('app_connections', { prefix: 'app', what: 'The app connection' });

export const { get: getAppConnectionRow } = connections;

export async function getAppConnection(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<AppConnection> {
  return withTools(db, await connections.get(db, organizationId, id));
}

/** Newest first. */
export async function listAppConnections(
  db: OrganizationTransaction,
  organizationId: string,
  slice: Slice,
): Promise<AppConnection[]> {
  const rows = await connections.list(db, organizationId, slice);
  const ids = rows.map(({ id }) => id);
  const tools = Map.groupBy(await toolsOf(db, organizationId, ids), (tool) => tool.connection_id);
  return rows.map((row) => ({ ...row, tools: tools.get(row.id) ?? [] }));
}

/** Adds a connection; with an existing id, returns that connection. */
export async function insertAppConnection(
  db: OrganizationTransaction,
  row: Insertable<DB['app_connections']>,
): Promise<AppConnectionRow> {
  await lockNames(db, row.organization_id);
  const { count } = await db
    .selectFrom('app_connections')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', row.organization_id)
    .where('id', '!=', row.id)
    .executeTakeFirstOrThrow();
  refuseBeyond(limits.appConnections.appConnections, count);
  return named(row.name, () => connections.insert(db, row));
}

export function updateAppConnection(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  change: Updateable<DB['app_connections']>,
): Promise<AppConnectionRow> {
  return named(change.name as string, () => connections.update(db, organizationId, id, change));
}

/** Removes a connection with the decisions about its tools; returns the connection as it was. */
export async function deleteAppConnection(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<AppConnection> {
  const connection = await withTools(db, await connections.get(db, organizationId, id, 'update'));
  await connections.remove(db, organizationId, id);
  return connection;
}

/** Serialises transactions that assign tool names of an organization or count its connections. */
export async function lockNames(db: OrganizationTransaction, organizationId: string): Promise<void> {
  await lockByName(db, `app connections of ${organizationId}`);
}

async function withTools(db: OrganizationTransaction, row: AppConnectionRow): Promise<AppConnection> {
  return { ...row, tools: await toolsOf(db, row.organization_id, [row.id]) };
}

async function named<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, 'app_connections_name')) throw error;
    throw new AppError('name_taken', `An app connection named ${JSON.stringify(name)} already exists.`);
  }
}
