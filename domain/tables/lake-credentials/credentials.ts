import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';

/** Its times determine its state; see `statusOf`. */
export type LakeCredential = RecordOf<'lake_credentials'>;

export interface CredentialId {
  organizationId: string;
  credentialId: string;
}

const credentials = records('lake_credentials', { prefix: 'lcr', what: 'The lake credential' });

export const {
  find: findCredential,
  get: getCredential,
  insert: insertCredential,
  update: updateCredential,
} = credentials;

/** Newest first; what has ended is listed for 30 days. */
export function listCredentials(
  db: OrganizationTransaction,
  organizationId: string,
  slice: Slice,
): Promise<LakeCredential[]> {
  return credentials.list(db, organizationId, slice);
}

export type CredentialStatus = 'making' | 'active' | 'expired' | 'revoked';

export function statusOf(
  { ready_at: readyAt, revoked_at: revokedAt, expires_at: expiresAt }: LakeCredential,
  now = Date.now(),
): CredentialStatus {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt.getTime() <= now) return 'expired';
  return readyAt === null ? 'making' : 'active';
}
