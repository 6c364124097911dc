import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { closes } from '../../../data/processes/define.ts';
import type { Processes } from '../../../data/processes/processes.ts';
import { type ReconcileStep, rowsStep, wholeStep } from '../../../data/reconciling/step.ts';
import { backfillStates, cancelBackfill, findBackfill } from './backfills.ts';
import { cancelRunOf } from './fire.ts';
import { pauseByProcess } from './pause.ts';
import {
  backfillProcess,
  backfillStart,
  scheduleProcess,
  scheduleRunProcess,
  scheduleRunStart,
  wakeSchedule,
} from './process.ts';
import { findScheduleRun, scheduleRunStates } from './schedule-runs.ts';
import { findSchedule } from './schedules.ts';

export interface ScheduleReconcileDeps {
  db: Database;
  processes: Processes;
  logger: Pick<Logger, 'info' | 'warn'>;
}

/** A process learns of a change at once, but is seconds late when many fire together. */
const ageSeconds = 30;

/** Schedules, fires and backfills whose process is gone or has not seen the latest change. */
export function scheduleSteps(deps: ScheduleReconcileDeps, olderThanSeconds = ageSeconds): ReconcileStep[] {
  const by = (foundBy: string) => ({ db: deps.db, foundBy, olderThanSeconds });
  return [
    rowsStep('schedules', by('due_schedules'), (...row) => reviveSchedule(deps, ...row)),
    rowsStep('runs of schedules', by('active_schedule_runs'), (...row) => reviveRun(deps, ...row)),
    rowsStep('backfills', by('active_schedule_backfills'), (...row) => reviveBackfill(deps, ...row)),
    wholeStep('old runs of schedules', () => sql`SELECT purge_schedule_runs(${1_000})`.execute(deps.db)),
    wholeStep('old schedules of triggers', () =>
      sql`SELECT purge_trigger_schedules(${1_000})`.execute(deps.db),
    ),
  ];
}

async function reviveSchedule(
  deps: ScheduleReconcileDeps,
  organizationId: string,
  id: string,
): Promise<void> {
  const row = await inOrganization(deps.db, organizationId, (db) => findSchedule(db, organizationId, id));
  if (row === undefined) return;
  const state = await deps.processes.stateOf(scheduleProcess.workflowId(id));
  const isUnseen = row.seen_revision < row.revision;
  // It has its timer; it is only late, like all others.
  if (state === 'running' && !isUnseen) return;
  // An operator who terminated the process wants the firing to stop, but a later change by the owner
  // overrides that.
  if (closes(scheduleProcess, state) && !isUnseen)
    await pauseByProcess(deps.db, { organizationId, scheduleId: id }, Date.now());
  else await wakeSchedule(deps, row);
  deps.logger.info(
    { organizationId, scheduleId: id, state },
    'saw to a schedule whose process was not there',
  );
}

async function reviveRun(deps: ScheduleReconcileDeps, organizationId: string, id: string): Promise<void> {
  const state = await deps.processes.stateOf(scheduleRunProcess.workflowId(id));
  if (state === 'running') return;
  const row = await inOrganization(deps.db, organizationId, (db) => findScheduleRun(db, organizationId, id));
  if (row?.status !== 'running') return;
  if (closes(scheduleRunProcess, state)) {
    // Before the fire ends, so that a lost request is repeated.
    await cancelRunOf(deps, row);
    await inOrganization(deps.db, organizationId, (db) =>
      scheduleRunStates.move(db, row, 'running', 'failed', {
        reason: 'An operator ended the process of the run.',
      }),
    );
  } else
    await deps.processes.restart(
      await inOrganization(deps.db, organizationId, (db) => scheduleRunStart(db, row)),
    );
  deps.logger.info({ organizationId, scheduleRunId: id, state }, 'reconciled a fire whose process was gone');
}

async function reviveBackfill(
  deps: ScheduleReconcileDeps,
  organizationId: string,
  id: string,
): Promise<void> {
  const state = await deps.processes.stateOf(backfillProcess.workflowId(id));
  if (state === 'running') return;
  const found = await inOrganization(deps.db, organizationId, async (db) => {
    const row = await findBackfill(db, organizationId, id);
    const schedule = row && (await findSchedule(db, organizationId, row.schedule_id));
    if (row === undefined || schedule === undefined || backfillStates.isEnd(row.status)) return undefined;
    if (closes(backfillProcess, state)) await cancelBackfill(db, row);
    return backfillStart(db, row, schedule.project_id!);
  });
  if (found !== undefined && !closes(backfillProcess, state)) await deps.processes.restart(found);
  deps.logger.info({ organizationId, backfillId: id, state }, 'reconciled a backfill whose process was gone');
}
