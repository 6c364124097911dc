import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../data/postgres/client.ts';
import type { TokenBuckets } from './token-buckets.ts';

/** How long what is taken in one process may be unknown to the others. */
const exchangeEveryMs = 500;
const mostAtOnce = 2_000;
/** A bucket is full a minute after it was empty, however much was taken at once. */
const wholeBucketMs = 60_000;

const keyOf = (kind: string, name: string): Buffer =>
  createHash('sha256').update(`${kind}\n${name}`).digest();

/**
 * Shares token buckets with the other API processes through the database. Requests are admitted by what this
 * process knows, without a look-up; what was taken is exchanged twice a second. A burst at several processes
 * at once can therefore exceed the limit by what they admit within that time, and by nothing afterwards.
 * While the database is away each process limits by itself; once it is back, what refilled is not reported.
 */
export function shareBuckets(
  db: Database,
  buckets: Readonly<Record<string, TokenBuckets>>,
  logger: Pick<Logger, 'warn'>,
): { exchange(): Promise<void>; stop(): void } {
  async function exchangeOne(kind: string, shared: TokenBuckets): Promise<void> {
    const taken = shared.takenSince(mostAtOnce);
    if (taken.length === 0) return;
    const byKey = new Map(taken.map(({ name, ms }) => [keyOf(kind, name).toString('hex'), { name, ms }]));
    // In one order, so that two processes never wait for each other.
    const given = [...byKey].map(([key, { ms }]) => ({ key, ms })).sort((a, b) => (a.key < b.key ? -1 : 1));
    try {
      const { rows } = await sql<{ key: string; ms: number }>`
        INSERT INTO rate_buckets AS b (key, full_at)
        SELECT decode(g.key, 'hex'), now() + make_interval(secs => least(g.ms, ${wholeBucketMs}::float8) / 1000)
        FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS g (key text, ms float8)
        ON CONFLICT (key) DO UPDATE
          SET full_at = least(
            greatest(b.full_at, now()) + (excluded.full_at - now()),
            now() + make_interval(secs => ${wholeBucketMs}::float8 / 1000)
          )
        RETURNING encode(key, 'hex') AS key, (extract(epoch FROM full_at - now()) * 1000)::float8 AS ms`.execute(
        db,
      );
      for (const { key, ms } of rows) shared.learn(byKey.get(key)!.name, ms);
    } catch (err) {
      for (const { name, ms } of taken) shared.restore(name, ms);
      throw err;
    }
  }

  let isExchanging = false;
  async function exchange(): Promise<void> {
    if (isExchanging) return;
    isExchanging = true;
    try {
      for (const [kind, shared] of Object.entries(buckets)) await exchangeOne(kind, shared);
    } catch (err) {
      logger.warn({ err }, 'rate limits are not shared at the moment');
    } finally {
      isExchanging = false;
    }
  }

  const timer = setInterval(() => void exchange(), exchangeEveryMs);
  timer.unref();
  return { exchange, stop: () => clearInterval(timer) };
}
