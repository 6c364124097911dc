import { AppError, isRetryable } from '../../../data/errors.ts';
import { EngineCrashLoopError } from '../../../data/lake/engine/failure.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import {
  beginStep,
  describeStep,
  findRun,
  internalFailure,
  moveRun,
  type Run,
  reportRunProgress,
} from '../../workspace/runs/runs.ts';
import { deleteLakePins } from '../lake-maintenance/pins.ts';
import { beginQueued, endQueued, type Queue, type Turn } from '../queued-runs/queued-runs.ts';
import type { ComputedProfile, ProfileProgress } from './compute.ts';
import { putProfile } from './profiles.ts';
import { type ProfileId, profilePin } from './runs.ts';

/** More at once would occupy the engines of the organization's imports. */
const queue: Queue<Run> = { kind: 'profile', pinsOf: 'profile', find: findRun };

const readStep = { id: 'read', name: 'Read the columns', type: 'read' };

export interface ProfileFailure {
  code: string;
  message: string;
}

const engineFailed: ProfileFailure = {
  code: 'engine_failed',
  message:
    'The engine stopped twice while it read this table. Its values need more memory than a profile may use.',
};

/** queued → running. */
export const beginProfile = (db: Database, id: ProfileId): Promise<Turn> =>
  beginQueued(db, id, queue, async (transaction) => {
    await beginStep(transaction, id.organizationId, id.runId, readStep);
    return true;
  });

/** Shows how many columns are done. No effect on a run that has ended. */
export function reportProgress(
  db: Database,
  { organizationId, runId }: ProfileId,
  { columnsDone, columns }: ProfileProgress,
): Promise<void> {
  return inOrganization(db, organizationId, async (transaction) => {
    const detail = columns === 0 ? null : `${columnsDone} of ${columns} columns`;
    await describeStep(transaction, organizationId, runId, { id: readStep.id, detail });
    await reportRunProgress(transaction, organizationId, runId, columns === 0 ? 0 : columnsDone / columns);
  });
}

/** Keeps a profile with the end of its run; of a run that has ended meanwhile, it is not kept. */
export function keepProfile(db: Database, id: ProfileId, profile: ComputedProfile): Promise<void> {
  const { organizationId, tableId, runId } = id;
  const { version, rowCount, columns } = profile;
  return inOrganization(db, organizationId, async (transaction) => {
    const detail = `${columns.length} of ${columns.length} columns`;
    await describeStep(transaction, organizationId, runId, { id: readStep.id, detail });
    const output = JSON.stringify({ tableId, tableVersion: version, rowCount });
    const run = { organization_id: organizationId, id: runId };
    const ended = await moveRun(transaction, run, 'running', 'succeeded', { progress: 1, output });
    if (ended !== undefined) await putProfile(transaction, id, profile);
    await deleteLakePins(transaction, organizationId, profilePin(id));
  });
}

/** Ends the run unless it has ended. Returns its final state; undefined if it was withdrawn. */
export const endProfile = (
  db: Database,
  id: ProfileId,
  status: 'failed' | 'cancelled',
): Promise<Run | undefined> =>
  inOrganization(db, id.organizationId, (transaction) =>
    endQueued(transaction, id, queue, status === 'cancelled', async (run) => ({
      status,
      error: status === 'failed' ? JSON.stringify(run.error ?? internalFailure('The profile')) : null,
    })),
  );

/** Stores a permanent failure in the run's row. Undefined if the error is transient. */
export async function recordFinalFailure(
  db: Database,
  id: ProfileId,
  error: unknown,
): Promise<ProfileFailure | undefined> {
  const failure = failureOf(error);
  if (failure !== undefined)
    await inOrganization(db, id.organizationId, (transaction) => setError(transaction, id, failure));
  return failure;
}

async function setError(
  db: OrganizationTransaction,
  { organizationId, runId }: ProfileId,
  failure: ProfileFailure,
): Promise<void> {
  await db
    .updateTable('runs')
    .set({ error: JSON.stringify(failure) })
    .where('organization_id', '=', organizationId)
    .where('id', '=', runId)
    .where('finished_at', 'is', null)
    .execute();
}

function failureOf(error: unknown): ProfileFailure | undefined {
  if (error instanceof EngineCrashLoopError) return engineFailed;
  // Another attempt reads the version of its own time.
  if (!(error instanceof AppError) || isRetryable(error) || error.code === 'version_expired')
    return undefined;
  return { code: error.code, message: error.message };
}
