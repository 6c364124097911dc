import { Client } from 'pg';

/**
 * Does at once what waiting would do: the idempotency keys of requests that died with the API are free again. A key
 * that cannot be freed now is waited for.
 */
export async function releaseLeases(databaseUrl: string): Promise<void> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 1_500,
    query_timeout: 1_500,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('UPDATE idempotency_keys SET lease_until = now() WHERE response_status IS NULL');
  } catch {
    // PostgreSQL may be down or paused just now.
  } finally {
    await client.end().catch(() => {});
  }
}
