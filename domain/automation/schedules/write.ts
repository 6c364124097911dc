import { isDeepStrictEqual } from 'node:util';
import { AppError, notFound, ValidationError } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type ProcessDeps, startRecorded } from '../../../data/processes/processes.ts';
import type { WritableCadence } from '../../../packages/cadences/index.ts';
import { checkParams, type Params } from '../../analyst/playbooks/parameters.ts';
import { findPlaybook } from '../../analyst/playbooks/playbooks.ts';
import { attachedTables } from '../../tables/catalog-entries/catalog-entries.ts';
import { limits } from '../../workspace/limits/limits.ts';
import { refuseBeyond } from '../../workspace/limits/refuse.ts';
import { getOpenProject } from '../../workspace/projects/projects.ts';
import { refuseNewInterval } from '../cadences/cadences.ts';
import { recordMissed } from './due.ts';
import { scheduleStart } from './process.ts';
import {
  findSchedule,
  insertSchedule,
  neverFires,
  nextOf,
  type Recipient,
  removeSchedule,
  type Schedule,
  updateSchedule,
} from './schedules.ts';

export interface Target {
  projectId: string;
  playbookId: string;
}

/** The fields that its author writes. */
export interface ScheduleContent {
  description: string;
  cadence: WritableCadence;
  params: Params;
  /** Empty if the output is not delivered to a folder. */
  outputFolder: string;
  emailRecipients: readonly Recipient[];
}

export interface NewSchedule extends ScheduleContent {
  organizationId: string;
  id: string;
  target: Target;
  createdBy: string;
  /** Stored in the process's memo. */
  memo: Record<string, string>;
}

/**
 * Adds a schedule with the outbox entry of its process; a repetition finds the first by its id. If Temporal
 * is not available, nothing is kept.
 */
export async function createSchedule(deps: ProcessDeps, schedule: NewSchedule): Promise<Schedule> {
  const { organizationId, id } = schedule;
  const { row } = await startRecorded(deps, organizationId, {
    find: (db) => findSchedule(db, organizationId, id),
    make: (db) => insert(db, schedule),
    startOf: (made, db) => scheduleStart(db, made, schedule.memo),
    undo: (db) => removeSchedule(db, organizationId, id),
  });
  return row;
}

async function insert(db: OrganizationTransaction, schedule: NewSchedule): Promise<Schedule> {
  const { organizationId, target, cadence } = schedule;
  await checkTarget(db, organizationId, target, schedule.params);
  refuseNewInterval(cadence, undefined);
  await refuseTooMany(db, organizationId);
  const now = new Date();
  const next = nextOf({ cadence, created_at: now }, now.getTime());
  if (next === undefined) throw neverFires(cadence);
  return insertSchedule(db, {
    organization_id: organizationId,
    id: schedule.id,
    project_id: target.projectId,
    playbook_id: target.playbookId,
    ...columnsOf(schedule),
    status: 'active',
    considered_until: now,
    next_run_at: new Date(next.atMs),
    created_by: schedule.createdBy,
    created_at: now,
    updated_at: now,
  });
}

/**
 * Replaces everything of a schedule except its target. It fires by the new cadence from now on, unless it is
 * paused.
 */
export async function replaceSchedule(
  db: OrganizationTransaction,
  before: Schedule,
  {
    target,
    content,
    expectedRevision,
    updatedBy,
  }: {
    target: Target;
    content: ScheduleContent;
    expectedRevision: number | undefined;
    updatedBy: string;
  },
): Promise<Schedule> {
  if (expectedRevision !== undefined && expectedRevision !== before.revision)
    throw new AppError(
      'revision_conflict',
      `The schedule has changed: its revision is now ${before.revision}. Read it again, then repeat the change.`,
      {
        extensions: { current_revision: before.revision },
      },
    );
  if (target.projectId !== before.project_id || target.playbookId !== before.playbook_id)
    throw new AppError(
      'conflict',
      `The schedule runs the playbook ${before.playbook_id} of the project ${before.project_id}, which cannot change. Create a new schedule for another playbook.`,
    );
  await checkTarget(db, before.organization_id, target, content.params);
  refuseNewInterval(content.cadence, before.cadence);
  const isSame = isDeepStrictEqual(content.cadence, before.cadence);
  if (!isSame) await recordMissed(db, before, Date.now(), 'changed');
  // With an unchanged cadence, occurrences that are already due still fire.
  const since = isSame ? before.considered_until : new Date();
  const next = nextOf({ cadence: content.cadence, created_at: before.created_at }, since.getTime());
  if (next === undefined && !isSame) throw neverFires(content.cadence);
  const status = before.status === 'paused' ? 'paused' : next === undefined ? 'done' : 'active';
  return updateSchedule(db, before.organization_id, before.id, {
    ...columnsOf(content),
    updated_by: updatedBy,
    status,
    considered_until: since,
    next_run_at: status === 'active' && next !== undefined ? new Date(next.atMs) : null,
    revision: before.revision + 1,
    updated_at: new Date(),
  });
}

/**
 * Removes a schedule with the records of its runs. Runs under way continue; their output is not delivered.
 */
export async function deleteSchedule(db: OrganizationTransaction, row: Schedule): Promise<Schedule> {
  await removeSchedule(db, row.organization_id, row.id);
  return row;
}

function columnsOf({ description, cadence, params, outputFolder, emailRecipients }: ScheduleContent) {
  return {
    description,
    cadence: JSON.stringify(cadence),
    params: JSON.stringify(params),
    output_folder: outputFolder.normalize('NFC'),
    email_recipients: JSON.stringify(emailRecipients),
  };
}

/** The target must exist and accept these parameters; checked again at each fire. */
async function checkTarget(
  db: OrganizationTransaction,
  organizationId: string,
  { projectId, playbookId }: Target,
  params: Params,
): Promise<void> {
  await getOpenProject(db, organizationId, projectId);
  const playbook = await findPlaybook(db, organizationId, playbookId);
  if (playbook === undefined) throw notFound('The playbook');
  if (playbook.project_id !== projectId) {
    const msg = 'The playbook belongs to another project.';
    throw new ValidationError([{ loc: ['body', 'target', 'playbook_id'], type: 'value_error', msg }]);
  }
  const tables = await attachedTables(db, organizationId, projectId);
  checkParams(playbook.parameters, params, { at: ['body', 'config', 'params'], tables });
}

async function refuseTooMany(db: OrganizationTransaction, organizationId: string): Promise<void> {
  const { total } = await db
    .selectFrom('schedules')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'playbook')
    .executeTakeFirstOrThrow();
  refuseBeyond(limits.schedules.ofPlaybooks, Number(total));
}
