import { isDeepStrictEqual } from 'node:util';
import type { Insertable } from 'kysely';
import { newId } from '../../../data/ids.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import type { Cadence } from '../../../packages/cadences/index.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';
import { recordMissed } from './due.ts';
import { insertSchedule, nextOf, type Schedule, scheduleStates, updateSchedule } from './schedules.ts';

/** The owner of the schedule, and what it fires. */
export type OwnedTarget = Pick<
  Insertable<DB['schedules']>,
  | 'organization_id'
  | 'project_id'
  | 'kind'
  | 'workflow_id'
  | 'trigger_id'
  | 'version_id'
  | 'dataset_id'
  | 'created_by'
>;

/**
 * Adds the schedule of a trigger or dataset; users do not see it as a schedule. Wake its process after the
 * commit.
 */
export async function addOwned(
  db: OrganizationTransaction,
  target: OwnedTarget,
  cadence: Cadence,
  nowMs: number,
): Promise<Schedule> {
  await refuseTooMany(db, target.organization_id, target.kind!);
  const now = new Date(nowMs);
  const next = nextOf({ cadence, created_at: now }, nowMs);
  return insertSchedule(db, {
    ...target,
    id: newId('sch'),
    cadence: JSON.stringify(cadence),
    // A cadence without further occurrences makes the schedule done, as if it had fired.
    status: next === undefined ? 'done' : 'active',
    considered_until: now,
    next_run_at: next === undefined ? null : new Date(next.atMs),
    created_at: now,
    updated_at: now,
  });
}

/**
 * Sets the cadence. An unchanged cadence keeps its position, so nothing is missed or fired twice and its
 * process need not be notified. A paused schedule becomes active, unless `staysPaused`.
 */
export async function keepOwned(
  db: OrganizationTransaction,
  row: Schedule,
  cadence: Cadence,
  nowMs: number,
  change: { version_id: string } | { project_id: string | null },
  { staysPaused = false } = {},
): Promise<Schedule> {
  const next = nextOf({ cadence, created_at: row.created_at }, nowMs);
  const isPaused = staysPaused && row.status === 'paused';
  const isSame = (row.status === 'active' || isPaused) && isDeepStrictEqual(row.cadence, cadence);
  const isOver = row.status === 'done' && next === undefined;
  if (isSame || isOver) return updateSchedule(db, row.organization_id, row.id, change);
  await recordMissed(db, row, nowMs, 'changed');
  return updateSchedule(db, row.organization_id, row.id, {
    ...change,
    cadence: JSON.stringify(cadence),
    status: isPaused ? 'paused' : next === undefined ? 'done' : 'active',
    considered_until: new Date(nowMs),
    next_run_at: isPaused || next === undefined ? null : new Date(next.atMs),
    ...revised(row),
  });
}

/**
 * Stops it from firing. Its row stays as long as its fires are kept: some may be under way, and the schedule
 * may return.
 */
export async function retireOwned(
  db: OrganizationTransaction,
  row: Schedule,
  change: 'paused' | 'changed',
  nowMs: number,
): Promise<Schedule> {
  if (row.status === 'done') return row;
  await recordMissed(db, row, nowMs, change);
  const moved = await scheduleStates.move(db, row, row.status, 'done', {
    ...revised(row),
    next_run_at: null,
  });
  return moved ?? row;
}

const revised = ({ revision }: Schedule) => ({ revision: revision + 1, updated_at: new Date() });

async function refuseTooMany(
  db: OrganizationTransaction,
  organizationId: string,
  kind: Schedule['kind'],
): Promise<void> {
  const { total } = await db
    .selectFrom('schedules')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('kind', '=', kind)
    .where('status', '!=', 'done')
    .executeTakeFirstOrThrow();
  refuseBeyond(
    kind === 'dataset' ? limits.schedules.ofDatasets : limits.schedules.ofWorkflows,
    Number(total),
  );
}
