import { type Kysely, sql } from 'kysely';
import type { DB } from './schema.ts';

/**
 * Holds a name until the transaction ends; other transactions that want it wait. For checks over several
 * rows, such as their number, which two transactions at the same time would both pass.
 */
export async function lockByName(transaction: Kysely<DB>, name: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}
