import { sql } from 'kysely';
import type { OrganizationTransaction } from '../../../../data/postgres/client.ts';
import { lockByName } from '../../../../data/postgres/locks.ts';
import { type RecordOf, records } from '../../../../data/postgres/records.ts';
import type { Params } from '../../../analyst/playbooks/parameters.ts';
import { deleteLakePins, extendLakePins } from '../../../tables/lake-maintenance/pins.ts';
import { findRun, getRun, type Run } from '../../../workspace/runs/runs.ts';

/** A run of an activated version; its status and progress are in the run of the same id. */
export type WorkflowRun = RecordOf<'workflow_runs'>;

export interface DataVersion {
  tableId: string;
  version: number;
}

declare module '../../../../data/postgres/schema.ts' {
  interface Documents {
    workflow_runs: {
      params: Document<Params>;
      data_versions: Document<DataVersion[] | null>;
    };
  }
}

const workflowRuns = records('workflow_runs', { prefix: 'wfr', what: 'The run' });

export const {
  find: findWorkflowRun,
  get: getWorkflowRun,
  insert: insertWorkflowRun,
  update: updateWorkflowRun,
} = workflowRuns;

export const dataVersionsOf = (row: WorkflowRun) => row.data_versions ?? [];

/** The holder name of the pins for the data that a run reads. */
export const runPin = (runId: string): string => `workflow-run/${runId}`;

const dayMs = 86_400_000;
/** The pins of a run under way are extended to this, repeatedly. */
const runPinMs = 35 * dayMs;
const renewedBeforeMs = 30 * dayMs;
/**
 * How long the data of a failed run is kept, so that it can be resumed; limited to the latest failed runs of
 * a workflow.
 */
export const failedRunPinDays = 7;
export const failedRunsPinned = 20;

export const runPinEnd = (): Date => new Date(Date.now() + runPinMs);

/** Extends the pins of a run's data; false if none is left. */
export const keepRunPins = (
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<boolean> => extendLakePins(db, organizationId, runPin(runId), runPinEnd());

/**
 * Keeps the pins of a failed run. Limited per workflow, because one that fails every minute would otherwise
 * pin as many versions.
 */
export async function keepFailedRunPins(
  db: OrganizationTransaction,
  { organization_id: organizationId, id, workflow_id: workflowId }: WorkflowRun,
): Promise<void> {
  // Serialized: two concurrent failures would not see each other, and neither would be removed.
  await lockByName(db, `failed runs of ${workflowId}`);
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
    // This run has not ended yet.
    .offset(failedRunsPinned - 1)
    .limit(100)
    .execute();
  for (const { holder } of failed) await deleteLakePins(db, organizationId, holder);
}

/** Extends the pins if they are about to end: a node may wait for a year. */
export const renewRunPins = (
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<boolean> =>
  extendLakePins(db, organizationId, runPin(runId), runPinEnd(), {
    endingBefore: new Date(Date.now() + renewedBeforeMs),
  });

/** Both rows of a run; undefined if either is missing. */
export async function findBoth(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  lock?: 'update',
): Promise<{ row: WorkflowRun; run: Run } | undefined> {
  const row = await findWorkflowRun(db, organizationId, runId);
  // Only the run is locked: everything that changes a node also changes the run's steps.
  const run = row && (await findRun(db, organizationId, runId, lock));
  return row && run && { row, run };
}

/**
 * Runs of an organization that have begun, except those that only wait for a time, a person, another run or a
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

/** The run of this workflow, visible to its owner only. */
export async function runOfWorkflow(
  db: OrganizationTransaction,
  organizationId: string,
  { workflowId, runId, callerId }: { workflowId: string; runId: string; callerId: string },
): Promise<Run> {
  const row = await workflowRuns.get(db, organizationId, runId);
  // A run of another workflow is not found.
  const projectId = row.workflow_id === workflowId ? row.project_id : '';
  return getRun(db, organizationId, { projectId, runId, callerId });
}

/** The runs of one workflow, newest first. */
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
