import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'kysely';
import type { OrganizationTransaction } from './client.ts';

const acting = new AsyncLocalStorage<string | undefined>();

/**
 * Runs `work` for a user or client, by its id: to every transaction of the work, tables that are not granted to
 * it do not exist. Undefined: for the service itself, or for an administrator, who sees all.
 */
export function actingFor<T>(principalId: string | undefined, work: () => T): T {
  return acting.run(principalId, work);
}

export const currentPrincipal = (): string | undefined => acting.getStore();

/** A principal to whom no table exists. */
export const nobody = 'nobody';

/** The same for the rest of one transaction. */
export async function restrictTo(
  transaction: OrganizationTransaction,
  principalId: string | undefined,
): Promise<void> {
  await sql`SELECT set_config('app.principal_id', ${principalId ?? ''}, true)`.execute(transaction);
}
