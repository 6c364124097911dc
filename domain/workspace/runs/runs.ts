import type { Insertable, Updateable } from 'kysely';
import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { states } from '../../../data/postgres/states.ts';
import type { RunKind } from './kinds.ts';
import { closeStep, mergedSteps, type RunStep, withStep } from './steps.ts';

export type Run = RecordOf<'runs'>;
export type RunStatus = Run['status'];

declare module '../../../data/postgres/schema.ts' {
  interface Documents {
    runs: {
      kind: RunKind;
      steps: DefaultedDocument<RunStep[]>;
    };
  }
}

/** A run has the id of its own resource, so ids have no common prefix. */
const runs = records('runs', { prefix: undefined, what: 'The run' });

export const { find: findRun, remove: deleteRun } = runs;

/** The states of a run. `waiting`: for a person's decision. End states are final. */
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
  (to, isEnd, from) => ({
    ...(from === 'queued' && to === 'running' ? { started_at: new Date() } : {}),
    ...(isEnd ? { finished_at: new Date() } : {}),
  }),
);

/** Default if no other failure was recorded. */
export const internalFailure = (what: string): { code: string; message: string } => ({
  code: 'internal_error',
  message: `${what} failed because of an internal error. Start it again, or give its id to the operator.`,
});

/** The run of this project, if the caller may see it. */
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

/**
 * A run's position in the list: its time, ISO 8601, and its id; ids of different kinds do not sort together
 * by time.
 */
export type RunPlace = [string, string];

export interface RunFilters {
  projectId: string;
  callerId: string;
  kind: RunKind | undefined;
  status: RunStatus | undefined;
}

/** Newest first; without runs that only another caller may see. */
export async function listRuns(
  db: OrganizationTransaction,
  organizationId: string,
  { projectId, callerId, kind, status }: RunFilters,
  { after, limit }: { after: RunPlace | undefined; limit: number },
): Promise<Run[]> {
  const page = (owner: string | null) => {
    let query = db
      .selectFrom('runs')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('project_id', '=', projectId)
      .where('owner_id', owner === null ? 'is' : '=', owner);
    if (kind !== undefined) query = query.where('kind', '=', kind);
    if (status !== undefined) query = query.where('status', '=', status);
    if (after !== undefined) {
      query = query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'id'), '<', tuple(new Date(after[0]), after[1])),
      );
    }
    // With the owner, although it is one: PostgreSQL does not infer an index's order from `IS NULL`.
    return query.orderBy('owner_id').orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit);
  };
  // A page of each, in the order of an index. `OR` would read others' own runs to skip them.
  return db
    .selectFrom(page(null).as('shared'))
    .selectAll()
    .unionAll(db.selectFrom(page(callerId).as('own')).selectAll())
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Counts the organization's runs that have not ended. */
export async function countUnfinished(
  db: OrganizationTransaction,
  organizationId: string,
  kinds: readonly RunKind[],
): Promise<{ unfinished: number; queued: number }> {
  const { unfinished, queued } = await db
    .selectFrom('runs')
    .select(({ fn }) => [
      fn.countAll<number>().as('unfinished'),
      fn.countAll<number>().filterWhere('status', '=', 'queued').as('queued'),
    ])
    .where('organization_id', '=', organizationId)
    .where('kind', 'in', kinds)
    .where('finished_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { unfinished: Number(unfinished), queued: Number(queued) };
}

/** Adds a queued run, whose process has not begun. */
export function insertRun(
  db: OrganizationTransaction,
  run: Omit<Insertable<DB['runs']>, 'status'>,
): Promise<Run> {
  return runs.insert(db, { ...run, status: 'queued' });
}

/**
 * Moves a run by compare-and-set; an end also ends the current step. Undefined if the run was in another
 * state.
 */
export async function moveRun(
  db: OrganizationTransaction,
  id: { organization_id: string; id: string },
  from: RunStatus,
  to: RunStatus,
  change: Updateable<DB['runs']> = {},
): Promise<Run | undefined> {
  if (!runStates.isEnd(to)) return runStates.move(db, id, from, to, change);
  const run = await runs.find(db, id.organization_id, id.id, 'update');
  const steps = closeStep(run === undefined ? [] : run.steps, to);
  return runStates.move(db, id, from, to, { ...change, steps: JSON.stringify(steps) });
}

/** A failed run can be resumed by its own feature only; for all others `failed` is final. */
const resumableStates = states('runs', { ...runStates.transitions, failed: ['running'] });

/** Resumes a failed run, by compare-and-set; its position is in its steps. */
export function reopenRun(db: OrganizationTransaction, run: Run): Promise<Run | undefined> {
  const fresh = { error: null, finished_at: null, cancel_requested_at: null };
  return resumableStates.move(db, run, 'failed', 'running', fresh);
}

/**
 * Updates a run after its resource's own row, which moves by compare-and-set. No effect on a run that has
 * ended.
 */
export async function followRun(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: { organization_id: string; id: string },
  to: RunStatus,
  change: Updateable<DB['runs']> = {},
): Promise<void> {
  const run = await runs.find(db, organizationId, id, 'update');
  if (run === undefined || runStates.isEnd(run.status) || run.status === to) return;
  await moveRun(db, run, run.status, to, change);
}

/** Sets the progress, from 0 to 1; no effect on a run that has ended. */
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

/** Records the beginning of a step, which ends the one before it. Idempotent. */
export async function beginStep(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  step: Pick<RunStep, 'id' | 'name' | 'type'>,
): Promise<void> {
  const run = await runs.find(db, organizationId, runId, 'update');
  if (run === undefined || runStates.isEnd(run.status)) return;
  const steps = withStep(run.steps, step);
  await runs.update(db, organizationId, runId, { steps: JSON.stringify(steps) });
}

/** Sets the detail of a step under way; null removes it. */
export async function describeStep(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  { id, detail }: Pick<RunStep, 'id' | 'detail'>,
): Promise<void> {
  const run = await runs.find(db, organizationId, runId, 'update');
  if (run === undefined || runStates.isEnd(run.status)) return;
  const steps = run.steps.map((step) => (step.id === id ? { ...step, detail } : step));
  await runs.update(db, organizationId, runId, { steps: JSON.stringify(steps) });
}

/** Replaces the steps of a run; each keeps the times at which it was first seen in its state. */
export async function showSteps(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  steps: readonly Omit<RunStep, 'startedAt' | 'finishedAt'>[],
): Promise<void> {
  const run = await runs.find(db, organizationId, runId, 'update');
  if (run === undefined || runStates.isEnd(run.status)) return;
  await runs.update(db, organizationId, runId, { steps: JSON.stringify(mergedSteps(run.steps, steps)) });
}
