import { sql } from 'kysely';
import { hashSecret, newSecret, secretMatches } from '../../../data/encryption.ts';
import { AppError } from '../../../data/errors.ts';
import { isId, newId } from '../../../data/ids.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';

/** A token as presented, resolved: who it acts as and until when. */
export interface AccessToken {
  organizationId: string;
  id: string;
  clientId: string | null;
  userId: string | null;
  scopes: string[];
  admin: boolean;
  expiresAt: Date;
  revokedAt: Date | null;
}

export const accessTokenSeconds = 3_600;

export async function findAccessToken(db: Database, token: string): Promise<AccessToken | undefined> {
  const { rows } = await sql<{
    organization_id: string;
    id: string;
    client_id: string | null;
    user_id: string | null;
    scopes: string[];
    admin: boolean;
    expires_at: Date;
    revoked_at: Date | null;
  }>`SELECT * FROM find_access_token(${hashSecret(token)})`.execute(db);
  const row = rows[0];
  if (row === undefined) return undefined;
  return {
    organizationId: row.organization_id,
    id: row.id,
    clientId: row.client_id,
    userId: row.user_id,
    scopes: row.scopes,
    admin: row.admin,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}

export interface AuthenticatedClient {
  organizationId: string;
  id: string;
  scopes: string[];
}

/** Of a secret that nobody has: what is held against it where there is no client. */
const dummyHash = hashSecret(newSecret('wcs'));

/**
 * The client with this id and secret; one wording for every reason why not. Where there is none the same work
 * is done on a row of nobody's, so that the time of an answer does not tell which ids exist.
 */
export async function authenticateClient(
  db: Database,
  clientId: string,
  secret: string,
): Promise<AuthenticatedClient> {
  const { rows } = await sql<{
    organization_id: string | null;
    id: string;
    secret_hash: Buffer;
    scopes: string[];
    revoked_at: Date | null;
  }>`
    SELECT c.organization_id, coalesce(c.id, 'nobody') AS id, coalesce(c.secret_hash, ${dummyHash}) AS secret_hash,
           coalesce(c.scopes, '{agent:read,agent:write,tables:append}') AS scopes, c.revoked_at
    FROM (VALUES (1)) AS always LEFT JOIN find_api_client(${isId('cli', clientId) ? clientId : ''}) AS c ON true
  `.execute(db);
  const { organization_id: organizationId, id, secret_hash: hash, scopes, revoked_at: revokedAt } = rows[0]!;
  const isRight = secretMatches(secret, hash);
  if (organizationId === null || revokedAt !== null || !isRight) {
    throw new AppError('invalid_client', 'The client id or the client secret is not right.', {
      extensions: { error: 'invalid_client' },
    });
  }
  return { organizationId, id, scopes };
}

/** A new token for a client; only its hash is kept. */
export async function issueClientToken(
  db: Database,
  client: AuthenticatedClient,
  scopes: readonly string[],
): Promise<string> {
  const token = newSecret('wat');
  await inOrganization(db, client.organizationId, (transaction) =>
    transaction
      .insertInto('access_tokens')
      .values({
        organization_id: client.organizationId,
        id: newId('tok'),
        token_hash: hashSecret(token),
        client_id: client.id,
        scopes: [...scopes],
        expires_at: new Date(Date.now() + accessTokenSeconds * 1_000),
      })
      .execute(),
  );
  return token;
}

/** Whether a token that was accepted still would be. */
export async function isTokenLive(db: Database, organizationId: string, tokenId: string): Promise<boolean> {
  const row = await inOrganization(db, organizationId, (transaction) =>
    transaction
      .selectFrom('access_tokens')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('id', '=', tokenId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', new Date())
      .executeTakeFirst(),
  );
  return row !== undefined;
}

export async function revokeToken(db: Database, organizationId: string, tokenId: string): Promise<void> {
  await inOrganization(db, organizationId, (transaction) =>
    transaction
      .updateTable('access_tokens')
      .set({ revoked_at: new Date() })
      .where('organization_id', '=', organizationId)
      .where('id', '=', tokenId)
      .where('revoked_at', 'is', null)
      .execute(),
  );
}
