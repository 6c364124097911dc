import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import type { Database } from '../../../data/postgres/client.ts';

/** What attempts are counted for, and how many are free before each next one has to wait. */
export interface Counted {
  kind: 'account' | 'address' | 'code';
  of: string;
}

const free: Readonly<Record<Counted['kind'], number>> = { account: 5, address: 20, code: 10 };
const forgottenAfterSeconds = 900;
const firstWaitSeconds = 15;
const longestWaitSeconds = 900;

const keyOf = ({ kind, of }: Counted) => createHash('sha256').update(`${kind}\n${of}`).digest();

/**
 * Counts an attempt before it is made, so that many at once are counted too. Beyond the free ones each waits
 * twice as long as the one before, from 15 seconds to 15 minutes; a refused attempt is not counted, so the
 * wait ends. 15 minutes without an attempt forget all.
 *
 * @throws AppError rate_limited with the seconds left
 */
export async function countAttempt(db: Database, counted: Counted): Promise<void> {
  const key = keyOf(counted);
  const limit = free[counted.kind];
  const wait = sql`make_interval(secs => CASE WHEN a.failures < ${limit} THEN 0
    ELSE least(${longestWaitSeconds}, ${firstWaitSeconds} * power(2, least(a.failures - ${limit}, 10))) END)`;
  const { rows } = await sql<{ failures: number }>`
    INSERT INTO sign_in_attempts AS a (key, failures) VALUES (${key}, 1)
    ON CONFLICT (key) DO UPDATE SET
      failures = CASE WHEN a.last_at < now() - make_interval(secs => ${forgottenAfterSeconds}) THEN 1
                 ELSE a.failures + 1 END,
      previous_at = a.last_at,
      last_at = now()
    -- The free ones also if another one at the same moment was counted first.
    WHERE a.failures < ${limit} OR a.last_at + ${wait} <= now()
    RETURNING failures`.execute(db);
  if (rows.length > 0) return;
  const { rows: left } = await sql<{ seconds: number }>`
    SELECT extract(epoch FROM a.last_at + ${wait} - now())::float8 AS seconds
    FROM sign_in_attempts a WHERE key = ${key}`.execute(db);
  const seconds = Math.max(1, Math.ceil(left[0]?.seconds ?? 1));
  throw new AppError('rate_limited', `Too many attempts. Try again in ${seconds} seconds.`, {
    retryAfterSeconds: seconds,
  });
}

/** Forgets what failed before: whoever tried is who they say. */
export async function forgetAttempts(db: Database, counted: Counted): Promise<void> {
  await db.deleteFrom('sign_in_attempts').where('key', '=', keyOf(counted)).execute();
}

/** Takes back the last attempt, which did not fail: those before age as if it had not been. */
export async function takeBackAttempt(db: Database, counted: Counted): Promise<void> {
  await db
    .updateTable('sign_in_attempts')
    .set((row) => ({ failures: row('failures', '-', 1), last_at: row.ref('previous_at') }))
    .where('key', '=', keyOf(counted))
    .where('failures', '>', 0)
    .execute();
}

const rememberedDays = 90;
const removedAtOnce = 100;
const knownKey = (account: string, address: string) =>
  createHash('sha256').update(`known\n${account}\n${address}`).digest();

/** Whether the account has signed in from this address in the last 90 days. */
export async function isKnownSignIn(db: Database, account: string, address: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM known_sign_ins WHERE key = ${knownKey(account, address)}
      AND last_at > now() - make_interval(days => ${rememberedDays})`.execute(db);
  return rows.length > 0;
}

/** Remembers that the account signed in from this address, and forgets some of those from long ago. */
export async function rememberSignIn(db: Database, account: string, address: string): Promise<void> {
  await sql`
    WITH old AS (
      DELETE FROM known_sign_ins WHERE key = ANY (ARRAY(
        SELECT key FROM known_sign_ins WHERE last_at < now() - make_interval(days => ${rememberedDays})
        LIMIT ${removedAtOnce})))
    INSERT INTO known_sign_ins (key) VALUES (${knownKey(account, address)})
    ON CONFLICT (key) DO UPDATE SET last_at = now()`.execute(db);
}
