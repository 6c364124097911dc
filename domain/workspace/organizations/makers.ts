import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';

/** Whether the person was removed, or the API client revoked, that something runs as. */
async function isGone(
  db: OrganizationTransaction,
  organizationId: string,
  makerId: string,
): Promise<boolean> {
  const [table, column] = makerId.startsWith('usr_')
    ? (['users', 'removed_at'] as const)
    : (['api_clients', 'revoked_at'] as const);
  const live = await db
    .selectFrom(table)
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', makerId)
    .where(column as 'removed_at', 'is', null)
    .executeTakeFirst();
  return live === undefined;
}

/** Nothing runs as somebody who is gone. */
export async function refuseGoneMaker(
  db: OrganizationTransaction,
  organizationId: string,
  makerId: string,
  what: string,
): Promise<void> {
  if (!makerId.startsWith('usr_') || !(await isGone(db, organizationId, makerId))) return;
  throw new AppError(
    'conflict',
    `The ${what} runs as a person who was removed; an administrator takes it over first.`,
  );
}

/** Only what runs as somebody who is gone can be taken over. */
export async function refuseLiveMaker(
  db: OrganizationTransaction,
  organizationId: string,
  makerId: string,
  what: string,
): Promise<void> {
  if (await isGone(db, organizationId, makerId)) return;
  throw new AppError('conflict', `The ${what} runs as somebody who is still there.`);
}
