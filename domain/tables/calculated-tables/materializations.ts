import type { Selectable } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { lockByName } from '../../../data/postgres/locks.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { deleteRun, insertRun, type Run } from '../../workspace/runs/runs.ts';
import { materializationProcess } from './process.ts';

/** A run that builds one calculated table, or a graph of them. */
export type Materialization = RecordOf<'materializations'>;
/** One table of such a run. */
export type Build = Selectable<DB['builds']>;
type BuildStatus = Build['status'];

const materializations = records('materializations', { prefix: 'run', what: 'The run' });

export const {
  find: findMaterialization,
  get: getMaterialization,
  update: updateMaterialization,
} = materializations;

/** The states of a build. End states are final; their rows are no claim on the table any more. */
export const buildTransitions: Readonly<Record<BuildStatus, readonly BuildStatus[]>> = {
  waiting: ['running', 'failed', 'cancelled', 'skipped'],
  running: ['succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
  skipped: [],
};

export interface NewMaterialization {
  organizationId: string;
  runId: string;
  tableId: string;
  tableName: string;
  projectId: string | null;
  mode: Materialization['mode'];
  downstream: boolean;
  createdBy: string;
  trigger: { type: Run['trigger_type']; id: string };
  waitedBy?: string | undefined;
}

export async function insertMaterialization(
  db: OrganizationTransaction,
  made: NewMaterialization,
): Promise<Run> {
  const { organizationId, runId, tableId, tableName, mode } = made;
  const run = await insertRun(db, {
    ...{ organization_id: organizationId, id: runId, project_id: made.projectId, kind: 'materialize' },
    ...{ trigger_type: made.trigger.type, trigger_id: made.trigger.id },
    title: mode === 'sync' ? `Synchronization of ${tableName}` : `Build of ${tableName}`,
    ...{ resource_type: 'table', resource_id: tableId },
    workflow_id: materializationProcess.workflowId(runId),
    waited_by: made.waitedBy ?? null,
  });
  await materializations.insert(db, {
    ...{ organization_id: organizationId, id: runId, table_id: tableId, mode },
    ...{ downstream: made.downstream, created_by: made.createdBy },
  });
  return run;
}

export async function deleteMaterialization(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Run,
): Promise<void> {
  await materializations.remove(db, organizationId, id);
  await deleteRun(db, organizationId, id);
}

/** Those that have not ended, oldest first. */
export function activeMaterializations(
  db: OrganizationTransaction,
  organizationId: string,
): Promise<Materialization[]> {
  return db
    .selectFrom('materializations')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('finished_at', 'is', null)
    .orderBy('id')
    .execute();
}

/** Serialises what claims tables, so that each is built by one run at a time. */
export async function lockBuilds(db: OrganizationTransaction, organizationId: string): Promise<void> {
  await lockByName(db, `builds of ${organizationId}`);
}

/** The builds of a run, or those under way of any run. */
export function listBuilds(
  db: OrganizationTransaction,
  organizationId: string,
  { runId, activeOnly = false }: { runId?: string; activeOnly?: boolean },
): Promise<Build[]> {
  let query = db.selectFrom('builds').selectAll().where('organization_id', '=', organizationId);
  if (runId !== undefined) query = query.where('run_id', '=', runId);
  if (activeOnly) query = query.where('finished_at', 'is', null);
  return query.orderBy('table_id').execute();
}

export interface BuildId {
  organizationId: string;
  runId: string;
  tableId: string;
}

export async function findBuild(
  db: OrganizationTransaction,
  { organizationId, runId, tableId }: BuildId,
): Promise<Build | undefined> {
  return db
    .selectFrom('builds')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('run_id', '=', runId)
    .where('table_id', '=', tableId)
    .executeTakeFirst();
}

/** Moves a build by compare-and-set; false if it was in another state. */
export async function moveBuild(
  db: OrganizationTransaction,
  { organizationId, runId, tableId }: BuildId,
  from: BuildStatus,
  to: BuildStatus,
  change: { built?: object; error?: object | null } = {},
): Promise<boolean> {
  if (!buildTransitions[from].includes(to)) throw new Error(`A build cannot move from ${from} to ${to}.`);
  const isEnd = buildTransitions[to].length === 0;
  const { numUpdatedRows } = await db
    .updateTable('builds')
    .set({
      status: to,
      ...(to === 'running' ? { started_at: new Date() } : {}),
      ...(isEnd ? { finished_at: new Date() } : {}),
      ...(change.built === undefined ? {} : { built: JSON.stringify(change.built) }),
      ...(change.error === undefined
        ? {}
        : { error: change.error === null ? null : JSON.stringify(change.error) }),
    })
    .where('organization_id', '=', organizationId)
    .where('run_id', '=', runId)
    .where('table_id', '=', tableId)
    .where('status', '=', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
