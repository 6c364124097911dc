import type { LakeDeps } from '../../../data/lake/commit.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type ProcessDeps, startRecorded } from '../../../data/processes/processes.ts';
import { deleteRun, findRun, insertRun, type Run } from '../../workspace/runs/runs.ts';
import { getTable, lockTable } from '../tables/tables.ts';
import { findContent, neverBuilt, refuseUnlessProfiled } from './content.ts';
import { profileProcess, profileStart } from './process.ts';
import { findActiveRun, type ProfileId } from './runs.ts';

export interface ProfileRequest extends ProfileId {
  callerId: string;
  /** Request data stored in the workflow's memo. */
  memo: Record<string, string>;
}

interface StartDeps extends ProcessDeps {
  lake: Pick<LakeDeps, 'catalog' | 'catalogPool'>;
}

/**
 * Starts a profile of the table, or returns the run that is under way. The run and the outbox entry are one
 * commit; if workflows are unavailable, it is undone.
 *
 * @throws AppError not_found, not_materialized, workflows_unavailable
 */
export async function startProfile(deps: StartDeps, request: ProfileRequest): Promise<Run> {
  const { organizationId, tableId, runId, memo } = request;
  const table = await inOrganization(deps.db, organizationId, (db) => getTable(db, organizationId, tableId));
  refuseUnlessProfiled(table);
  const lake = await deps.lake.catalog.get(organizationId);
  if ((await findContent(deps.lake, lake.schema, table)) === undefined) throw neverBuilt(table);
  const { row } = await startRecorded(deps, organizationId, {
    find: async (db) =>
      (await findRun(db, organizationId, runId)) ?? findActiveRun(db, organizationId, tableId),
    make: (db) => insertProfileRun(db, request),
    startOf: (run) => profileStart(run, memo),
    undo: (db, run) => deleteRun(db, organizationId, run.id),
  });
  return row;
}

async function insertProfileRun(db: OrganizationTransaction, request: ProfileRequest): Promise<Run> {
  const { organizationId, tableId, runId, callerId } = request;
  // Serialises concurrent starts: the second one sees the first one's run.
  const table = await lockTable(db, organizationId, tableId);
  const active = await findActiveRun(db, organizationId, tableId);
  if (active !== undefined) return active;
  return insertRun(db, {
    organization_id: organizationId,
    id: runId,
    project_id: table.project_id,
    kind: 'profile',
    trigger_type: 'api',
    trigger_id: callerId,
    title: `Profile of ${table.name}`,
    resource_type: 'table',
    resource_id: tableId,
    workflow_id: profileProcess.workflowId(`${tableId}/${runId}`),
  });
}
