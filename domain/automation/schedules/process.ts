import type { Logger } from 'pino';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { RecordOf } from '../../../data/postgres/records.ts';
import { defineProcess } from '../../../data/processes/define.ts';
import { bestEffort, type Processes } from '../../../data/processes/processes.ts';
import type { ScheduleInput } from '../../../workflows/automation/schedule/contract.ts';
import { scheduleWorkflowType, wakeScheduleSignal } from '../../../workflows/automation/schedule/names.ts';
import type { BackfillInput } from '../../../workflows/automation/schedule-backfill/contract.ts';
import { backfillWorkflowType } from '../../../workflows/automation/schedule-backfill/names.ts';
import type { ScheduleRunInput } from '../../../workflows/automation/schedule-run/contract.ts';
import { scheduleRunWorkflowType } from '../../../workflows/automation/schedule-run/names.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import type { ScheduleRun } from './schedule-runs.ts';
import type { Schedule } from './schedules.ts';
import { targetInWords } from './target-in-words.ts';

export const scheduleProcess = defineProcess<ScheduleInput>({
  kind: 'schedule',
  workflowType: scheduleWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ scheduleId }) => scheduleId,
  whenTerminated: 'close',
});

export const scheduleRunProcess = defineProcess<ScheduleRunInput>({
  kind: 'schedule-run',
  workflowType: scheduleRunWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ scheduleRunId }) => scheduleRunId,
  // Lower than due schedules and anything a person waits for.
  priority: 4,
  whenTerminated: 'close',
});

export const backfillProcess = defineProcess<BackfillInput>({
  kind: 'schedule-backfill',
  workflowType: backfillWorkflowType,
  taskQueue: taskQueues.control,
  resourceId: ({ backfillId }) => backfillId,
  whenTerminated: 'close',
});

export async function scheduleStart(
  db: OrganizationTransaction,
  row: Schedule,
  memo: Record<string, string> = {},
) {
  const input = { organizationId: row.organization_id, scheduleId: row.id };
  const summary = `Schedule of ${await targetInWords(db, row.organization_id, row.id)}`;
  return scheduleProcess.startOf(input, { summary, projectId: row.project_id ?? undefined, memo });
}

/**
 * Schedules of triggers and datasets have no address of their own: their runs are shown by the project, if
 * they have one.
 */
export function fireAddress(
  row: Pick<ScheduleRun, 'id' | 'schedule_id' | 'run_id' | 'project_id'>,
): string | undefined {
  if (row.run_id?.startsWith('run_') === true) return `/v1/schedules/${row.schedule_id}/runs/${row.id}`;
  return row.project_id === null ? undefined : `/v1/projects/${row.project_id}/runs/${row.run_id}`;
}

export async function scheduleRunStart(
  db: OrganizationTransaction,
  row: ScheduleRun,
  memo: Record<string, string> = {},
) {
  const input = { organizationId: row.organization_id, scheduleRunId: row.id };
  const target = await targetInWords(db, row.organization_id, row.schedule_id);
  const summary = `${row.local_time} ${row.zone_id} (${row.origin}): ${target}`;
  const address = fireAddress(row);
  return scheduleRunProcess.startOf(input, {
    summary,
    projectId: row.project_id ?? undefined,
    address,
    memo,
  });
}

export async function backfillStart(
  db: OrganizationTransaction,
  row: RecordOf<'schedule_backfills'>,
  projectId: string,
  memo: Record<string, string> = {},
) {
  const input = { organizationId: row.organization_id, backfillId: row.id };
  const target = await targetInWords(db, row.organization_id, row.schedule_id);
  const summary = `${row.from_at.toISOString()} to ${row.to_at.toISOString()}: ${target}`;
  const address = `/v1/schedules/${row.schedule_id}/backfills/${row.id}`;
  return backfillProcess.startOf(input, { summary, projectId, address, memo });
}

export interface WakeDeps {
  db: Database;
  processes: Processes;
  logger: Pick<Logger, 'warn'>;
}

/** The row contains the change; if the notification is lost, the reconciler repeats it within a minute. */
export async function wakeSchedule(
  deps: WakeDeps,
  row: Schedule,
  memo: Record<string, string> = {},
): Promise<void> {
  const woken = inOrganization(deps.db, row.organization_id, (db) => scheduleStart(db, row, memo)).then(
    (start) => deps.processes.wake(start, { name: wakeScheduleSignal, args: [] }),
  );
  await bestEffort(deps, scheduleProcess.workflowId(row.id), woken);
}
