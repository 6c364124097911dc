import { sql } from 'kysely';
import { hashSecret, newSecret, secretMatches } from '../../../data/encryption.ts';
import { AppError } from '../../../data/errors.ts';
import { isId, newId } from '../../../data/ids.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';

/** A presented token, resolved: who it acts as, and until when. */
export interface AccessToken {
  organizationId: string;
  id: string;
  clientId: string | null;
  userId: string | null;
  scopes: string[];
  admin: boolean;
  expiresAt: Date;
  revokedAt: Date | null;
  isSuspended: boolean;
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
    suspended: boolean;
  }>`SELECT t.*, is_suspended(t.organization_id) AS suspended FROM find_access_token(${hashSecret(token)}) AS t`.execute(
    db,
  );
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
    isSuspended: row.suspended,
  };
}

export const suspended = (): AppError =>
  new AppError(
    'organization_suspended',
    'The organization is suspended. Ask the operator of this service to resume it.',
  );

export interface AuthenticatedClient {
  organizationId: string;
  id: string;
  scopes: string[];
  expiresAt: Date | null;
}

/** Compared with the presented secret if there is no such client. */
const dummyHash = hashSecret(newSecret('wcs'));

/**
 * The client with this id and secret; during the overlap of a rotation the previous secret is valid too.
 * Every refusal has the same wording, and an unknown id costs the same work as a known one, so that the
 * response time does not reveal which ids exist. `refused` gets the organization of a known one, and
 * nothing waits for it.
 *
 * @throws AppError invalid_client, organization_suspended
 */
export async function authenticateClient(
  db: Database,
  clientId: string,
  secret: string,
  refused?: (organizationId: string) => void,
): Promise<AuthenticatedClient> {
  const { rows } = await sql<{
    organization_id: string | null;
    id: string;
    secret_hash: Buffer;
    previous_secret_hash: Buffer | null;
    scopes: string[];
    expires_at: Date | null;
    revoked_at: Date | null;
    suspended: boolean;
  }>`
    SELECT c.organization_id, is_suspended(c.organization_id) AS suspended, coalesce(c.id, 'nobody') AS id, coalesce(c.secret_hash, ${dummyHash}) AS secret_hash,
           c.previous_secret_hash, coalesce(c.scopes, '{agent:read,agent:write,tables:append}') AS scopes,
           c.expires_at, c.revoked_at
    FROM (VALUES (1)) AS always LEFT JOIN find_client_secrets(${isId('cli', clientId) ? clientId : ''}) AS c ON true
  `.execute(db);
  const client = rows[0]!;
  const isCurrent = secretMatches(secret, client.secret_hash);
  const isPrevious = secretMatches(secret, client.previous_secret_hash ?? dummyHash);
  const isExpired = client.expires_at !== null && client.expires_at.getTime() <= Date.now();
  const { organization_id: organizationId, id, scopes, expires_at: expiresAt } = client;
  if (organizationId === null || client.revoked_at !== null || isExpired || !(isCurrent || isPrevious)) {
    if (organizationId !== null) refused?.(organizationId);
    throw new AppError('invalid_client', "The client id or the client secret isn't valid.", {
      extensions: { error: 'invalid_client' },
    });
  }
  if (client.suspended) throw suspended();
  return { organizationId, id, scopes, expiresAt };
}

/** A new token for a client, and its lifetime in seconds; only the hash of the token is stored. */
export async function issueClientToken(
  db: Database,
  client: AuthenticatedClient,
  scopes: readonly string[],
): Promise<{ token: string; expiresIn: number }> {
  const token = newSecret('wat');
  const now = Date.now();
  const secondsLeft = ((client.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - now) / 1_000;
  const expiresIn = Math.max(1, Math.min(accessTokenSeconds, Math.floor(secondsLeft)));
  await inOrganization(db, client.organizationId, async (transaction) => {
    await transaction
      .insertInto('access_tokens')
      .values({
        organization_id: client.organizationId,
        id: newId('tok'),
        token_hash: hashSecret(token),
        client_id: client.id,
        scopes: [...scopes],
        expires_at: new Date(now + expiresIn * 1_000),
      })
      .execute();
    await transaction
      .updateTable('api_clients')
      .set({ last_used_at: new Date(now) })
      .where('organization_id', '=', client.organizationId)
      .where('id', '=', client.id)
      .execute();
  });
  return { token, expiresIn };
}

/** Whether an accepted token would still be accepted. */
export async function isTokenLive(db: Database, organizationId: string, tokenId: string): Promise<boolean> {
  const { rows } = await inOrganization(db, organizationId, (transaction) =>
    sql`
      SELECT FROM access_tokens AS t CROSS JOIN find_access_token(t.token_hash) AS found
      WHERE t.organization_id = ${organizationId} AND t.id = ${tokenId}
        AND found.revoked_at IS NULL AND found.expires_at > now() AND NOT is_suspended(t.organization_id)`.execute(
      transaction,
    ),
  );
  return rows.length > 0;
}

/** Ends a token, and with the token of a login the whole login, even if a refresh has just replaced it. */
export async function revokeToken(db: Database, organizationId: string, tokenId: string): Promise<void> {
  await inOrganization(db, organizationId, async (transaction) => {
    const now = new Date();
    // The login first, which a refresh locks first too.
    await transaction
      .updateTable('logins')
      .set({ ended_at: now })
      .where('organization_id', '=', organizationId)
      .where('id', '=', (on) =>
        on
          .selectFrom('access_tokens')
          .select('login_id')
          .where('organization_id', '=', organizationId)
          .where('id', '=', tokenId),
      )
      .where('ended_at', 'is', null)
      .execute();
    await transaction
      .updateTable('access_tokens')
      .set({ revoked_at: now })
      .where('organization_id', '=', organizationId)
      .where('id', '=', tokenId)
      .where('revoked_at', 'is', null)
      .execute();
  });
}
