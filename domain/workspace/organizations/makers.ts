import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

/**
 * Whether the person, or the API client, that something runs as is still there, was removed, revoked or has
 * expired, or was never known here, as with what was imported from elsewhere.
 */
async function stateOf(
  db: OrganizationTransaction,
  organizationId: string,
  makerId: string,
): Promise<'live' | 'gone' | 'unknown'> {
  const row = makerId.startsWith('usr_')
    ? await db
        .selectFrom('users')
        .select('removed_at as ended_at')
        .where('organization_id', '=', organizationId)
        .where('id', '=', makerId)
        .executeTakeFirst()
    : await db
        .selectFrom('api_clients')
        .select(({ fn }) => fn<Date | null>('least', ['revoked_at', 'expires_at']).as('ended_at'))
        .where('organization_id', '=', organizationId)
        .where('id', '=', makerId)
        .executeTakeFirst();
  if (row === undefined) return 'unknown';
  return row.ended_at === null || row.ended_at.getTime() > Date.now() ? 'live' : 'gone';
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
    `The ${what} runs as a person or API client that was removed or has expired. Ask an administrator to take it over first.`,
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
  throw new AppError(
    'conflict',
    `The ${what} runs as a person or API client that still exists, so it cannot be taken over.`,
  );
}
