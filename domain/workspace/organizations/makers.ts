import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

/**
 * Whether the person, or the API client, that something runs as is still there, was removed or revoked, or
 * was never known here, as with what was imported from elsewhere.
 */
async function stateOf(
  db: OrganizationTransaction,
  organizationId: string,
  makerId: string,
): Promise<'live' | 'gone' | 'unknown'> {
  const [table, column] = makerId.startsWith('usr_')
    ? (['users', 'removed_at'] as const)
    : (['api_clients', 'revoked_at'] as const);
  const row = await db
    .selectFrom(table)
    .select(column as 'removed_at')
    .where('organization_id', '=', organizationId)
    .where('id', '=', makerId)
    .executeTakeFirst();
  if (row === undefined) return 'unknown';
  return Object.values(row).every((at) => at === null) ? 'live' : 'gone';
}

/** Nothing runs as somebody who is gone. */
export async function refuseGoneMaker(
  db: OrganizationTransaction,
  organizationId: string,
  makerId: string,
  what: string,
): Promise<void> {
  if ((await stateOf(db, organizationId, makerId)) !== 'gone') return;
  throw new AppError(
    'conflict',
    `The ${what} runs as somebody who was removed; an administrator takes it over first.`,
  );
}

/** Only what runs as somebody who is gone can be taken over. */
export async function refuseLiveMaker(
  db: OrganizationTransaction,
  organizationId: string,
  makerId: string,
  what: string,
): Promise<void> {
  if ((await stateOf(db, organizationId, makerId)) !== 'live') return;
  throw new AppError('conflict', `The ${what} runs as somebody who is still there.`);
}
