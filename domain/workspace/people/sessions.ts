import { sql } from 'kysely';
import { hashSecret, newSecret } from '../../../data/encryption.ts';
import { newId } from '../../../data/ids.ts';
import type { Database, OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { Person } from './accounts.ts';

/** A session of the pages ends this long after its sign-in. */
export const sessionSeconds = 43_200;

export interface PageSession extends Person {
  id: string;
}

/** Begins a session of the pages; its secret is for the cookie, only its hash is stored. */
export async function beginSession(
  db: OrganizationTransaction,
  { organizationId, userId }: Person,
): Promise<string> {
  const secret = newSecret('wps');
  await db
    .insertInto('page_sessions')
    .values({
      organization_id: organizationId,
      id: newId('ses'),
      token_hash: hashSecret(secret),
      user_id: userId,
      expires_at: new Date(Date.now() + sessionSeconds * 1_000),
    })
    .execute();
  await db
    .updateTable('users')
    .set({ last_seen_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId)
    .execute();
  return secret;
}

/** The session of a cookie, unless it has ended. */
export async function findSession(db: Database, secret: string): Promise<PageSession | undefined> {
  const { rows } = await sql<{ organization_id: string; id: string; user_id: string }>`
    SELECT * FROM find_page_session(${hashSecret(secret)})`.execute(db);
  const [row] = rows;
  return row && { organizationId: row.organization_id, id: row.id, userId: row.user_id };
}

/** Whether a session of the pages has not ended, which it does not before the transaction does. */
export async function lockLiveSession(
  db: OrganizationTransaction,
  { organizationId, id }: Pick<PageSession, 'organizationId' | 'id'>,
): Promise<boolean> {
  const live = await db
    .selectFrom('page_sessions')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  return live !== undefined;
}

/**
 * Keeps the person of a login, or of what becomes one. Whoever removes a person, or sets a new password,
 * locks the person first and these after it: the other way round each would wait for the other.
 */
export async function lockPersonOf(
  db: OrganizationTransaction,
  table: 'logins' | 'authorization_codes' | 'device_logins',
  { organizationId, id }: { organizationId: string; id: string },
): Promise<void> {
  await sql`
    SELECT FROM users AS u
    JOIN ${sql.table(table)} AS l ON l.organization_id = u.organization_id AND l.user_id = u.id
    WHERE u.organization_id = ${organizationId} AND l.id = ${id} FOR KEY SHARE OF u`.execute(db);
}

/** Ends a session of the pages, and with it the logins of the console that began in it. */
export async function endSession(
  db: OrganizationTransaction,
  { organizationId, id }: Pick<PageSession, 'organizationId' | 'id'>,
): Promise<void> {
  for (const [table, column] of [
    ['page_sessions', 'id'],
    ['logins', 'page_session_id'],
  ] as const)
    await db
      .updateTable(table)
      .set({ ended_at: new Date() })
      .where('organization_id', '=', organizationId)
      .where(column as 'id', '=', id)
      .where('ended_at', 'is', null)
      .execute();
}

/**
 * Ends every session of the pages and every login of a person, and what the person has approved that no
 * program has redeemed yet.
 */
export async function endEverySession(
  db: OrganizationTransaction,
  { organizationId, userId }: Person,
): Promise<void> {
  for (const table of ['page_sessions', 'logins'] as const)
    await db
      .updateTable(table)
      .set({ ended_at: new Date() })
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .where('ended_at', 'is', null)
      .execute();
  await db
    .updateTable('authorization_codes')
    .set({ used_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute();
  // Approved becomes redeemed, without tokens: the next poll learns that the code gives nothing.
  await db
    .updateTable('device_logins')
    .set({ status: 'redeemed' })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('status', '=', 'approved')
    .execute();
}
