import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import type { Cadence, DatasetCadence } from '../../../packages/cadences/index.ts';
import type { CadenceFollower } from '../../intake/datasets/change.ts';
import type { Dataset } from '../../intake/datasets/datasets.ts';
import { nextOccurrence, refuseNewInterval } from '../cadences/cadences.ts';
import { addOwned, keepOwned, retireOwned } from './owned.ts';
import { pauseSchedule, resumeSchedule } from './pause.ts';
import { type WakeDeps, wakeSchedule } from './process.ts';
import { neverFires, type Schedule } from './schedules.ts';

/** Wake the schedule's process when a dataset's change is committed. */
export const datasetCadences: CadenceFollower = { refuseUnfit, follow: followCadence };

function refuseUnfit(cadence: object, before: object | null): void {
  const written = cadence as DatasetCadence;
  refuseNewInterval(written, (before as Cadence | null) ?? undefined);
  const nowMs = Date.now();
  const isChanged = !isDeepStrictEqual(cadence, before);
  if (isChanged && nextOccurrence(written, nowMs, nowMs) === undefined) throw neverFires(written);
}

/** Creates, changes or retires the schedule of a dataset's snapshots, according to its cadence. */
async function followCadence(
  db: OrganizationTransaction,
  dataset: Dataset,
  nowMs: number = Date.now(),
): Promise<void> {
  const cadence = dataset.cadence as unknown as Cadence | null;
  const before = await scheduleOf(db, dataset, 'update');
  if (cadence === null) {
    if (before !== undefined) await retireOwned(db, before, 'changed', nowMs);
    return;
  }
  const target = {
    organization_id: dataset.organization_id,
    project_id: dataset.project_id,
    kind: 'dataset' as const,
    dataset_id: dataset.id,
    created_by: dataset.created_by,
  };
  if (before === undefined) await addOwned(db, target, cadence, nowMs);
  else {
    const change = { project_id: dataset.project_id };
    await keepOwned(db, before, cadence, nowMs, change, { staysPaused: true });
  }
}

/**
 * Pauses or resumes a dataset's schedule.
 *
 * @throws AppError conflict if it has none, or it is done
 */
export async function changeDatasetSchedule(
  db: OrganizationTransaction,
  dataset: Dataset,
  change: 'pause' | 'resume',
): Promise<void> {
  const row = dataset.cadence === null ? undefined : await scheduleOf(db, dataset, 'update');
  if (row === undefined)
    throw new AppError('conflict', 'The dataset has no schedule. Set one with `schedule`.');
  await (change === 'pause' ? pauseSchedule : resumeSchedule)(db, row, Date.now());
}

/** A dataset as its users see it. */
export type ShownDataset = Dataset & { schedule_status: Schedule['status'] | null };

export async function showDatasets(
  db: OrganizationTransaction,
  organizationId: string,
  datasets: readonly Dataset[],
): Promise<ShownDataset[]> {
  const ids = datasets.flatMap(({ id, cadence }) => (cadence === null ? [] : [id]));
  const rows =
    ids.length === 0
      ? []
      : await db
          .selectFrom('schedules')
          .select(['dataset_id', 'status'])
          .where('organization_id', '=', organizationId)
          .where('dataset_id', 'in', ids)
          .execute();
  const statuses = new Map(rows.map(({ dataset_id: id, status }) => [id, status]));
  return datasets.map((dataset) => ({ ...dataset, schedule_status: statuses.get(dataset.id) ?? null }));
}

export async function showDataset(db: OrganizationTransaction, dataset: Dataset): Promise<ShownDataset> {
  const [shown] = await showDatasets(db, dataset.organization_id, [dataset]);
  return shown!;
}

/** Notifies the process of a dataset's schedule; the reconciler repeats a lost notification. */
export async function wakeDatasetSchedule(
  deps: WakeDeps,
  dataset: Dataset,
  memo: Record<string, string> = {},
): Promise<void> {
  const row = await inOrganization(deps.db, dataset.organization_id, (db) => scheduleOf(db, dataset));
  if (row !== undefined && row.seen_revision < row.revision) await wakeSchedule(deps, row, memo);
}

function scheduleOf(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: Dataset,
  lock?: 'update',
): Promise<Schedule | undefined> {
  let query = db
    .selectFrom('schedules')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('dataset_id', '=', id);
  if (lock !== undefined) query = query.forUpdate();
  return query.executeTakeFirst();
}
