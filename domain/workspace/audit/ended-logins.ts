import { sql } from 'kysely';
import { hashSecret } from '../../../data/encryption.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { AccessToken } from '../organizations/access.ts';
import type { NewAuditEvent } from './events.ts';

type Ended = Pick<NewAuditEvent, 'organizationId' | 'actor' | 'action' | 'resource'>;

interface LoginRow {
  organization_id: string;
  id: string;
  user_id: string;
  client_id: string;
}

/** What a presented access token ended: the login of a person, or the token of a client. */
export async function endedByAccessToken(
  db: OrganizationTransaction,
  { organizationId, id, userId, clientId }: AccessToken,
): Promise<Ended> {
  const { rows } = await sql<LoginRow>`
    SELECT l.organization_id, l.id, l.user_id, l.client_id FROM logins AS l
    JOIN access_tokens AS t ON t.organization_id = l.organization_id AND t.login_id = l.id
    WHERE t.organization_id = ${organizationId} AND t.id = ${id}`.execute(db);
  const [login] = rows;
  if (login !== undefined) return endedLogin(login);
  const actor: Ended['actor'] =
    userId === null ? { type: 'client', id: clientId } : { type: 'user', id: userId };
  return { organizationId, actor, action: 'login.ended', resource: { id: actor.id, name: null } };
}

/** The login that a presented refresh token ended in this transaction; one that had ended before is none. */
export async function endedByRefreshToken(
  db: OrganizationTransaction,
  token: string,
): Promise<Ended | undefined> {
  const { rows } = await sql<LoginRow>`
    SELECT l.organization_id, l.id, l.user_id, l.client_id
    FROM find_refresh_token(${hashSecret(token)}) AS found
    JOIN logins AS l ON l.organization_id = found.organization_id AND l.id = found.login_id
    WHERE l.xmin = pg_current_xact_id_if_assigned()::xid`.execute(db);
  const [login] = rows;
  return login && endedLogin(login);
}

const endedLogin = ({ organization_id: organizationId, id, user_id: userId, client_id: name }: LoginRow) => ({
  organizationId,
  actor: { type: 'user' as const, id: userId },
  action: 'login.ended',
  resource: { id, name },
});
