import { z } from 'zod';
import type { ProcessProblem } from '../../../data/processes/failing.ts';
import { runKindNames } from '../../../domain/workspace/runs/kinds.ts';
import type { ShownRun } from '../../../domain/workspace/runs/show.ts';
import { nullableTimestamp, pageQuery, timestamp } from '../../schemas.ts';

export const runStatuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;

const stepSchema = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  status: z.enum(['running', 'succeeded', 'failed', 'cancelled', 'skipped']),
  detail: z.string().nullable(),
  startedAt: nullableTimestamp,
  finishedAt: nullableTimestamp,
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
});

export const runSchema = z
  .object({
    id: z.string(),
    projectId: z.string().nullable().describe('Null for a run about a table that belongs to no project.'),
    kind: z.enum(runKindNames),
    status: z.enum(runStatuses),
    trigger: z.object({
      type: z.enum(['api', 'schedule', 'webhook', 'data_event', 'conversation']),
      id: z.string().nullable(),
    }),
    title: z.string(),
    progress: z.number().min(0).max(1),
    steps: z.array(stepSchema),
    output: z
      .looseObject({})
      .nullable()
      .describe('What the run created, such as `{tableId, rowsImported}`, `{reportId}` or `{fileId}`.'),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    resource: z.object({ type: z.string(), id: z.string() }),
    workflowId: z.string().describe('The id of the workflow in the Temporal UI.'),
    problem: z
      .object({ code: z.literal('process_failing'), message: z.string(), since: timestamp })
      .nullable()
      .describe('Why a run in progress is stuck. It continues when the cause is fixed.'),
    createdAt: timestamp,
    startedAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
  })
  .meta({ id: 'Run', description: 'Background work of a project, of any kind.' });

export const runExample: z.input<typeof runSchema> = {
  id: 'imp_01kahz3v6dfyvb1s8m3h9q2w4x',
  projectId: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
  kind: 'import',
  status: 'succeeded',
  trigger: { type: 'api', id: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x' },
  title: 'Import of raw/orders.csv into orders',
  progress: 1,
  steps: [
    {
      id: 'read',
      name: 'Read the file',
      type: 'read',
      status: 'succeeded',
      detail: null,
      startedAt: '2026-11-21T08:30:00.100Z',
      finishedAt: '2026-11-21T08:30:01.700Z',
      error: null,
    },
  ],
  output: { tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x', rowsImported: 1_204 },
  error: null,
  resource: { type: 'table-import', id: 'imp_01kahz3v6dfyvb1s8m3h9q2w4x' },
  workflowId: 'table-import/imp_01kahz3v6dfyvb1s8m3h9q2w4x',
  problem: null,
  createdAt: '2026-11-21T08:30:00.000Z',
  startedAt: '2026-11-21T08:30:00.100Z',
  finishedAt: '2026-11-21T08:30:01.900Z',
};

/** A run as answered when it begins. */
export const queuedRunExample: z.input<typeof runSchema> = {
  ...runExample,
  id: 'run_01kahz3v6dfyvb1s8m3h9q2w4x',
  kind: 'playbook',
  status: 'queued',
  title: 'Weekly sales',
  progress: 0,
  steps: [],
  output: null,
  resource: { type: 'playbook', id: 'pbk_01kahz3v6dfyvb1s8m3h9q2w4x' },
  workflowId: 'agent-run/run_01kahz3v6dfyvb1s8m3h9q2w4x',
  startedAt: null,
  finishedAt: null,
};

export const listRunsQuery = pageQuery.extend({
  kind: z.enum(runKindNames).optional(),
  status: z.enum(runStatuses).optional(),
});

/** Runs without a project are answered by routes of what they are about. */
export function runView(run: ShownRun): z.input<typeof runSchema> {
  return {
    id: run.id,
    projectId: run.project_id,
    kind: run.kind,
    status: run.status,
    trigger: { type: run.trigger_type, id: run.trigger_id },
    title: run.title,
    progress: run.progress,
    steps: run.steps,
    output: run.output as Record<string, unknown> | null,
    error: run.error as { code: string; message: string } | null,
    resource: { type: run.resource_type, id: run.resource_id },
    workflowId: run.workflow_id,
    problem: run.problem === undefined ? null : problemView(run.problem),
    createdAt: run.created_at.toISOString(),
    startedAt: run.started_at?.toISOString() ?? null,
    finishedAt: run.finished_at?.toISOString() ?? null,
  };
}

function problemView({ cause, since }: ProcessProblem) {
  return {
    code: 'process_failing' as const,
    message: `The run fails (${cause}) and can't continue. Tell the operator of the service. After an upgrade, this means that the release that started the run must finish it.`,
    since: since.toISOString(),
  };
}
