import { type Selectable, sql } from 'kysely';
import { hashSecret, newSecret } from '../../../data/encryption.ts';
import { AppError } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { limits } from '../limits/limits.ts';
import type { Person } from '../people/accounts.ts';
import { lockPersonOf } from '../people/sessions.ts';
import { outcomeOf, type PollOutcome, slowDownSeconds } from './device-states.ts';
import { beginLogin, type Tokens } from './logins.ts';
import { newUserCode, readUserCode } from './user-code.ts';

export type DeviceLogin = Selectable<DB['device_logins']>;

export const deviceLoginSeconds = 900;
export const pollSeconds = 5;
const maxPendingOfAddress = limits.identity.deviceLogins.most;

export interface NewDeviceLogin {
  clientId: string;
  scopes: string[];
  /** Where the request came from; shown to the person who decides. */
  address: string;
  /** The network of the address, which has a limited number of logins that wait. */
  addressGroup: string;
}

/**
 * Begins a device login, which belongs to no organization until a person decides. Both codes are stored as
 * hashes only.
 *
 * @throws AppError rate_limited if an address has too many that wait
 */
export async function beginDeviceLogin(
  db: Database,
  { clientId, scopes, address, addressGroup }: NewDeviceLogin,
): Promise<{ deviceCode: string; userCode: string }> {
  const { waiting } = await db
    .selectFrom('device_logins')
    .select((on) => on.fn.countAll<number>().as('waiting'))
    .where('address_group', '=', addressGroup)
    .where('status', '=', 'pending')
    .where('expires_at', '>', new Date())
    .executeTakeFirstOrThrow();
  if (waiting >= maxPendingOfAddress)
    throw new AppError(
      'rate_limited',
      'Too many device logins from this address are waiting for a decision.',
      {
        retryAfterSeconds: 60,
      },
    );
  const deviceCode = newSecret('wdc');
  const userCode = newUserCode();
  await db
    .insertInto('device_logins')
    .values({
      id: newId('dev'),
      device_code_hash: hashSecret(deviceCode),
      user_code_hash: hashSecret(userCode),
      client_id: clientId,
      scopes,
      address,
      address_group: addressGroup,
      interval_seconds: pollSeconds,
      expires_at: new Date(Date.now() + deviceLoginSeconds * 1_000),
    })
    .execute();
  return { deviceCode, userCode };
}

/** The login that waits for a decision under a code that somebody typed. */
export async function findPendingLogin(db: Database, typed: string): Promise<DeviceLogin | undefined> {
  const code = readUserCode(typed);
  if (code === undefined) return undefined;
  return db
    .selectFrom('device_logins')
    .selectAll()
    .where('user_code_hash', '=', hashSecret(code))
    .where('status', '=', 'pending')
    .where('expires_at', '>', new Date())
    .executeTakeFirst();
}

/** A person's decision; false if the login expired or was decided meanwhile. From here on it is theirs. */
export async function decideDeviceLogin(
  db: Database,
  id: string,
  { organizationId, userId }: Person,
  status: 'approved' | 'denied',
): Promise<boolean> {
  const decided = await inOrganization(db, organizationId, (transaction) =>
    transaction
      .updateTable('device_logins')
      .set({ status, organization_id: organizationId, user_id: userId })
      .where('id', '=', id)
      .where('status', '=', 'pending')
      .where('expires_at', '>', new Date())
      .returning('id')
      .executeTakeFirst(),
  );
  return decided !== undefined;
}

/**
 * Answers a poll: the tokens once after approval, or why not. What the poll changes (the time of the poll, a
 * longer interval, the redemption with its tokens) is one commit.
 */
export async function pollDeviceLogin(
  db: Database,
  deviceCode: string,
  clientId: string,
  nowMs: number,
): Promise<
  { outcome: Exclude<PollOutcome, 'redeem'>; tokens?: never } | { outcome: 'redeem'; tokens: Tokens }
> {
  const { rows } = await sql<{ organization_id: string | null; id: string }>`
    SELECT * FROM find_device_login(${hashSecret(deviceCode)})`.execute(db);
  const [found] = rows;
  if (found === undefined) return { outcome: 'invalid_grant' };
  const { organization_id: organizationId, id } = found;
  const work = (transaction: OrganizationTransaction) => poll(transaction, id, clientId, nowMs);
  if (organizationId === null) return db.transaction().execute(work);
  return inOrganization(db, organizationId, async (transaction) => {
    await lockPersonOf(transaction, 'device_logins', { organizationId, id });
    return work(transaction);
  });
}

async function poll(db: OrganizationTransaction, id: string, clientId: string, nowMs: number) {
  const login = await db
    .selectFrom('device_logins')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  // Decided since it was found: the next poll sees it.
  if (login === undefined) return { outcome: 'authorization_pending' as const };
  if (login.client_id !== clientId) return { outcome: 'invalid_grant' as const };
  const outcome = outcomeOf(
    {
      status: login.status,
      expiresAt: login.expires_at,
      polledAt: login.polled_at,
      intervalSeconds: login.interval_seconds,
    },
    nowMs,
  );
  const change =
    outcome === 'slow_down'
      ? { interval_seconds: login.interval_seconds + slowDownSeconds }
      : outcome === 'redeem'
        ? { status: 'redeemed' as const }
        : {};
  await db
    .updateTable('device_logins')
    .set({ ...change, polled_at: new Date(nowMs) })
    .where('id', '=', id)
    .execute();
  if (outcome !== 'redeem') return { outcome };
  const { organization_id: organizationId, user_id: userId, scopes, address } = login;
  const person = { organizationId: organizationId!, userId: userId! };
  const { tokens } = await beginLogin(db, { ...person, clientId, scopes, address });
  return { outcome, tokens };
}
