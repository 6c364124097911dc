import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

/** How long a request keeps its idempotency key without having answered, at most. */
const leaseSeconds = 151;
const timeoutMs = 60_000;

/** Does what waiting would do: the keys of requests that died with the API are free as soon as PostgreSQL is up. */
export async function releaseLeases(databaseUrl: string, diedMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && Date.now() - diedMs < timeoutMs) {
    const client = new Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: 2_000,
      query_timeout: 2_000,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query(
        `UPDATE idempotency_keys SET lease_until = now()
         WHERE response_status IS NULL AND lease_until < to_timestamp($1::float8 / 1000) + make_interval(secs => $2)`,
        [diedMs, leaseSeconds],
      );
      return;
    } catch {
      // PostgreSQL is down or paused just now.
      await delay(250, undefined, { signal }).catch(() => {});
    } finally {
      await client.end().catch(() => {});
    }
  }
}
