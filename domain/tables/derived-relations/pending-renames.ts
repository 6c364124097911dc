import { type Selectable, sql } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { DB } from '../../../data/postgres/schema.ts';

export type PendingRename = Selectable<DB['pending_renames']>;

/** Records that a column has another name, for every definition that reads its table or view. */
export async function announceToDefinitions(
  db: OrganizationTransaction,
  organizationId: string,
  relationId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await sql`
    INSERT INTO pending_renames (organization_id, definition_id, relation_id, from_name, to_name)
    SELECT organization_id, definition_id, relation_id, ${from}, ${to} FROM definition_reads
    WHERE organization_id = ${organizationId} AND relation_id = ${relationId}`.execute(db);
}

/** In the order in which they happened. */
export function pendingRenames(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<PendingRename[]> {
  return db
    .selectFrom('pending_renames')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('position')
    .limit(1_000)
    .execute();
}

/** Removes those that were followed; false if another process did so. */
export async function forgetRenames(
  db: OrganizationTransaction,
  organizationId: string,
  renames: readonly PendingRename[],
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('pending_renames')
    .where('organization_id', '=', organizationId)
    .where(
      'position',
      'in',
      renames.map(({ position }) => position),
    )
    .executeTakeFirst();
  return Number(numDeletedRows) === renames.length;
}
