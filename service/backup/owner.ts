import '../../data/postgres/types.ts';
import pg from 'pg';

/**
 * A session of the role that owns the tables: its policies show it the rows of every organization.
 *
 * @param databaseUrl of that role, as API and worker have it
 */
export async function withOwner<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    // A server that doesn't answer must not hold up a process that starts.
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Runs `work` in a transaction, which leaves nothing behind if it fails. */
export async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
