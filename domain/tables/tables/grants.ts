import { sql } from 'kysely';
import { AppError, notFound } from '../../../data/errors.ts';
import { acting } from '../../../data/postgres/acting.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { TableRow } from './registry.ts';

/** Ids of users and clients, or null for everybody. Who writes also reads. */
export type TableAccess = Pick<TableRow, 'readers' | 'writers'>;

export type Grant =
  | { principal: 'everyone'; access: 'read' | 'write' }
  | { principal: 'user' | 'client'; id: string; access: 'read' | 'write' };

/** The grants of a table, each principal once. */
export function grantsOf({ readers, writers }: TableAccess): Grant[] {
  if (writers === null) return [{ principal: 'everyone', access: 'write' }];
  const everyone: Grant[] = readers === null ? [{ principal: 'everyone', access: 'read' }] : [];
  const named = [...new Set([...writers, ...(readers ?? [])])].sort().map((id): Grant => {
    const access = writers.includes(id) ? 'write' : 'read';
    return { principal: id.startsWith('usr_') ? 'user' : 'client', id, access };
  });
  return [...everyone, ...named];
}

/** The same as lists of ids. */
export function accessOf(grants: readonly Grant[]): TableAccess {
  const idsOf = (wanted: readonly Grant[]): string[] | null =>
    wanted.some(({ principal }) => principal === 'everyone')
      ? null
      : [...new Set(wanted.flatMap((grant) => (grant.principal === 'everyone' ? [] : [grant.id])))].sort();
  const writers = idsOf(grants.filter(({ access }) => access === 'write'));
  return { readers: writers === null ? null : idsOf(grants), writers };
}

/** Tables that the transaction's principal may not read, those too that are gone; none for administrators. */
export async function hiddenTableIds(db: OrganizationTransaction): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ ids: string[] }>`SELECT hidden_table_ids() AS ids`.execute(db);
  return new Set(rows[0]?.ids);
}

/** Ids among these that name no person or client of the organization. */
export async function unknownPrincipals(
  db: OrganizationTransaction,
  organizationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const unknown = new Set(ids);
  if (unknown.size === 0) return unknown;
  const users = await db
    .selectFrom('users')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', [...unknown])
    .where('removed_at', 'is', null)
    .execute();
  const clients = await db
    .selectFrom('api_clients')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', [...unknown])
    .where('revoked_at', 'is', null)
    .execute();
  for (const { id } of [...users, ...clients]) unknown.delete(id);
  return unknown;
}

/** Of several principals, joined with commas, each has to be among them. */
const includesAll = (ids: readonly string[] | null, principalId: string | undefined): boolean =>
  ids === null || principalId === undefined || principalId.split(',').every((part) => ids.includes(part));

export function isWritable(
  { writers }: TableAccess,
  principalId: string | undefined = acting().principalId,
): boolean {
  return includesAll(writers, principalId);
}

/**
 * Refuses a write by a principal without the grant.
 *
 * @throws AppError not_found where it may not even read, else admin_required
 */
export function refuseUnlessWritable(
  access: TableAccess,
  principalId: string | undefined = acting().principalId,
): void {
  if (isWritable(access, principalId)) return;
  if (!includesAll(access.readers, principalId)) throw notFound('The table');
  throw new AppError(
    'admin_required',
    'You can read this table, but you may not write to it. Ask an administrator for write access.',
  );
}
