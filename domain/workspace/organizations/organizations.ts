import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

export async function getOrganization(db: OrganizationTransaction, organizationId: string) {
  const row = await db
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', organizationId)
    .executeTakeFirst();
  if (row === undefined) throw notFound('The organization');
  return row;
}

export async function getUser(db: OrganizationTransaction, organizationId: string, id: string) {
  const row = await db
    .selectFrom('users')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw notFound('The user');
  return row;
}
