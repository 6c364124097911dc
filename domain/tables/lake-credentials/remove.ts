import { AppError } from '../../../data/errors.ts';
import { endReadingRole } from '../../../data/lake/reading-roles.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type CredentialId, getCredential, type LakeCredential, updateCredential } from './credentials.ts';
import type { CredentialDeps } from './issue.ts';

/**
 * Revokes a credential: its sessions have ended and its key opens nothing when this resolves. Repeating it
 * changes nothing. What cannot be removed now is removed by the reconciler.
 *
 * @throws AppError not_found, storage_unavailable
 */
export async function revokeCredential(deps: CredentialDeps, id: CredentialId): Promise<LakeCredential> {
  const { organizationId, credentialId } = id;
  const row = await inOrganization(deps.db, organizationId, async (db) => {
    const before = await getCredential(db, organizationId, credentialId, 'update');
    if (before.revoked_at !== null) return before;
    return updateCredential(db, organizationId, credentialId, { revoked_at: new Date() });
  });
  return row.removed_at === null ? removeCredential(deps, id) : row;
}

/**
 * Marks the credentials that somebody issued as revoked, and returns those that were not. Each is then
 * removed by `removeCredential`, at the latest by the reconciler.
 */
export function markRevokedOf(
  db: OrganizationTransaction,
  organizationId: string,
  issuerId: string,
): Promise<LakeCredential[]> {
  return db
    .updateTable('lake_credentials')
    .set({ revoked_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('created_by', '=', issuerId)
    .where('revoked_at', 'is', null)
    .where('removed_at', 'is', null)
    .returningAll()
    .execute();
}

/**
 * Ends role and key of a credential that has ended, or was never made. Neither waits for the other, so that
 * whatever a holder does to one of them, the other ends.
 */
export async function removeCredential(
  deps: CredentialDeps,
  { organizationId, credentialId }: CredentialId,
): Promise<LakeCredential> {
  const ends = await Promise.allSettled([
    endReadingRole(deps.lake.catalogPool, credentialId),
    deps.objectKeys?.remove(credentialId) ?? Promise.reject(noKeys()),
  ]);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return inOrganization(deps.db, organizationId, async (db) => {
    const { ready_at: readyAt, revoked_at: revokedAt } = await getCredential(
      db,
      organizationId,
      credentialId,
      'update',
    );
    const now = new Date();
    // One whose making was lost is never to be made.
    const lost = readyAt === null ? { revoked_at: revokedAt ?? now } : {};
    return updateCredential(db, organizationId, credentialId, { removed_at: now, ...lost });
  });
}

const noKeys = () => new AppError('storage_unavailable', "The keys in the object store couldn't be removed.");
