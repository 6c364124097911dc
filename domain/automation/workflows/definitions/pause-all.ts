import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { replaceActiveTriggers } from './active-triggers.ts';

/** Pauses the workflows of a project that is being archived. */
export async function pauseWorkflowsOf(
  db: OrganizationTransaction,
  organizationId: string,
  projectId: string,
): Promise<void> {
  const paused = await db
    .updateTable('workflows')
    .set(({ eb }) => ({
      status: 'paused' as const,
      revision: eb('revision', '+', 1),
      updated_at: new Date(),
    }))
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where('status', '=', 'active')
    .returningAll()
    .execute();
  for (const row of paused) await replaceActiveTriggers(db, row, undefined);
}
