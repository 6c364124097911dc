import type { Insertable, Updateable } from 'kysely';
import { notFound } from '../../data/errors.ts';
import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../data/postgres/records.ts';
import type { DB } from '../../data/postgres/schema.ts';
import { states } from '../../data/postgres/states.ts';
import { closeStep, type RunStep, withStep } from './steps.ts';

export type Run = RecordOf<'runs'>;
export type RunKind = Run['kind'];
export type RunStatus = Run['status'];

/** Ids of runs are those of their own resources: any that is no id finds nothing. */
const runs = records('runs', { prefix: undefined, what: 'The run' });

export const { find: findRun, remove: deleteRun } = runs;

/** A run's life: `waiting` is for somebody's answer. What ended stays as it ended. */
export const runStates = states(
  'runs',
  {
    queued: ['running', 'failed', 'cancelled'],
    running: ['waiting', 'succeeded', 'failed', 'cancelled'],
    waiting: ['running', 'failed', 'cancelled'],
    succeeded: [],
    failed: [],
    cancelled: [],
  },
  (to, isEnd) => ({
    ...(to === 'running' ? { started_at: new Date() } : {}),
    ...(isEnd ? { finished_at: new Date() } : {}),
  }),
);

/** The run of this project, as that caller may see it. */
export async function getRun(
  db: OrganizationTransaction,
  organizationId: string,
  { projectId, runId, callerId }: { projectId: string; runId: string; callerId: string },
): Promise<Run> {
  const run = await runs.get(db, organizationId, runId);
  const isSeen = run.owner_id === null || run.owner_id === callerId;
  if (run.project_id !== projectId || !isSeen) throw notFound('The run');
  return run;
}

export interface RunFilters {
  projectId: string;
  callerId: string;
  kind: RunKind | undefined;
  status: RunStatus | undefined;
}

/** Newest first, but for those of somebody else's alone. */
export async function listRuns(
  db: OrganizationTransaction,
  organizationId: string,
  { projectId, callerId, kind, status }: RunFilters,
  { after, limit }: Slice,
): Promise<Run[]> {
  let query = db
    .selectFrom('runs')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('project_id', '=', projectId)
    .where((where) => where.or([where('owner_id', 'is', null), where('owner_id', '=', callerId)]));
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (status !== undefined) query = query.where('status', '=', status);
  const before = after === undefined ? undefined : (JSON.parse(after) as [string, string]);
  if (before !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('created_at', 'id'), '<', tuple(new Date(before[0]), before[1])),
    );
  }
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Adds a run that waits for its process. */
export function insertRun(
  db: OrganizationTransaction,
  run: Omit<Insertable<DB['runs']>, 'status'>,
): Promise<Run> {
  return runs.insert(db, { ...run, status: 'queued' });
}

/** Moves a run by compare-and-set; the step under way ends with it. Undefined when it was not where it should be. */
export async function moveRun(
  db: OrganizationTransaction,
  id: { organization_id: string; id: string },
  from: RunStatus,
  to: RunStatus,
  change: Updateable<DB['runs']> = {},
): Promise<Run | undefined> {
  if (!runStates.isEnd(to)) return runStates.move(db, id, from, to, change);
  const run = await runs.find(db, id.organization_id, id.id, 'update');
  const steps = closeStep((run?.steps ?? []) as unknown as RunStep[], to);
  return runStates.move(db, id, from, to, { ...change, steps: JSON.stringify(steps) });
}

/** Progress from 0 to 1; a run that ended keeps its last. */
export async function reportRunProgress(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  progress: number,
): Promise<void> {
  await db
    .updateTable('runs')
    .set({ progress })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .execute();
}

/** Tells that a step begins; the one before it is done. Telling it twice changes nothing. */
export async function beginStep(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  step: Pick<RunStep, 'id' | 'name' | 'type'>,
): Promise<void> {
  const run = await runs.find(db, organizationId, runId, 'update');
  if (run === undefined || runStates.isEnd(run.status)) return;
  const steps = withStep(run.steps as unknown as RunStep[], step);
  await runs.update(db, organizationId, runId, { steps: JSON.stringify(steps) });
}
