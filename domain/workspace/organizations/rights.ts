import { nobody, restrictTo } from '../../../data/postgres/acting.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

/**
 * Restricts the rest of a transaction to what a user or API client, or all of several, may read now.
 * Everything that runs for somebody outside a request passes here: statements, turns of conversations, runs
 * of playbooks and workflows. To a person who was removed, or a client that was revoked, no table exists.
 */
export async function actAs(
  db: OrganizationTransaction,
  organizationId: string,
  makers: string | readonly string[],
): Promise<void> {
  await restrictTo(db, await principalFor(db, organizationId, makers));
}

/**
 * The principal that stands for all of these: what is granted to each of them. The first is the one who acts;
 * of the others, those who are gone count as somebody without a role.
 */
export async function principalFor(
  db: OrganizationTransaction,
  organizationId: string,
  makers: string | readonly string[],
): Promise<string | undefined> {
  const principals: string[] = [];
  for (const [index, id] of [...new Set([makers].flat())].entries()) {
    const principal = await principalOf(db, organizationId, id);
    if (principal === nobody && index === 0) return nobody;
    if (principal !== undefined) principals.push(principal === nobody ? id : principal);
  }
  return principals.length === 0 ? undefined : principals.join(',');
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
      .select(['admin', 'revoked_at', 'expires_at'])
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (client === undefined) return id;
    const hasExpired = client.expires_at !== null && client.expires_at.getTime() <= Date.now();
    if (client.revoked_at !== null || hasExpired) return nobody;
    return client.admin ? undefined : id;
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
