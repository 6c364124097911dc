import { dropRole, endSessions, rolesOfLake } from '../../data/lake/remove.ts';
import { endIcebergKeys } from '../../domain/tables/iceberg/keys.ts';
import { endAllCredentials } from '../../domain/tables/lake-credentials/end-all.ts';
import { removeObjectsOf } from '../../domain/workspace/organizations/deletion/objects.ts';
import { organizationDeletionProcess } from '../../domain/workspace/organizations/deletion/process.ts';
import type { OrganizationDeletionLakeActivities } from '../../workflows/workspace/organization-deletion/contract.ts';
import type { ActivityDeps } from '../deps.ts';
import { withHeartbeats } from '../heartbeats.ts';

export function organizationDeletionLakeActivities(
  deps: Pick<ActivityDeps, 'db' | 'lake' | 'objects' | 'objectKeys' | 'processes'>,
): OrganizationDeletionLakeActivities {
  const { catalogPool } = deps.lake;
  return {
    /** Safe to retry: a process that has ended is left alone. */
    endProcesses: (organizationId) =>
      withHeartbeats({}, {}, () =>
        deps.processes.endAll(organizationId, organizationDeletionProcess.workflowId(organizationId)),
      ),

    /** Safe to retry: a credential that has ended is left alone. */
    endCredentials: (organizationId) =>
      withHeartbeats({}, {}, async () => {
        await endAllCredentials(deps, organizationId);
        await endIcebergKeys(deps, organizationId);
      }),

    /** Safe to retry: roles that are gone are not found, and what may have been read is ended again. */
    endLakeSessions: ({ lake }) =>
      withHeartbeats({}, {}, async () => endSessions(catalogPool, await rolesOfLake(catalogPool, lake))),

    /** Safe to retry: roles that are gone are not found. */
    removeLakeRoles: ({ lake }) =>
      withHeartbeats({}, {}, async () => {
        const left: string[] = [];
        for (const role of await rolesOfLake(catalogPool, lake))
          if (!(await dropRole(catalogPool, role))) left.push(role);
        return left;
      }),

    /** Safe to retry: objects that are gone are not found. */
    removeObjects: (organizationId, lake) =>
      withHeartbeats({}, {}, (_, signal) => removeObjectsOf(deps, { organizationId, lake }, signal)),
  };
}
