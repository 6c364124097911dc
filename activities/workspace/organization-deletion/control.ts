import { removeSomeTables } from '../../../data/lake/remove.ts';
import { removeSomeRows, tablesToEmpty } from '../../../domain/workspace/organizations/deletion/rows.ts';
import { beginDeletion, finishDeletion } from '../../../domain/workspace/organizations/deletion/states.ts';
import type { OrganizationDeletionControlActivities } from '../../../workflows/workspace/organization-deletion/contract.ts';
import type { ActivityDeps } from '../../deps.ts';
import { withHeartbeats } from '../../heartbeats.ts';

/** A slice begins nothing more after this long; the next one goes on there. */
const sliceMs = 10_000;

export function organizationDeletionControlActivities({
  db,
  lake: { catalogPool },
}: Pick<ActivityDeps, 'db' | 'lake'>): OrganizationDeletionControlActivities {
  const overAfterSlice = () => {
    const endMs = Date.now() + sliceMs;
    return () => Date.now() > endMs;
  };
  return {
    /** Safe to retry: what has begun stays begun. */
    beginDeletion: (organizationId) => beginDeletion(db, organizationId),

    /** Safe to retry: tables that are gone are not found. */
    removeLakeTables: ({ organizationId, lake: schema }) =>
      withHeartbeats({}, {}, async () => {
        const isOver = overAfterSlice();
        for (let tables = 0; ; ) {
          const { removed, left } = await removeSomeTables(catalogPool, { organizationId, schema });
          tables += removed;
          if (left === null || isOver()) return { tables, left };
        }
      }),

    /** Safe to retry: rows that are gone are not found. */
    removeRows: (organizationId) =>
      withHeartbeats({}, {}, () => removeSomeRows(catalogPool, organizationId, overAfterSlice())),

    /** Safe to retry: an organization that is gone is gone. */
    finishDeletion: async (organizationId) =>
      finishDeletion(catalogPool, organizationId, await tablesToEmpty(catalogPool)),
  };
}
