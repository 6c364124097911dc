import { z } from 'zod';
import type { Params } from '../../../domain/analyst/playbooks/parameters.ts';
import type { ShownBackfill } from '../../../domain/automation/schedules/backfills.ts';
import type { ShownSchedule } from '../../../domain/automation/schedules/schedules.ts';
import type { ScheduleContent } from '../../../domain/automation/schedules/write.ts';
import { pathFault } from '../../../domain/workspace/files/path.ts';
import { cadenceView, type Occurrence } from '../../../packages/cadences/index.ts';
import { cadenceBody, cadenceExample, cadenceSchema } from '../../cadence.ts';
import { freeFormMap, keptMap } from '../../free-form.ts';
import {
  characters,
  idText,
  integerText,
  nullableTimestamp,
  pageQuery,
  revisionNumber,
  timestamp,
} from '../../schemas.ts';
import { pauseReason, pauseReasonOf } from '../pause-reason.ts';
import { eitherCase } from './either-case.ts';

const maxRecipients = 50;

/** A folder must leave room for the names of its files. */
const longestName = 'x'.repeat(240);
const folder = characters(0, 512).check(({ value, issues }) => {
  const message = value === '' ? undefined : pathFault(`${value}/${longestName}`);
  if (message !== undefined) issues.push({ code: 'custom', message, input: value });
});

const recipientBody = z.strictObject({
  email: z.email('Input should be an e-mail address.').max(254),
  type: z.literal('to').default('to'),
});

const configBody = eitherCase(
  z.strictObject({
    params: freeFormMap.default({}).describe("The values of the playbook's parameters."),
    output_folder: folder
      .default('')
      .describe('A folder of the project. Each report is also written into it as Markdown, PDF and DOCX.'),
    email_recipients: z
      .array(recipientBody)
      .max(maxRecipients)
      .default([])
      .describe('The people who get each report by email. Each gets an email of their own.'),
  }),
);

const content = {
  kind: z.literal('playbook'),
  target: z.strictObject({ project_id: idText, playbook_id: idText }),
  description: characters(0, 2_000).default(''),
  schedule: cadenceBody,
  config: configBody.default({ params: {}, output_folder: '', email_recipients: [] }),
};

const writeExample = {
  kind: 'playbook',
  target: { project_id: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x', playbook_id: 'pbk_01kahz3v6dfyvb1s8m3h9q2w4x' },
  description: 'Every morning',
  schedule: { type: 'daily', zone_id: 'Europe/Berlin', time_of_day: '08:00' },
  config: {
    params: { since: '2026-11-16' },
    output_folder: 'reports/sales',
    email_recipients: [{ email: 'sales@example.com', type: 'to' }],
  },
};

export const createScheduleBody = z.strictObject(content).meta({ example: writeExample });

export const replaceScheduleBody = z
  .strictObject({ ...content, expected_revision: revisionNumber.optional() })
  .meta({ example: { ...writeExample, expected_revision: 1 } });

export function contentOf(body: z.output<typeof createScheduleBody>): ScheduleContent {
  const { params, output_folder: outputFolder, email_recipients: emailRecipients } = body.config;
  return {
    description: body.description,
    cadence: body.schedule,
    params: params as Params,
    outputFolder,
    emailRecipients,
  };
}

export const targetOf = ({ target }: z.output<typeof createScheduleBody>) => ({
  projectId: target.project_id,
  playbookId: target.playbook_id,
});

export const listSchedulesQuery = pageQuery.extend({
  kind: z.literal('playbook').optional(),
  project_id: z.string().optional(),
  target_id: z.string().optional().describe('The id of what the schedule runs, for example of a playbook.'),
});

export const scheduleRunStatuses = [
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'missed',
  'skipped',
] as const;

export const scheduleSchema = z
  .object({
    id: z.string(),
    kind: z.literal('playbook'),
    target: z.object({ projectId: z.string(), playbookId: z.string() }),
    description: z.string(),
    schedule: cadenceSchema,
    config: z.object({
      params: keptMap,
      outputFolder: z.string(),
      emailRecipients: z.array(z.object({ email: z.string(), type: z.literal('to') })),
    }),
    status: z.enum(['active', 'paused', 'done']),
    pauseReason,
    nextRunAt: nullableTimestamp,
    lastRunAt: nullableTimestamp,
    lastRunStatus: z.enum(scheduleRunStatuses).nullable(),
    createdByUserId: z.string(),
    revision: z.int(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Schedule' });

export const scheduleExample: z.input<typeof scheduleSchema> = {
  id: 'sch_01kahz3v6dfyvb1s8m3h9q2w4x',
  kind: 'playbook',
  target: { projectId: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x', playbookId: 'pbk_01kahz3v6dfyvb1s8m3h9q2w4x' },
  description: 'Every morning',
  schedule: cadenceExample,
  config: {
    params: { since: '2026-11-16' },
    outputFolder: 'reports/sales',
    emailRecipients: [{ email: 'sales@example.com', type: 'to' }],
  },
  status: 'active',
  nextRunAt: '2026-11-22T07:00:00.000Z',
  lastRunAt: '2026-11-21T07:00:00.012Z',
  lastRunStatus: 'succeeded',
  createdByUserId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  revision: 1,
  createdAt: '2026-11-20T08:30:00.000Z',
  updatedAt: '2026-11-20T08:30:00.000Z',
};

export function scheduleView(row: ShownSchedule): z.input<typeof scheduleSchema> {
  return {
    id: row.id,
    kind: 'playbook',
    target: { projectId: row.project_id, playbookId: row.playbook_id! },
    description: row.description,
    schedule: cadenceView(row.cadence),
    config: {
      params: row.params,
      outputFolder: row.output_folder,
      emailRecipients: row.email_recipients,
    },
    status: row.status,
    ...pauseReasonOf(row),
    nextRunAt: row.next_run_at?.toISOString() ?? null,
    lastRunAt: row.last?.fired_at.toISOString() ?? null,
    lastRunStatus: row.last?.status ?? null,
    createdByUserId: row.created_by,
    revision: row.revision,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export const occurrencesQuery = z.object({
  limit: integerText(z.int().min(1).max(100).default(10)).describe('The number of runs to return.'),
});

const occurrenceSchema = z.object({
  at: timestamp.describe('The time of the run.'),
  localTime: z.string().describe('The scheduled time in the zone of the schedule.'),
  note: z.enum(['gap', 'overlap', 'month_end']).nullable(),
});

export const occurrencesSchema = z.object({ items: z.array(occurrenceSchema) }).meta({
  examples: [
    {
      items: [{ at: '2027-03-28T01:00:00.000Z', localTime: '2027-03-28T02:30:00', note: 'gap' }],
    },
  ],
});

export const occurrenceView = ({ atMs, localTime, note }: Occurrence) => ({
  at: new Date(atMs).toISOString(),
  localTime,
  note,
});

const instant = z.iso.datetime({ offset: true }).meta({ description: 'RFC 3339, with an offset.' });

export const backfillBody = z
  .strictObject({
    from: instant,
    to: instant,
    only_missing: z.boolean().default(true),
    max_concurrency: z.int().min(1).max(10).default(1),
    preview: z.boolean().default(false),
  })
  .meta({ examples: [{ from: '2026-11-01T00:00:00Z', to: '2026-11-15T00:00:00Z' }] });

export const previewSchema = z.object({ occurrences: z.array(occurrenceSchema), total: z.int() });

export const backfillSchema = z
  .object({
    id: z.string(),
    scheduleId: z.string(),
    from: timestamp,
    to: timestamp,
    onlyMissing: z.boolean(),
    maxConcurrency: z.int(),
    status: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']),
    total: z.int().describe('The number of planned runs.'),
    fires: z.object({ running: z.int(), succeeded: z.int(), failed: z.int(), cancelled: z.int() }),
    createdByUserId: z.string(),
    createdAt: timestamp,
    startedAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
  })
  .meta({ id: 'ScheduleBackfill' });

export const backfillExample: z.input<typeof backfillSchema> = {
  id: 'bkf_01kahz3v6dfyvb1s8m3h9q2w4x',
  scheduleId: 'sch_01kahz3v6dfyvb1s8m3h9q2w4x',
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-15T00:00:00.000Z',
  onlyMissing: true,
  maxConcurrency: 1,
  status: 'running',
  total: 14,
  fires: { running: 1, succeeded: 3, failed: 0, cancelled: 0 },
  createdByUserId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
  startedAt: '2026-11-21T08:30:00.100Z',
  finishedAt: null,
};

export function backfillView(row: ShownBackfill): z.input<typeof backfillSchema> {
  return {
    id: row.id,
    scheduleId: row.schedule_id,
    from: row.from_at.toISOString(),
    to: row.to_at.toISOString(),
    onlyMissing: row.only_missing,
    maxConcurrency: row.max_concurrency,
    status: row.status,
    total: row.total,
    fires: row.fires,
    createdByUserId: row.created_by,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}
