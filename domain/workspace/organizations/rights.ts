import { nobody, restrictTo } from '../../../data/postgres/acting.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

/**
 * Restricts the rest of a transaction to what a user or API client may read now. Everything that runs for
 * somebody outside a request passes here: statements, turns of conversations, runs of playbooks and
 * workflows. To a person who was removed no table exists.
 */
export async function actAs(
  db: OrganizationTransaction,
  organizationId: string,
  makerId: string,
): Promise<void> {
  await restrictTo(db, await principalOf(db, organizationId, makerId));
}

/** Whether grants do not apply: to administrators. */
export async function mayReadAll(
  db: OrganizationTransaction,
  organizationId: string,
  makerId: string,
): Promise<boolean> {
  return (await principalOf(db, organizationId, makerId)) === undefined;
}

async function principalOf(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<string | undefined> {
  if (!id.startsWith('usr_')) {
    const client = await db
      .selectFrom('api_clients')
      .select('admin')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst();
    return client?.admin === true ? undefined : id;
  }
  const user = await db
    .selectFrom('users')
    .select(['role', 'removed_at'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (user?.removed_at !== null) return nobody;
  return user.role === 'member' ? id : undefined;
}
