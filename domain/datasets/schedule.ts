import type { Database, OrganizationTransaction } from '../../data/postgres/client.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import type { Cadence } from '../cadences/cadence.ts';
import { addOwned, keepOwned, retireOwned } from '../schedules/owned.ts';
import { type WakeDeps, wakeSchedule } from '../schedules/process.ts';
import type { Schedule } from '../schedules/schedules.ts';
import type { Dataset } from './datasets.ts';

/** Has a dataset's snapshots start by its cadence, or not any more. Wake the schedule's process when it is committed. */
export async function followCadence(
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
  else await keepOwned(db, before, cadence, nowMs, { project_id: dataset.project_id });
}

/** Tells the process of a dataset's schedule what is new; what it does not hear of the worker makes up for. */
export async function wakeDatasetSchedule(
  deps: WakeDeps & { db: Database },
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
