import { AppError, notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { ProcessDeps } from '../../../data/processes/processes.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { startRun } from '../../workspace/runs/kind.ts';
import { findRun, type Run } from '../../workspace/runs/runs.ts';
import { findTable, getTable, type TableRow } from '../tables/registry.ts';
import {
  activeMaterializations,
  deleteMaterialization,
  insertMaterialization,
  listBuilds,
  lockBuilds,
  type Materialization,
} from './materializations.ts';
import { materializationRuns } from './process.ts';

export interface MaterializationRequest {
  organizationId: string;
  /** Id of the run, if one is made. */
  runId: string;
  tableId: string;
  mode: Materialization['mode'];
  downstream?: boolean;
  callerId: string;
  /** What set it off; the caller by default. */
  trigger?: { type: Run['trigger_type']; id: string };
  /** Id of the workflow to notify when it has ended. */
  waitedBy?: string | undefined;
  memo?: Record<string, string>;
}

/** More runs of an organization do not wait for their turn. */
const mostActive = limits.tables.buildsUnderWay.most;

/** @throws AppError not_found for what is no calculated table */
export async function getCalculated(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<TableRow> {
  const table = await getTable(db, organizationId, id);
  if (table.kind !== 'calc') throw notFound('The calculated table');
  return table;
}

/**
 * Starts building a table, or bringing it up to date with all that it reads. Of one table one run is enough:
 * what builds it already is answered again, and so is a synchronization that has not begun.
 *
 * @throws AppError not_found, conflict, workflows_unavailable
 */
export async function startMaterialization(deps: ProcessDeps, request: MaterializationRequest): Promise<Run> {
  const { organizationId, runId, memo } = request;
  const { run } = await startRun(deps, materializationRuns, {
    ...{ organizationId, runId, memo },
    make: (db) => findOrInsert(db, request),
    undo: deleteMaterialization,
  });
  return run;
}

async function findOrInsert(db: OrganizationTransaction, request: MaterializationRequest): Promise<Run> {
  const { organizationId, tableId, mode, downstream = false } = request;
  await lockBuilds(db, organizationId);
  // Held against a deletion, which refuses tables with a run.
  await findTable(db, organizationId, tableId, 'share');
  const table = await getCalculated(db, organizationId, tableId);
  const active = await activeMaterializations(db, organizationId);
  const same = await sameRun(db, active, request);
  const running = same === undefined ? undefined : await findRun(db, organizationId, same.id);
  if (running !== undefined) return running;
  if (active.length >= mostActive)
    throw new AppError(
      'conflict',
      `${mostActive} builds of the organization are already running or waiting, which is the limit. Try again when some of them have ended.`,
    );
  return insertMaterialization(db, {
    organizationId,
    runId: request.runId,
    tableId,
    tableName: table.name,
    projectId: table.project_id,
    mode,
    downstream,
    createdBy: request.callerId,
    trigger: request.trigger ?? { type: 'api', id: request.callerId },
    waitedBy: request.waitedBy,
  });
}

/** Somebody who is to be notified needs a run of his own. */
async function sameRun(
  db: OrganizationTransaction,
  active: readonly Materialization[],
  { organizationId, tableId, mode, downstream = false, waitedBy }: MaterializationRequest,
): Promise<Materialization | undefined> {
  if (waitedBy !== undefined) return undefined;
  const own = active.filter(({ table_id: id }) => id === tableId);
  if (mode === 'sync')
    return own.find(
      (row) => row.mode === 'sync' && row.snapshot_id === null && (row.downstream || !downstream),
    );
  const builds = await listBuilds(db, organizationId, { activeOnly: true });
  const building = builds.find(({ table_id: id }) => id === tableId)?.run_id;
  return active.find(({ id }) => id === building) ?? own.find((row) => row.mode === 'materialize');
}
