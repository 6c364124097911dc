import { sql } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { notify } from '../../../data/postgres/notifications.ts';

export interface ListedOrganization {
  id: string;
  name: string;
  createdAt: Date;
  suspendedAt: Date | null;
  /** When it is deleted, or should have been; null if it is not to be. */
  deletionDueAt: Date | null;
  deletionBegunAt: Date | null;
}

const organizationsAtOnce = 100;
const missing = (id: string) => new AppError('not_found', `There is no organization ${id}.`);

/** All organizations by id, for operators. */
export async function* allOrganizations(db: Database): AsyncGenerator<ListedOrganization> {
  for (let last = ''; ; ) {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM organizations_after(${last}, ${organizationsAtOnce}) AS id`.execute(db);
    for (const { id } of rows) {
      const found = await findOrganization(db, id);
      // It may have been removed meanwhile.
      if (found !== undefined) yield found;
    }
    if (rows.length < organizationsAtOnce) return;
    last = rows.at(-1)!.id;
  }
}

async function findOrganization(db: Database, id: string): Promise<ListedOrganization | undefined> {
  const row = await inOrganization(db, id, (transaction) =>
    transaction.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst(),
  );
  return (
    row && {
      id,
      name: row.name,
      createdAt: row.created_at,
      suspendedAt: row.suspended_at,
      deletionDueAt: row.deletion_due_at,
      deletionBegunAt: row.deletion_begun_at,
    }
  );
}

/** An organization as it is listed. @throws AppError not_found */
export async function getListed(db: Database, id: string): Promise<ListedOrganization> {
  const organization = await findOrganization(db, id);
  if (organization === undefined) throw missing(id);
  return organization;
}

/** An organization with what it has. @throws AppError not_found */
export async function showOrganization(
  db: Database,
  id: string,
): Promise<ListedOrganization & { people: number; projects: number; tables: number }> {
  const organization = await getListed(db, id);
  const { rows } = await inOrganization(db, id, (transaction) =>
    sql<{ people: number; projects: number; tables: number }>`
      SELECT (SELECT count(*) FROM users WHERE organization_id = ${id} AND removed_at IS NULL) AS people,
        (SELECT count(*) FROM projects WHERE organization_id = ${id}) AS projects,
        (SELECT count(*) FROM tables WHERE organization_id = ${id} AND kind <> 'system') AS tables`.execute(
      transaction,
    ),
  );
  return { ...organization, ...rows[0]! };
}

/**
 * Suspends an organization, or ends that; a repeated call changes nothing. Its tokens are refused within a
 * second, and no process of it begins; those under way end by themselves.
 *
 * @throws AppError not_found; conflict if one that is to be deleted is resumed
 */
export async function setSuspended(
  db: Database,
  id: string,
  isSuspended: boolean,
): Promise<ListedOrganization> {
  await inOrganization(db, id, async (transaction) => {
    if (!isSuspended) await refuseDeleted(transaction, id);
    await transaction
      .updateTable('organizations')
      .set({ suspended_at: isSuspended ? new Date() : null })
      .where('id', '=', id)
      .where('suspended_at', isSuspended ? 'is' : 'is not', null)
      .execute();
    // Event streams ask for their tokens again.
    await notify(transaction, 'access_ended', id);
  });
  return getListed(db, id);
}

async function refuseDeleted(transaction: OrganizationTransaction, id: string): Promise<void> {
  const row = await transaction
    .selectFrom('organizations')
    .select('deletion_due_at')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (row?.deletion_due_at == null) return;
  throw new AppError(
    'conflict',
    `${id} is scheduled for deletion. Keep it first, which works until the deletion begins.`,
  );
}
