import { hashSecret, newSecret } from '../../../data/encryption.ts';
import { AppError, notFound } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { type RecordOf, type RowLock, records, type Slice } from '../../../data/postgres/records.ts';
import { recordEvents } from '../audit/events.ts';
import { accessTokenSeconds } from '../organizations/access.ts';
import type { Person } from '../people/accounts.ts';
import { endSession, lockPersonOf } from '../people/sessions.ts';
import { placeOf } from './token-owners.ts';

/** A login of a person through a public client: a family of refresh tokens. */
export type Login = RecordOf<'logins'>;

const logins = records('logins', { prefix: 'lgn', what: 'The session' });

const dayMs = 86_400_000;
/** A login ends so long after its begin, however often it is used. */
const longestDays = 180;
/** A refresh token that is not used ends so long after it was issued. */
const idleDays = 30;

/** A pair of tokens as shown once; only their hashes are stored. */
export interface Tokens {
  accessToken: string;
  refreshToken: string;
  expiresIn: number;
  scopes: string[];
}

export interface NewLogin extends Person {
  clientId: string;
  scopes: string[];
  address: string;
  /** Of the console: the session of the pages with which it ends. */
  pageSessionId?: string | null;
}

/** Begins a login and issues its first pair of tokens. */
export async function beginLogin(
  db: OrganizationTransaction,
  { organizationId, userId, clientId, scopes, address, pageSessionId = null }: NewLogin,
): Promise<{ loginId: string; tokens: Tokens }> {
  const login = await logins.insert(db, {
    organization_id: organizationId,
    id: newId('lgn'),
    user_id: userId,
    client_id: clientId,
    scopes,
    address,
    page_session_id: pageSessionId,
    expires_at: new Date(Date.now() + longestDays * dayMs),
  });
  return { loginId: login.id, tokens: await issue(db, login) };
}

async function issue(
  db: OrganizationTransaction,
  login: Login,
  scopes: string[] = login.scopes,
): Promise<Tokens> {
  const { organization_id: organizationId, id, user_id: userId } = login;
  const accessToken = newSecret('wat');
  const refreshToken = newSecret('wrt');
  const now = new Date();
  // None outlives its login, and each says so.
  const secondsLeft = Math.floor((login.expires_at.getTime() - now.getTime()) / 1_000);
  const expiresIn = Math.max(1, Math.min(accessTokenSeconds, secondsLeft));
  await db
    .insertInto('access_tokens')
    .values({
      organization_id: organizationId,
      id: newId('tok'),
      token_hash: hashSecret(accessToken),
      user_id: userId,
      login_id: id,
      scopes,
      expires_at: new Date(now.getTime() + expiresIn * 1_000),
    })
    .execute();
  await db
    .insertInto('refresh_tokens')
    .values({ organization_id: organizationId, token_hash: hashSecret(refreshToken), login_id: id })
    .execute();
  await logins.update(db, organizationId, id, { last_used_at: now });
  await db
    .updateTable('users')
    .set({ last_seen_at: now })
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId)
    .execute();
  return { accessToken, refreshToken, expiresIn, scopes };
}

/** What became of a login: its access tokens have ended, and there are others unless it has ended itself. */
export interface Refreshed {
  organizationId: string;
  tokens: Tokens | undefined;
}

/**
 * Replaces the pair of a refresh token: the access tokens before end with it. A refresh token presented a
 * second time was copied by somebody, so it ends the whole login. Undefined if it changes nothing. The next
 * refresh may ask again for every scope that the person approved.
 *
 * @throws AppError invalid_scope if `asked` has others; the token stays as it was
 */
export async function refresh(
  db: Database,
  { refreshToken, clientId, asked }: { refreshToken: string; clientId: string; asked: readonly string[] },
): Promise<Refreshed | undefined> {
  const hash = hashSecret(refreshToken);
  const place = await placeOf(db, refreshToken);
  if (place === undefined) return undefined;
  const { organizationId, id } = place;
  return inOrganization(db, organizationId, async (transaction) => {
    await lockPersonOf(transaction, 'logins', place);
    // Two that present the same token at once meet at this lock: the second one finds it used.
    const login = await logins.find(transaction, organizationId, id, 'update');
    if (login === undefined || login.client_id !== clientId) return undefined;
    const now = Date.now();
    if (login.ended_at !== null || login.expires_at.getTime() <= now) return undefined;
    const token = await transaction
      .selectFrom('refresh_tokens')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('token_hash', '=', hash)
      .executeTakeFirstOrThrow();
    const isUsed = token.used_at !== null;
    if (isUsed || token.created_at.getTime() + idleDays * dayMs <= now) {
      await end(transaction, login);
      if (isUsed) await recordReuse(transaction, login);
      return { organizationId, tokens: undefined };
    }
    const scopes = narrowed(login, asked);
    await transaction
      .updateTable('refresh_tokens')
      .set({ used_at: new Date(now) })
      .where('organization_id', '=', organizationId)
      .where('token_hash', '=', hash)
      .execute();
    await transaction
      .updateTable('access_tokens')
      .set({ revoked_at: new Date(now) })
      .where('organization_id', '=', organizationId)
      .where('login_id', '=', id)
      .where('revoked_at', 'is', null)
      .execute();
    return { organizationId, tokens: await issue(transaction, login, scopes) };
  });
}

/** RFC 6749 §6: a refresh may ask for fewer scopes than the login has, and for none besides. */
function narrowed({ scopes }: Login, asked: readonly string[]): string[] {
  if (asked.length === 0) return scopes;
  if (asked.every((scope) => scopes.includes(scope))) return scopes.filter((scope) => asked.includes(scope));
  throw new AppError(
    'invalid_scope',
    `A refresh can only request scopes of its login: ${scopes.join(', ')}.`,
    {
      extensions: { error: 'invalid_scope' },
    },
  );
}

/** A token that was presented twice was copied: its owner finds it in the audit. */
async function recordReuse(db: OrganizationTransaction, login: Login): Promise<void> {
  const { organization_id: organizationId, id, user_id: userId, client_id: name } = login;
  await recordEvents(db, organizationId, [
    {
      organizationId,
      actor: { type: 'system', id: null },
      action: 'login.ended',
      resource: { id, name },
      outcome: 'done',
      address: null,
      requestId: null,
      processId: null,
      detail: { reason: 'token_presented_twice', userId },
    },
  ]);
}

async function end(db: OrganizationTransaction, login: Login): Promise<Login> {
  if (login.ended_at !== null) return login;
  return logins.update(db, login.organization_id, login.id, { ended_at: new Date() });
}

/** Ends the login of a refresh token; an unknown one changes nothing. */
export async function revokeRefreshToken(db: Database, refreshToken: string): Promise<void> {
  const place = await placeOf(db, refreshToken);
  if (place === undefined) return;
  const { organizationId, id } = place;
  await inOrganization(db, organizationId, async (transaction) => {
    const login = await logins.find(transaction, organizationId, id, 'update');
    if (login !== undefined) await end(transaction, login);
  });
}

/** Logins of a person that have not ended, newest first. */
export async function listLogins(
  db: OrganizationTransaction,
  { organizationId, userId }: Person,
  { after, limit }: Slice,
): Promise<Login[]> {
  let query = db
    .selectFrom('logins')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', new Date())
    .where('last_used_at', '>', new Date(Date.now() - idleDays * dayMs));
  if (after !== undefined) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** When a login ends unless it is refreshed before. */
export function endOf({ expires_at: expiresAt, last_used_at: lastUsedAt }: Login): Date {
  return new Date(Math.min(expiresAt.getTime(), lastUsedAt.getTime() + idleDays * dayMs));
}

/** A login of this person, ended or not. */
export async function getLogin(
  db: OrganizationTransaction,
  { organizationId, userId }: Person,
  id: string,
  lock?: RowLock,
): Promise<Login> {
  const login = await logins.find(db, organizationId, id, lock);
  if (login?.user_id !== userId) throw notFound('The session');
  return login;
}

/** Ends the login of a code that was presented again; one that has ended is no news. */
export async function endReusedLogin(db: OrganizationTransaction, person: Person, id: string): Promise<void> {
  const login = await getLogin(db, person, id, 'update');
  if (login.ended_at !== null) return;
  await end(db, login);
  await recordReuse(db, login);
}

/**
 * Ends a login as its person wishes. With one of the console the session of the pages ends in which it was
 * begun, and every other tab: whoever comes back signs in again. Another tab of `byId`, which asks, ends
 * alone.
 */
export async function signOut(
  db: OrganizationTransaction,
  person: Person,
  { id, byId }: { id: string; byId: string | undefined },
): Promise<Login> {
  const { organizationId } = person;
  const { page_session_id: sessionId } = await getLogin(db, person, id);
  const by = byId === undefined ? undefined : await logins.find(db, organizationId, byId);
  const isOtherTab = id !== byId && by?.page_session_id === sessionId;
  // The session first: two tabs that sign out at once meet there.
  if (sessionId !== null && !isOtherTab) await endSession(db, { organizationId, id: sessionId });
  return end(db, await getLogin(db, person, id, 'update'));
}

/** The login of an access token, if it has one. */
export async function loginOfToken(
  db: OrganizationTransaction,
  organizationId: string,
  tokenId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('access_tokens')
    .select('login_id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', tokenId)
    .executeTakeFirst();
  return row?.login_id ?? undefined;
}
