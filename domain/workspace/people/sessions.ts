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
