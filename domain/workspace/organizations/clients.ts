import { hashSecret, newSecret } from '../../../data/encryption.ts';
import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import { limits } from '../limits/limits.ts';
import { refuseBeyond } from '../limits/refuse.ts';

export type ApiClient = RecordOf<'api_clients'>;

const clients = records('api_clients', { prefix: 'cli', what: 'The API client' });

export const { get: getApiClient } = clients;

/** Newest first, revoked ones included. */
export function listApiClients(
  db: OrganizationTransaction,
  organizationId: string,
  slice: Slice,
): Promise<ApiClient[]> {
  return clients.list(db, organizationId, slice);
}

export interface NewApiClient {
  organizationId: string;
  id: string;
  name: string;
  scopes: string[];
  admin: boolean;
  expiresAt: Date | null;
  createdBy: string;
}

/**
 * Adds a client and returns its secret, of which only the hash is stored. If a repeated request finds its
 * client, that client gets a new secret: nobody has seen the first one.
 *
 * @throws AppError conflict if the organization has too many clients
 */
export async function issueClient(
  db: OrganizationTransaction,
  { organizationId, id, name, scopes, admin, expiresAt, createdBy }: NewApiClient,
): Promise<{ client: ApiClient; secret: string }> {
  await refuseTooMany(db, organizationId, id);
  const secret = newSecret('wcs');
  const client = await db
    .insertInto('api_clients')
    .values({
      organization_id: organizationId,
      id,
      name,
      scopes,
      admin,
      secret_hash: hashSecret(secret),
      expires_at: expiresAt,
      created_by: createdBy,
    })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'id']).doUpdateSet({ secret_hash: hashSecret(secret) }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return { client, secret };
}

/** Besides the one with this id, which an earlier attempt of the same request may have made. */
async function refuseTooMany(
  db: OrganizationTransaction,
  organizationId: string,
  besidesId: string,
): Promise<void> {
  const { live } = await db
    .selectFrom('api_clients')
    .select((on) => on.fn.countAll<number>().as('live'))
    .where('organization_id', '=', organizationId)
    .where('id', '!=', besidesId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  refuseBeyond(limits.identity.apiClients, live);
}

/**
 * Revokes a client, which ends its tokens; revoking it again changes nothing. What it issued is ended by
 * `endIssued`.
 */
export async function revokeClient(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<ApiClient> {
  const client = await clients.get(db, organizationId, id, 'update');
  if (client.revoked_at !== null) return client;
  return clients.update(db, organizationId, id, { revoked_at: new Date() });
}

/**
 * Revokes the clients with `admin` that a person issued; those that were revoked before are not among them.
 */
export async function revokeAdminClientsOf(
  db: OrganizationTransaction,
  organizationId: string,
  issuerId: string,
): Promise<ApiClient[]> {
  const issued = await db
    .selectFrom('api_clients')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('created_by', '=', issuerId)
    .where('admin', '=', true)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute();
  const revoked: ApiClient[] = [];
  for (const { id } of issued) revoked.push(await revokeClient(db, organizationId, id));
  return revoked;
}

/**
 * Gives a client a new secret. The secret before stays valid for `overlapSeconds`; an overlap of an earlier
 * rotation ends now.
 *
 * @throws AppError conflict if the client is revoked or has expired
 */
export async function rotateSecret(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  overlapSeconds: number,
): Promise<{ client: ApiClient; secret: string }> {
  const before = await clients.get(db, organizationId, id, 'update');
  if (before.revoked_at !== null)
    throw new AppError('conflict', 'The API client is revoked. Issue a new one.');
  if (before.expires_at !== null && before.expires_at.getTime() <= Date.now())
    throw new AppError('conflict', 'The API client has expired. Issue a new one.');
  const secret = newSecret('wcs');
  const client = await clients.update(db, organizationId, id, {
    secret_hash: hashSecret(secret),
    previous_secret_hash: overlapSeconds === 0 ? null : before.secret_hash,
    previous_until: overlapSeconds === 0 ? null : new Date(Date.now() + overlapSeconds * 1_000),
  });
  return { client, secret };
}
