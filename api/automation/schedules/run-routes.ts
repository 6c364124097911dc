import { z } from 'zod';
import { notFound } from '../../../data/errors.ts';
import {
  cancelBackfill,
  findBackfill,
  listBackfills,
  planBackfill,
  showBackfill,
  startBackfill,
} from '../../../domain/automation/schedules/backfills.ts';
import {
  getScheduleRun,
  listScheduleRuns,
  type ScheduleRun,
  type ScheduleRunPlace,
} from '../../../domain/automation/schedules/schedule-runs.ts';
import { triggerSchedule } from '../../../domain/automation/schedules/trigger.ts';
import { getDelivery, listDeliveries } from '../../../domain/publishing/deliveries/deliveries.ts';
import { memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { deliveryExample, deliverySchema, deliveryView } from '../../publishing/deliveries/schemas.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { envelope } from '../../schemas.ts';
import { loadSchedule, schedulePath, schedulesTag } from './routes.ts';
import { scheduleRunExample, scheduleRunSchema, scheduleRunView } from './run-schemas.ts';
import {
  backfillBody,
  backfillExample,
  backfillSchema,
  backfillView,
  occurrenceView,
  previewSchema,
} from './schemas.ts';

const placeOf = ({ scheduled_for: at, id }: ScheduleRun): ScheduleRunPlace => [at.toISOString(), id];

/** The fires of a schedule, and its backfills. */
export function scheduleRunsRoutes(app: Routes, deps: ApiDeps): void {
  const runs = resource(app, deps, {
    tag: schedulesTag,
    path: `${schedulePath}/runs/:schedule_run_id`,
    schema: scheduleRunSchema,
    example: scheduleRunExample,
    load: (db, organizationId, { schedule_id: scheduleId, schedule_run_id: id }) =>
      getScheduleRun(db, organizationId, scheduleId, id),
    parent: loadSchedule,
    view: scheduleRunView,
  });
  runs.list({
    summary: 'List the runs of a schedule, latest first',
    description:
      'Returns the runs of the schedule, including those that were missed or skipped, with the reason. `runId` is the run of the project.',
    rows: (db, { organizationId, params }, slice) =>
      listScheduleRuns(db, organizationId, params.schedule_id, slice),
    place: { schema: z.tuple([z.iso.datetime(), z.string()]), of: placeOf },
  });
  runs.show({ summary: 'Show a run of a schedule' });
  runs.create({
    at: `${schedulePath}/trigger`,
    exists: loadSchedule,
    summary: 'Run a schedule now',
    audit: 'schedule.triggered',
    description: 'Starts a run at once, also while the schedule is paused.',
    status: 202,
    errors: ['conflict', 'workflows_unavailable'],
    run: ({ organizationId, params, newId, request }) =>
      triggerSchedule(deps, {
        organizationId,
        scheduleId: params.schedule_id,
        requestId: newId('srn'),
        memo: memoOf(request),
        nowMs: Date.now(),
      }),
  });

  const deliveriesPath = `${schedulePath}/runs/:schedule_run_id/deliveries` as const;
  const deliveries = resource(app, deps, {
    tag: schedulesTag,
    path: `${deliveriesPath}/:delivery_id`,
    schema: deliverySchema,
    example: deliveryExample,
    load: async (
      db,
      organizationId,
      { schedule_id: scheduleId, schedule_run_id: runId, delivery_id: id },
    ) => {
      const run = await getScheduleRun(db, organizationId, scheduleId, runId);
      const delivery = await getDelivery(db, organizationId, id);
      if (delivery.schedule_run_id !== run.id) throw notFound('The delivery');
      return { ...delivery, run };
    },
    parent: (db, organizationId, { schedule_id: scheduleId, schedule_run_id: id }) =>
      getScheduleRun(db, organizationId, scheduleId, id),
    view: ({ run, ...delivery }) => deliveryView(delivery, { runId: run.run_id }),
  });
  deliveries.list({
    summary: 'List the deliveries of a schedule run',
    description: 'A run delivers files to its folder and an email to each recipient.',
    rows: async (db, { organizationId, params }, slice) => {
      const run = await getScheduleRun(db, organizationId, params.schedule_id, params.schedule_run_id);
      const rows = await listDeliveries(db, organizationId, run.id, slice);
      return rows.map((row) => ({ ...row, run }));
    },
  });
  deliveries.show({ summary: 'Show a delivery' });

  const backfills = resource(app, deps, {
    tag: schedulesTag,
    path: `${schedulePath}/backfills/:backfill_id`,
    schema: backfillSchema,
    example: backfillExample,
    load: (db, organizationId, { schedule_id: scheduleId, backfill_id: id }) =>
      showBackfill(db, organizationId, { scheduleId, id }),
    parent: loadSchedule,
    view: backfillView,
  });
  backfills.list({
    summary: 'List the backfills of a schedule, newest first',
    rows: (db, { organizationId, params }, slice) =>
      listBackfills(db, organizationId, params.schedule_id, slice),
  });
  backfills.show({ summary: 'Show a backfill' });
  backfills.remove({
    summary: 'Cancel a backfill',
    audit: 'backfill.cancelled',
    description:
      'The backfill starts no more runs. Runs that it has started continue. This has no effect if it has ended.',
    run: ({ organizationId, params, transaction }) =>
      transaction(async (db) => {
        const row = await findBackfill(db, organizationId, params.backfill_id, 'update');
        if (row !== undefined) await cancelBackfill(db, row);
        return showBackfill(db, organizationId, { scheduleId: params.schedule_id, id: params.backfill_id });
      }),
  });
  route(
    app,
    { db: deps.db, tag: schedulesTag },
    ['POST', `${schedulePath}/backfills`],
    {
      summary: 'Create a backfill',
      audit: 'backfill.created',
      description:
        'Runs the schedule for every time between `from` and `to`, oldest first, up to 1,000 runs. `only_missing` skips times whose run has succeeded or is in progress. `preview` starts nothing. A schedule can have one backfill at a time.',
      body: backfillBody,
      exists: loadSchedule,
      errors: ['conflict', 'workflows_unavailable'],
    },
    {
      200: envelope(previewSchema).meta({
        examples: [
          {
            data: {
              occurrences: [{ at: '2026-11-01T07:00:00.000Z', localTime: '2026-11-01T08:00:00', note: null }],
              total: 1,
            },
          },
        ],
      }),
      202: envelope(backfillSchema).meta({ examples: [{ data: backfillExample }] }),
    },
    async ({ organizationId, params, body, caller, newId, request, reply, transaction }) => {
      const { from, to, only_missing: onlyMissing } = body;
      const range = { fromMs: Date.parse(from), toMs: Date.parse(to), onlyMissing };
      if (body.preview) {
        const planned = await transaction(async (db) =>
          planBackfill(db, await loadSchedule(db, organizationId, params), range),
        );
        return { data: { occurrences: planned.map(occurrenceView), total: planned.length } };
      }
      const { id } = await startBackfill(deps, {
        ...range,
        organizationId,
        scheduleId: params.schedule_id,
        id: newId('bkf'),
        maxConcurrency: body.max_concurrency,
        createdBy: caller.id,
        memo: memoOf(request),
      });
      reply.code(202).header('Location', `/v1/schedules/${params.schedule_id}/backfills/${id}`);
      const shown = await transaction((db) =>
        showBackfill(db, organizationId, { scheduleId: params.schedule_id, id }),
      );
      return { data: backfillView(shown) };
    },
  );
}
