import { z } from 'zod';
import type { TableVerification } from '../../../domain/tables/verification/table-state.ts';
import type { ShownVerification, TestResult } from '../../../domain/tables/verification/verifications.ts';
import { envelope, idText, nullableTimestamp, pageQuery, timestamp } from '../../schemas.ts';
import { testedState } from '../catalog.ts';
import { pinnedVersions } from '../query-executions/schemas.ts';

const outcome = z.enum(['passed', 'warned', 'failed']);
const resultStatus = z
  .enum(['passed', 'failed', 'warned', 'error'])
  .describe("`error`: the test couldn't run, and `message` says why.");

const result = z.object({
  definitionId: z.string(),
  name: z.string(),
  tableId: z.string(),
  version: z.int().nullable(),
  status: resultStatus,
  failingRows: z.int().nullable(),
  sample: z
    .array(z.record(z.string(), z.unknown()))
    .max(10)
    .describe('Some failing rows, with columns by name.'),
  failuresTableId: z
    .string()
    .nullable()
    .describe(
      'A table with up to 10,000 failing rows. It is kept for 30 days, and only the newest 20 per test and table are kept.',
    ),
  message: z.string().nullable(),
  elapsedMs: z
    .number()
    .describe('The elapsed time in milliseconds. Tests that share one scan have the time of the scan.'),
});

export const runSchema = z
  .object({
    id: z.string(),
    status: z
      .enum(['queued', 'running', 'succeeded', 'failed', 'cancelled'])
      .describe(
        "The status of the run. `failed`: the run couldn't complete. The result of the tests is in `outcome`.",
      ),
    outcome: outcome.nullable(),
    trigger: z.object({
      type: z
        .string()
        .describe(
          'What started the run: `api`, `data_event` after new versions, `gate` before a commit, `schedule` and others.',
        ),
      id: z.string().nullable(),
    }),
    progress: z.number(),
    tables: z.array(
      z.object({ tableId: z.string(), version: z.int().nullable(), outcome: outcome.nullable() }),
    ),
    results: z.array(result),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    createdAt: timestamp,
    startedAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
  })
  .meta({ id: 'VerificationRun' });

const resultExample: z.input<typeof result> = {
  definitionId: 'vtd_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'orders have a number',
  tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  version: 12,
  status: 'failed',
  failingRows: 1,
  sample: [{ s_id: 7, order_no: null }],
  failuresTableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w5y',
  message: '1 row fails.',
  elapsedMs: 38.2,
};

export const runExample: z.input<typeof runSchema> = {
  id: 'run_01kahz3v6dfyvb1s8m3h9q2w4x',
  status: 'succeeded',
  outcome: 'failed',
  trigger: { type: 'api', id: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x' },
  progress: 1,
  tables: [{ tableId: resultExample.tableId, version: 12, outcome: 'failed' }],
  results: [resultExample],
  error: null,
  createdAt: '2026-11-21T08:30:00.000Z',
  startedAt: '2026-11-21T08:30:00.100Z',
  finishedAt: '2026-11-21T08:30:00.600Z',
};

export const runBody = z
  .strictObject({
    table_ids: z.array(idText).min(1).max(1_000).optional(),
    project_id: idText.optional(),
    definition_ids: z.array(idText).min(1).max(200).optional(),
    at_versions: pinnedVersions.optional(),
  })
  .superRefine((body, context) => {
    const given = (['table_ids', 'project_id', 'definition_ids'] as const).filter(
      (name) => body[name] !== undefined,
    );
    for (const name of given.slice(1))
      context.addIssue({
        ...{ code: 'custom', path: [name], message: 'Send tables, a project or definitions.' },
        params: { type: 'extra_forbidden' },
      });
  })
  .meta({ examples: [{ table_ids: ['tbl_01kahz3v6dfyvb1s8m3h9q2w4x'] }] });

export const listRunsQuery = pageQuery.extend({
  table_id: z.string().optional().describe('Only runs that tested this table.'),
});

export function runView({
  run,
  verification,
  tables,
  results,
}: ShownVerification): z.input<typeof runSchema> {
  const versions = new Map(tables.map((one) => [one.table_id, one.version]));
  return {
    id: run.id,
    status: run.status as z.input<typeof runSchema>['status'],
    outcome: verification.outcome,
    trigger:
      verification.gate_of === null
        ? { type: run.trigger_type, id: run.trigger_id }
        : { type: 'gate', id: verification.gate_of },
    progress: run.progress,
    tables: tables.map((one) => ({ tableId: one.table_id, version: one.version, outcome: one.outcome })),
    results: results.map((one) => resultView(one, versions.get(one.table_id) ?? null)),
    error: run.error as { code: string; message: string } | null,
    createdAt: run.created_at.toISOString(),
    startedAt: run.started_at?.toISOString() ?? null,
    finishedAt: run.finished_at?.toISOString() ?? null,
  };
}

function resultView(row: TestResult, version: number | null): z.input<typeof result> {
  return {
    ...{ definitionId: row.definition_id, name: row.name, tableId: row.table_id, version },
    ...{ status: row.status, failingRows: row.failing_rows },
    sample: JSON.parse(row.sample) as Record<string, unknown>[],
    ...{ failuresTableId: row.failures_table_id, message: row.message, elapsedMs: row.elapsed_ms },
  };
}

const turn = z.object({ runId: z.string(), at: timestamp, status: resultStatus });

const tableVerificationSchema = z
  .object({
    tableId: z.string(),
    state: testedState,
    version: z.int().nullable().describe('The newest tested version.'),
    at: nullableTimestamp,
    results: z.array(
      result.extend({
        history: z.array(turn).max(10).describe('The earlier results of the test, newest first.'),
        flapping: z
          .boolean()
          .describe(
            'Whether the result changed between passing and not passing at least five times in its last ten runs.',
          ),
      }),
    ),
    history: z.array(z.object({ runId: z.string(), at: timestamp, outcome })),
  })
  .meta({ id: 'TableVerification' });

export const oneTableVerification = envelope(tableVerificationSchema).meta({
  examples: [
    {
      data: {
        ...{ tableId: resultExample.tableId, state: 'failing', version: 12, at: '2026-11-21T08:30:00.600Z' },
        results: [
          {
            ...resultExample,
            history: [{ runId: runExample.id, at: '2026-11-21T08:30:00.600Z', status: 'failed' }],
            flapping: false,
          },
        ],
        history: [{ runId: runExample.id, at: '2026-11-21T08:30:00.600Z', outcome: 'failed' }],
      },
    },
  ],
});

export function tableVerificationView(
  tableId: string,
  { state, version, at, results, history }: TableVerification,
): z.input<typeof tableVerificationSchema> {
  return {
    ...{ tableId, state, version, at: at?.toISOString() ?? null },
    results: results.map(({ history: turns, flapping, ...row }) => ({
      ...resultView(row, version),
      history: turns.map((one) => ({ ...one, at: one.at.toISOString() })),
      flapping,
    })),
    history: history.map((one) => ({ ...one, at: one.at.toISOString() })),
  };
}
