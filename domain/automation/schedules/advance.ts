import type { Logger } from 'pino';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { bestEffort, type Processes } from '../../../data/processes/processes.ts';
import type { Occurrence } from '../../../packages/cadences/index.ts';
import type { ScheduleInput, ScheduleNext } from '../../../workflows/automation/schedule/contract.ts';
import { isAutomationPaused } from '../../workspace/pause/pause.ts';
import { dueOf, fireOf, missedRow } from './due.ts';
import { scheduleRunProcess, scheduleRunStart } from './process.ts';
import { findRunning, insertScheduleRuns, rowOf, type ScheduleRun } from './schedule-runs.ts';
import { findSchedule, nextOf, type Schedule, scheduleStates, updateSchedule } from './schedules.ts';

export interface AdvanceDeps {
  db: Database;
  processes: Processes;
  logger: Pick<Logger, 'warn'>;
}

/** A fire that is later than this is missed. */
const latestMs = 86_400_000;
const lookAgainMs = 60_000;

/**
 * Processes everything due by `nowMs`: the latest occurrence fires if it is less than a day late and no
 * earlier fire is under way; all earlier ones are recorded as missed. Rows and the position in the cadence
 * are one commit, so a repeated step finds nothing left to do.
 */
export async function advanceSchedule(
  deps: AdvanceDeps,
  { organizationId, scheduleId }: ScheduleInput,
  nowMs: number,
): Promise<ScheduleNext> {
  if (await isAutomationPaused(deps.db)) return untilResumed(nowMs);
  const { next, fired } = await inOrganization(deps.db, organizationId, async (db) => {
    const row = await findSchedule(db, organizationId, scheduleId, 'update');
    if (row === undefined) return { next: { kind: 'gone' } as const, fired: undefined };
    if (row.status === 'active') return advance(db, row, nowMs);
    await updateSchedule(db, organizationId, scheduleId, { seen_revision: row.revision });
    return { next: { kind: row.status }, fired: undefined };
  });
  if (fired !== undefined) {
    // The fire's row is committed: if this start fails, the reconciler starts it.
    const started = inOrganization(deps.db, organizationId, (db) => scheduleRunStart(db, fired)).then(
      (start) => deps.processes.restart(start),
    );
    await bestEffort(deps, scheduleRunProcess.workflowId(fired.id), started);
  }
  return next;
}

/** While all automation is paused, nothing fires; afterwards it is as after a time in which nothing ran. */
const untilResumed = (nowMs: number): ScheduleNext => ({
  kind: 'wait',
  atMs: nowMs + lookAgainMs,
  localTime: 'the end of the pause of all automation',
  zoneId: 'this installation',
});

interface Advanced {
  next: ScheduleNext;
  fired: ScheduleRun | undefined;
}

async function advance(db: OrganizationTransaction, row: Schedule, nowMs: number): Promise<Advanced> {
  const { due, isMore } = dueOf(row, nowMs);
  const latest = isMore ? undefined : due.pop();
  const missed = due.map((occurrence) => missedRow(row, occurrence, nowMs));
  await insertScheduleRuns(db, missed);
  const fired = latest === undefined ? undefined : await fire(db, row, latest, nowMs);
  const cursorMs = Math.max(row.considered_until.getTime(), latest?.atMs ?? due.at(-1)?.atMs ?? 0);
  const next = nextOf(row, cursorMs);
  const seen = {
    considered_until: new Date(cursorMs),
    next_run_at: next === undefined ? null : new Date(next.atMs),
    seen_revision: row.revision,
  };
  if (next === undefined) {
    await scheduleStates.move(db, row, 'active', 'done', seen);
    return { next: { kind: 'done' }, fired };
  }
  await updateSchedule(db, row.organization_id, row.id, seen);
  if (isMore) return { next: { kind: 'behind' }, fired };
  const { atMs, localTime } = next;
  return { next: { kind: 'wait', atMs, localTime, zoneId: row.cadence.zoneId }, fired };
}

/** The run of the fire; undefined if it is a day late or more, or another fire is under way. */
async function fire(
  db: OrganizationTransaction,
  row: Schedule,
  occurrence: Occurrence,
  nowMs: number,
): Promise<ScheduleRun | undefined> {
  if (nowMs - occurrence.atMs >= latestMs) {
    await insertScheduleRuns(db, [missedRow(row, occurrence, nowMs)]);
    return undefined;
  }
  const running = await findRunning(db, row);
  const outcome =
    running === undefined
      ? { status: 'running' as const, reason: null, fired_at: new Date(nowMs) }
      : {
          status: 'skipped' as const,
          reason: `The run of ${running.local_time} was still running.`,
          fired_at: null,
        };
  const [made] = await insertScheduleRuns(db, [rowOf(row, fireOf(row, occurrence), outcome)]);
  return made?.status === 'running' ? made : undefined;
}
