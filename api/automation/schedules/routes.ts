import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { bestEffort } from '../../../data/processes/processes.ts';
import { occurrences } from '../../../domain/automation/cadences/cadences.ts';
import {
  pauseSchedule,
  resumeSchedule,
  takeOverSchedule,
} from '../../../domain/automation/schedules/pause.ts';
import { scheduleProcess, wakeSchedule } from '../../../domain/automation/schedules/process.ts';
import {
  getSchedule,
  listSchedules,
  type Schedule,
  showSchedule,
} from '../../../domain/automation/schedules/schedules.ts';
import {
  createSchedule,
  deleteSchedule,
  replaceSchedule,
} from '../../../domain/automation/schedules/write.ts';
import { memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { whatRunsReads } from '../../never-wider.ts';
import { resource } from '../../resource.ts';
import { type Call, route } from '../../route.ts';
import {
  contentOf,
  createScheduleBody,
  listSchedulesQuery,
  occurrencesQuery,
  occurrencesSchema,
  occurrenceView,
  replaceScheduleBody,
  scheduleExample,
  scheduleSchema,
  scheduleView,
  targetOf,
} from './schemas.ts';

export const schedulePath = '/v1/schedules/:schedule_id' as const;
export const schedulesTag = {
  name: 'Schedules',
  description: 'Run playbooks at set times in a time zone, follow their runs, and backfill past ones.',
};

export const loadSchedule = (
  db: OrganizationTransaction,
  organizationId: string,
  { schedule_id: id }: Record<'schedule_id', string>,
): Promise<Schedule> => getSchedule(db, organizationId, id);

/** Schedules, which fire a playbook by a cadence. */
export function schedulesRoutes(app: Routes, deps: ApiDeps): void {
  const schedules = resource(app, deps, {
    tag: schedulesTag,
    path: schedulePath,
    schema: scheduleSchema,
    example: scheduleExample,
    load: async (db, organizationId, params) =>
      showSchedule(db, await loadSchedule(db, organizationId, params)),
    view: scheduleView,
  });
  const show = ({ transaction }: Call, row: Schedule) => transaction((db) => showSchedule(db, row));

  /** Changes a schedule while holding its lock, and notifies its process. */
  async function change<C extends Call<`${string}:schedule_id`>>(
    call: C,
    make: (db: OrganizationTransaction, row: Schedule) => Promise<Schedule>,
  ) {
    const { organizationId, params, request } = call;
    const row = await call.transaction(async (db) =>
      make(db, await getSchedule(db, organizationId, params.schedule_id, 'update')),
    );
    await wakeSchedule(deps, row, memoOf(request));
    return show(call, row);
  }

  schedules.list({
    summary: 'List schedules, newest first',
    query: listSchedulesQuery,
    rows: (db, { organizationId, query }, slice) =>
      listSchedules(db, organizationId, { projectId: query.project_id, playbookId: query.target_id }, slice),
  });
  schedules.create({
    handsOut: () => whatRunsReads,
    summary: 'Create a schedule for a playbook',
    audit: 'schedule.created',
    description:
      'The schedule runs at a local time in its zone. If clocks skip that time in spring, it runs at the first time after the gap. If clocks repeat it in autumn, it runs once, at the first. In a month that has no day 29, 30 or 31, it runs on the last day. If the service was down, it makes up for the latest missed run if that is less than a day late. A run is skipped while the one before is in progress.',
    body: createScheduleBody,
    errors: ['not_found', 'conflict', 'limit_reached', 'invalid_cadence', 'workflows_unavailable'],
    run: async (call) => {
      const { organizationId, caller, body, newId, request } = call;
      const row = await createSchedule(deps, {
        ...contentOf(body),
        organizationId,
        id: newId('sch'),
        target: targetOf(body),
        createdBy: caller.id,
        memo: memoOf(request),
      });
      return show(call, row);
    },
  });
  schedules.show({ summary: 'Show a schedule' });
  schedules.replace({
    summary: 'Replace the settings of a schedule',
    audit: 'schedule.updated',
    description:
      "Replaces everything except the playbook, which must stay the same. You can send a schedule back as you read it. Cadences of the kinds cron, interval, biweekly and month_end can't be written, so replace those.",
    body: replaceScheduleBody,
    errors: ['conflict', 'revision_conflict', 'invalid_cadence'],
    run: (call) => {
      const { expected_revision: expectedRevision, ...body } = call.body;
      return change(call, (db, row) =>
        replaceSchedule(db, row, {
          target: targetOf(body),
          content: contentOf(body),
          expectedRevision,
          updatedBy: call.caller.id,
        }),
      );
    },
  });
  schedules.remove({
    summary: 'Delete a schedule',
    audit: 'schedule.deleted',
    description:
      "This also deletes the list of its runs. Runs in progress continue, but their results aren't delivered.",
    run: async (call) => {
      const { organizationId, params, transaction } = call;
      const shown = await transaction(async (db) => {
        const row = await getSchedule(db, organizationId, params.schedule_id, 'update');
        const last = await showSchedule(db, row);
        await deleteSchedule(db, row);
        return last;
      });
      const workflowId = scheduleProcess.workflowId(shown.id);
      await bestEffort(deps, workflowId, deps.processes.signal(workflowId, 'wake'));
      return shown;
    },
  });
  schedules.action('pause', {
    summary: 'Pause a schedule',
    audit: 'schedule.paused',
    description: "The schedule doesn't run until it is resumed. Runs in progress continue.",
    errors: ['conflict'],
    run: (call) => change(call, (db, row) => pauseSchedule(db, row, Date.now())),
  });
  schedules.action('resume', {
    summary: 'Resume a schedule',
    audit: 'schedule.resumed',
    description: "The schedule runs from now on. Runs that were due while it was paused aren't made up for.",
    errors: ['conflict'],
    run: (call) => change(call, (db, row) => resumeSchedule(db, row, Date.now())),
  });

  schedules.action('take-over', {
    handsOut: () => whatRunsReads,
    summary: 'Take over a schedule whose owner is gone',
    operationId: 'takeOverSchedule',
    audit: 'schedule.taken_over',
    description:
      'The schedule runs as you from then on, and stays paused until it is resumed. The response is 409 if its owner still has access.',
    admin: true,
    errors: ['conflict'],
    run: (call) => change(call, (db, row) => takeOverSchedule(db, row, call.caller.id)),
  });

  route(
    app,
    { db: deps.db, tag: schedulesTag },
    ['GET', `${schedulePath}/occurrences`],
    {
      summary: 'Preview the next runs of a schedule',
      description:
        'Returns the next times of the schedule, whether or not it is paused. `note` explains unusual times: the time falls into a gap or an overlap of the clock, or the month is too short for the day.',
      exists: loadSchedule,
      query: occurrencesQuery,
    },
    { 200: occurrencesSchema },
    async ({ organizationId, params, query, transaction }) => {
      const row = await transaction((db) => loadSchedule(db, organizationId, params));
      const next = occurrences(row.cadence, Date.now(), row.created_at.getTime(), query.limit);
      return { items: next.map(occurrenceView) };
    },
  );
}
