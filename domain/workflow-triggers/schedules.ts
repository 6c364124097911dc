import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../data/errors.ts';
import { newId } from '../../data/ids.ts';
import { type Database, inOrganization, type OrganizationTransaction } from '../../data/postgres/client.ts';
import type { RecordOf } from '../../data/postgres/records.ts';
import type { Cadence } from '../cadences/cadence.ts';
import { missUnseen } from '../schedules/due.ts';
import { type WakeDeps, wakeSchedule } from '../schedules/process.ts';
import {
  cadenceOf,
  insertSchedule,
  nextOf,
  type Schedule,
  scheduleStates,
  updateSchedule,
} from '../schedules/schedules.ts';

/** What sets an active workflow off, as its version says. */
export interface ActiveTrigger {
  id: string;
  type: RecordOf<'workflow_active_triggers'>['type'];
  /** Of a schedule. */
  cadence: Cadence | null;
}

type OwnWorkflow = Pick<RecordOf<'workflows'>, 'organization_id' | 'id' | 'project_id' | 'owner_id'>;

/** Each has a process of its own, in an organization that has as many of playbooks besides. */
const maxSchedules = 10_000;

/**
 * Has the schedule triggers of a version fire, and no others: within the transaction that activates it, or with none where
 * that pauses the workflow. A trigger with a cadence that stays keeps its place in it, so that nothing is missed or
 * doubled; what was recorded as fired before runs on the version that it met. Wake their processes when it is committed.
 */
export async function replaceTriggerSchedules(
  db: OrganizationTransaction,
  workflow: OwnWorkflow,
  version: { id: string } | undefined,
  triggers: readonly ActiveTrigger[],
  nowMs: number = Date.now(),
): Promise<void> {
  const stored = await schedulesOf(db, workflow);
  const wanted = version === undefined ? [] : triggers.filter(({ type }) => type === 'schedule');
  for (const trigger of wanted) {
    const before = stored.get(trigger.id);
    stored.delete(trigger.id);
    if (before === undefined) await add(db, workflow, version!.id, trigger, nowMs);
    else await keep(db, before, version!.id, trigger, nowMs);
  }
  const change = wanted.length === 0 ? 'paused' : 'changed';
  for (const row of stored.values()) await retire(db, row, change, nowMs);
}

/** Tells the processes of a workflow's schedules what is new; whom it does not reach the worker makes up for. */
export async function wakeTriggerSchedules(
  deps: WakeDeps & { db: Database },
  { organization_id: organizationId, id }: Pick<OwnWorkflow, 'organization_id' | 'id'>,
  memo: Record<string, string> = {},
): Promise<void> {
  const unseen = await inOrganization(deps.db, organizationId, (db) =>
    db
      .selectFrom('schedules')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where('workflow_id', '=', id)
      .where(({ eb, ref }) => eb('seen_revision', '<', ref('revision')))
      .execute(),
  );
  await Promise.all(unseen.map((row) => wakeSchedule(deps, row, memo)));
}

/** By their triggers, held: a fire at the same moment is recorded before or after. */
async function schedulesOf(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: OwnWorkflow,
): Promise<Map<string, Schedule>> {
  const rows = await db
    .selectFrom('schedules')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('workflow_id', '=', id)
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(rows.map((row) => [row.trigger_id!, row]));
}

async function add(
  db: OrganizationTransaction,
  workflow: OwnWorkflow,
  versionId: string,
  { id: triggerId, cadence }: ActiveTrigger,
  nowMs: number,
): Promise<void> {
  const { organization_id: organizationId } = workflow;
  await refuseTooMany(db, organizationId);
  const now = new Date(nowMs);
  const next = nextOf(anchored(cadence, now), nowMs);
  await insertSchedule(db, {
    organization_id: organizationId,
    id: newId('sch'),
    project_id: workflow.project_id,
    kind: 'workflow',
    workflow_id: workflow.id,
    trigger_id: triggerId,
    version_id: versionId,
    cadence: JSON.stringify(cadence),
    // Its cadence may be over: then it is done, as it would be had it fired.
    status: next === undefined ? 'done' : 'active',
    considered_until: now,
    next_run_at: next === undefined ? null : new Date(next.atMs),
    created_by: workflow.owner_id,
    created_at: now,
    updated_at: now,
  });
}

/** Its process hears of another cadence only: what fires next knows its version by the row. */
async function keep(
  db: OrganizationTransaction,
  row: Schedule,
  versionId: string,
  { cadence }: ActiveTrigger,
  nowMs: number,
): Promise<void> {
  const next = nextOf(anchored(cadence, row.created_at), nowMs);
  const isSame = row.status === 'active' && isDeepStrictEqual(cadenceOf(row), cadence);
  const isOver = row.status === 'done' && next === undefined;
  if (isSame || isOver) {
    await updateSchedule(db, row.organization_id, row.id, { version_id: versionId });
    return;
  }
  await missUnseen(db, row, nowMs, 'changed');
  await updateSchedule(db, row.organization_id, row.id, {
    version_id: versionId,
    cadence: JSON.stringify(cadence),
    status: next === undefined ? 'done' : 'active',
    considered_until: new Date(nowMs),
    next_run_at: next === undefined ? null : new Date(next.atMs),
    ...revised(row),
  });
}

/** Fires no more. Its row stays, for as long as fires are kept: some may be under way, and the trigger may come back. */
async function retire(
  db: OrganizationTransaction,
  row: Schedule,
  change: 'paused' | 'changed',
  nowMs: number,
): Promise<void> {
  if (row.status === 'done') return;
  await missUnseen(db, row, nowMs, change);
  await scheduleStates.move(db, row, row.status, 'done', { ...revised(row), next_run_at: null });
}

const anchored = (cadence: Cadence | null, created_at: Date) => ({ cadence: cadence as never, created_at });

const revised = ({ revision }: Schedule) => ({ revision: revision + 1, updated_at: new Date() });

async function refuseTooMany(db: OrganizationTransaction, organizationId: string): Promise<void> {
  const { total } = await db
    .selectFrom('schedules')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'workflow')
    .where('status', '!=', 'done')
    .executeTakeFirstOrThrow();
  if (Number(total) >= maxSchedules)
    throw new AppError(
      'conflict',
      `The organization has ${maxSchedules} schedules of active workflows; pause some first.`,
    );
}
