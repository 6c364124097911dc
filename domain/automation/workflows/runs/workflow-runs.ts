import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../../data/postgres/records.ts';
import type { Params } from '../../../analyst/playbooks/parameters.ts';
import { deleteLakePins, extendLakePins } from '../../../tables/lake-maintenance/pins.ts';
import { findRun, getRun, type Run } from '../../../workspace/runs/runs.ts';

/** A run of an activated version; how far it is stands in the run of the same id. */
export type WorkflowRun = RecordOf<'workflow_runs'>;

export interface DataVersion {
  tableId: string;
  version: number;
}

const workflowRuns = records('workflow_runs', { prefix: 'wfr', what: 'The run' });

export const {
  find: findWorkflowRun,
  get: getWorkflowRun,
  insert: insertWorkflowRun,
  update: updateWorkflowRun,
} = workflowRuns;

export const paramsOf = (row: WorkflowRun) => row.params as unknown as Params;
export const dataVersionsOf = (row: WorkflowRun) => (row.data_versions ?? []) as unknown as DataVersion[];

/** Who holds the data that a run reads. */
export const runPin = (runId: string): string => `workflow-run/${runId}`;

const dayMs = 86_400_000;
/** While a run lives its data is kept for so long again and again. */
const runPinMs = 35 * dayMs;
const renewedBeforeMs = 30 * dayMs;
/** After it failed, so that it can be resumed; of one workflow's runs only those that failed last. */
export const failedRunPinDays = 7;
export const failedRunsPinned = 20;

export const runPinEnd = (): Date => new Date(Date.now() + runPinMs);

/** Keeps what a run reads for longer; false where nothing of it is kept any more. */
export const keepRunPins = (
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<boolean> => extendLakePins(db, organizationId, runPin(runId), runPinEnd());

/**
 * The same for one that failed. A workflow that fails every minute would keep each of its minutes otherwise.
 */
export async function keepFailedRunPins(
  db: OrganizationTransaction,
  { organization_id: organizationId, id, workflow_id: workflowId }: WorkflowRun,
): Promise<void> {
  // Two that fail at once would not see each other, and both stay.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`failed runs of ${workflowId}`}, 0))`.execute(db);
  await extendLakePins(db, organizationId, runPin(id), new Date(Date.now() + failedRunPinDays * dayMs), {
    endingBefore: runPinEnd(),
  });
  const failed = await db
    .selectFrom('runs')
    .innerJoin('workflow_runs as w', (join) =>
      join.onRef('w.organization_id', '=', 'runs.organization_id').onRef('w.id', '=', 'runs.id'),
    )
    .innerJoin('lake_pins as p', (join) =>
      join
        .onRef('p.organization_id', '=', 'runs.organization_id')
        .on('p.holder', '=', sql<string>`'workflow-run/' || runs.id`),
    )
    .select('p.holder')
    .distinct()
    .select('runs.finished_at')
    .where('w.organization_id', '=', organizationId)
    .where('w.workflow_id', '=', workflowId)
    .where('runs.status', '=', 'failed')
    .orderBy('runs.finished_at', 'desc')
    // The run itself has not ended yet.
    .offset(failedRunsPinned - 1)
    .limit(100)
    .execute();
  for (const { holder } of failed) await deleteLakePins(db, organizationId, holder);
}

/** The same where its time comes to an end: a node may wait for a year. */
export const renewRunPins = (
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<boolean> =>
  extendLakePins(db, organizationId, runPin(runId), runPinEnd(), {
    endingBefore: new Date(Date.now() + renewedBeforeMs),
  });

/** Both rows of a run; undefined where either is no more. */
export async function findBoth(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  lock?: 'update',
): Promise<{ row: WorkflowRun; run: Run } | undefined> {
  const row = await findWorkflowRun(db, organizationId, runId);
  // The run is what is held: everything that changes a node changes its steps too.
  const run = row && (await findRun(db, organizationId, runId, lock));
  return row && run && { row, run };
}

/**
 * Runs of an organization that have begun, and do not merely wait for a time, a person, another run or a
 * delivery.
 */
export async function countAtWork(db: OrganizationTransaction, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('runs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'workflow')
    .where('status', '=', 'running')
    .where('finished_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveries as d')
            .select('d.id')
            .whereRef('d.organization_id', '=', 'runs.organization_id')
            .whereRef('d.workflow_run_id', '=', 'runs.id')
            .where('d.status', 'in', ['pending', 'sending']),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('workflow_run_nodes as n')
            .select('n.id')
            .whereRef('n.organization_id', '=', 'runs.organization_id')
            .whereRef('n.run_id', '=', 'runs.id')
            .where('n.status', '=', 'running')
            .where(sql<boolean>`n.work ?| array['untilMs', 'approvalId', 'runId']`),
        ),
      ),
    )
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The run of this workflow, as its owner sees it. */
export async function runOfWorkflow(
  db: OrganizationTransaction,
  organizationId: string,
  { workflowId, runId, callerId }: { workflowId: string; runId: string; callerId: string },
): Promise<Run> {
  const row = await workflowRuns.get(db, organizationId, runId);
  // Of another workflow there is none.
  const projectId = row.workflow_id === workflowId ? row.project_id : '';
  return getRun(db, organizationId, { projectId, runId, callerId });
}

/** Those of one workflow, newest first. */
export async function listWorkflowRuns(
  db: OrganizationTransaction,
  organizationId: string,
  { workflowId, status }: { workflowId: string; status: Run['status'] | undefined },
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Run[]> {
  let query = db
    .selectFrom('runs')
    .innerJoin('workflow_runs as w', (join) =>
      join.onRef('w.organization_id', '=', 'runs.organization_id').onRef('w.id', '=', 'runs.id'),
    )
    .selectAll('runs')
    .where('w.organization_id', '=', organizationId)
    .where('w.workflow_id', '=', workflowId);
  if (status !== undefined) query = query.where('runs.status', '=', status);
  if (after !== undefined) query = query.where('w.id', '<', after);
  return query.orderBy('w.id', 'desc').limit(limit).execute();
}
