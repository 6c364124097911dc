import { z } from 'zod';
import type { ScheduleRun } from '../../../domain/automation/schedules/schedule-runs.ts';
import { nullableTimestamp, timestamp } from '../../schemas.ts';
import { scheduleRunStatuses } from './schemas.ts';

export const scheduleRunSchema = z
  .object({
    id: z.string(),
    scheduleId: z.string(),
    scheduledFor: timestamp,
    localTime: z.string().describe('The scheduled time, in the time zone of the schedule at that time.'),
    firedAt: nullableTimestamp,
    status: z
      .enum(scheduleRunStatuses)
      .describe('`missed`: the service was down. `skipped`: the run before was still in progress.'),
    reason: z.string().nullable(),
    runId: z.string().nullable(),
  })
  .meta({ id: 'ScheduleRun' });

export const scheduleRunExample: z.input<typeof scheduleRunSchema> = {
  id: 'srn_01kahz3v6dfyvb1s8m3h9q2w4x',
  scheduleId: 'sch_01kahz3v6dfyvb1s8m3h9q2w4x',
  scheduledFor: '2026-11-21T07:00:00.000Z',
  localTime: '2026-11-21T08:00:00',
  firedAt: '2026-11-21T07:00:00.012Z',
  status: 'succeeded',
  reason: null,
  runId: 'run_01kahz3v6dfyvb1s8m3h9q2w4x',
};

export function scheduleRunView(row: ScheduleRun): z.input<typeof scheduleRunSchema> {
  return {
    id: row.id,
    scheduleId: row.schedule_id,
    scheduledFor: row.scheduled_for.toISOString(),
    localTime: row.local_time,
    firedAt: row.fired_at?.toISOString() ?? null,
    status: row.status,
    reason: row.reason,
    runId: row.has_run ? row.run_id : null,
  };
}
