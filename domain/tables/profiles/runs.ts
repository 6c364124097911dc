import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { Run } from '../../workspace/runs/runs.ts';

/** A run that computes a profile. */
export interface ProfileId {
  organizationId: string;
  tableId: string;
  runId: string;
}

/** The holder of the version that a run reads. */
export const profilePin = ({ runId }: Pick<ProfileId, 'runId'>): string => `profile/${runId}`;

function runsOf(db: OrganizationTransaction, organizationId: string, tableId: string) {
  return db
    .selectFrom('runs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'profile')
    .where('resource_id', '=', tableId);
}

/** The run that computes a profile of the table, or waits for its turn. */
export function findActiveRun(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<Run | undefined> {
  return runsOf(db, organizationId, tableId).where('finished_at', 'is', null).executeTakeFirst();
}

/** The newest run of the table, whatever became of it. */
export function findNewestRun(
  db: OrganizationTransaction,
  organizationId: string,
  tableId: string,
): Promise<Run | undefined> {
  return runsOf(db, organizationId, tableId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
