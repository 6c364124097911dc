import { inOrganization } from '../../../data/postgres/client.ts';
import type { CredentialDeps } from './issue.ts';
import { removeCredential } from './remove.ts';

/**
 * Ends all credentials of an organization, with those whose making was lost: their sessions have ended and
 * their keys open nothing when this resolves. May be repeated.
 *
 * @throws AppError storage_unavailable
 */
export async function endAllCredentials(deps: CredentialDeps, organizationId: string): Promise<void> {
  const credentials = await inOrganization(deps.db, organizationId, async (db) => {
    await db
      .updateTable('lake_credentials')
      .set({ revoked_at: new Date() })
      .where('organization_id', '=', organizationId)
      .where('revoked_at', 'is', null)
      .execute();
    return db
      .selectFrom('lake_credentials')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('removed_at', 'is', null)
      .execute();
  });
  for (const { id } of credentials) await removeCredential(deps, { organizationId, credentialId: id });
}
