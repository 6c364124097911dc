import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { replaceActiveTriggers } from './active-triggers.ts';
import type { Workflow } from './workflows.ts';

/** Pauses every active workflow of a project that is archived, or of an owner who is removed. */
export async function pauseWorkflowsOf(
  db: OrganizationTransaction,
  organizationId: string,
  whose: { projectId: string } | { ownerId: string },
): Promise<Workflow[]> {
  const [column, id] =
    'projectId' in whose
      ? (['project_id', whose.projectId] as const)
      : (['owner_id', whose.ownerId] as const);
  const paused = await db
    .updateTable('workflows')
    .set(({ eb }) => ({
      status: 'paused' as const,
      pause_reason: 'ownerId' in whose ? ('maker_removed' as const) : null,
      revision: eb('revision', '+', 1),
      updated_at: new Date(),
    }))
    .where('organization_id', '=', organizationId)
    .where(column, '=', id)
    .where('status', '=', 'active')
    .returningAll()
    .execute();
  for (const row of paused) await replaceActiveTriggers(db, row, undefined);
  return paused;
}
