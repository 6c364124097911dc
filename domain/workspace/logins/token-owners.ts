import { sql } from 'kysely';
import { hashSecret } from '../../../data/encryption.ts';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import type { AccessToken } from '../organizations/access.ts';

/** The login that a refresh token is of, whichever organization it is in. */
export async function placeOf(
  db: Database,
  refreshToken: string,
): Promise<{ organizationId: string; id: string } | undefined> {
  const { rows } = await sql<{ organization_id: string; login_id: string }>`
    SELECT * FROM find_refresh_token(${hashSecret(refreshToken)})`.execute(db);
  const [found] = rows;
  return found && { organizationId: found.organization_id, id: found.login_id };
}

/** The public client whose login a refresh token is of: it need not say so itself. */
export async function clientOfRefreshToken(db: Database, refreshToken: string): Promise<string | undefined> {
  const place = await placeOf(db, refreshToken);
  if (place === undefined) return undefined;
  const { organizationId, id } = place;
  const login = await inOrganization(db, organizationId, (transaction) =>
    transaction
      .selectFrom('logins')
      .select('client_id')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst(),
  );
  return login?.client_id;
}

/** The API client that an access token is of, or the public client whose login it is of. */
export async function clientOfAccessToken(
  db: Database,
  { organizationId, id, clientId }: AccessToken,
): Promise<string | undefined> {
  if (clientId !== null) return clientId;
  const login = await inOrganization(db, organizationId, (transaction) =>
    transaction
      .selectFrom('access_tokens as t')
      .innerJoin('logins as l', (on) =>
        on.onRef('l.organization_id', '=', 't.organization_id').onRef('l.id', '=', 't.login_id'),
      )
      .select('l.client_id')
      .where('t.organization_id', '=', organizationId)
      .where('t.id', '=', id)
      .executeTakeFirst(),
  );
  return login?.client_id;
}
