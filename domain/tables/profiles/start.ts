import type { LakeDeps } from '../../../data/lake/commit.ts';
import { inOrganization, type OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { startRun } from '../../workspace/runs/kind.ts';
import { deleteRun, insertRun, type Run } from '../../workspace/runs/runs.ts';
import { getTable, lockTable } from '../tables/registry.ts';
import { findContent, neverBuilt, refuseUnlessProfiled } from './content.ts';
import { profileProcess, profileRuns } from './process.ts';
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
  const { run } = await startRun(deps, profileRuns, {
    ...{ organizationId, runId, memo },
    make: (db) => findOrInsert(db, request),
    undo: (db, { id }) => deleteRun(db, organizationId, id),
  });
  return run;
}

async function findOrInsert(db: OrganizationTransaction, request: ProfileRequest): Promise<Run> {
  const { organizationId, tableId, runId, callerId } = request;
  // Serialises concurrent starts: the second one sees the first one's run.
  const table = await lockTable(db, organizationId, tableId);
  const active = await findActiveRun(db, organizationId, tableId);
  if (active !== undefined) return active;
  return insertRun(db, {
    ...{ organization_id: organizationId, id: runId, project_id: table.project_id, kind: 'profile' },
    ...{ trigger_type: 'api', trigger_id: callerId, title: `Profile of ${table.name}` },
    ...{ resource_type: 'table', resource_id: tableId },
    workflow_id: profileProcess.workflowId(`${tableId}/${runId}`),
  });
}
