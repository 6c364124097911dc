import { sql } from 'kysely';
import { AppError } from '../errors.ts';
import type { Database } from '../postgres/client.ts';
import type { ProcessStart } from '../postgres/process-starts.ts';

/** The kind of the one process that runs in an organization while it is being deleted. */
export const deletionKind = 'organization-deletion';

/**
 * Reconcilers and late requests find the rows of such an organization until they are gone.
 *
 * @throws AppError organization_suspended
 */
export async function refuseDeleted(db: Database, { searchAttributes }: ProcessStart): Promise<void> {
  const { OrganizationId: organizationId, ProcessKind: kind } = searchAttributes;
  if (organizationId === undefined || kind === deletionKind) return;
  const { rows } = await sql<{
    deleted: boolean;
  }>`SELECT is_being_deleted(${organizationId}) AS deleted`.execute(db);
  if (rows[0]!.deleted)
    throw new AppError('organization_suspended', 'The organization is being deleted, so no runs can start.');
}
