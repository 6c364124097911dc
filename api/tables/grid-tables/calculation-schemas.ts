import { z } from 'zod';
import { envelope, nullableTimestamp } from '../../schemas.ts';
import { runExample, type runSchema } from '../../workspace/runs/schemas.ts';
import { refusalFields } from '../verification/refusal.ts';

const version = z.int().nullable();

export const gridStatusSchema = z
  .object({
    tableId: z.string(),
    status: z.enum(['unmaterialized', 'queued', 'running', 'fresh', 'stale', 'failed']),
    tableVersion: version,
    materializedAt: nullableTimestamp,
    rowCount: z.int().nullable(),
    inputs: z
      .array(
        z.object({ tableId: z.string(), name: z.string(), versionRead: version, currentVersion: version }),
      )
      .describe('The tables that its query reads, also through views and other calculated tables.'),
    staleBecause: z
      .array(z.string())
      .describe(
        'The ids of the tables that changed since the last build, or `definition` if its query, or one that it reads, changed.',
      ),
    lastRefresh: z
      .object({ mode: z.enum(['full', 'incremental']), rowsRead: z.int(), elapsedMs: z.int() })
      .nullable(),
    runId: z.string().nullable(),
    error: z.object({ code: z.string(), message: z.string(), ...refusalFields }).nullable(),
  })
  .meta({ id: 'GridTableFreshness' });

const example: z.input<typeof gridStatusSchema> = {
  tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  status: 'stale',
  tableVersion: 41,
  materializedAt: '2026-11-21T08:30:00.000Z',
  rowCount: 12,
  inputs: [
    { tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4y', name: 'orders', versionRead: 40, currentVersion: 43 },
  ],
  staleBecause: ['tbl_01kahz3v6dfyvb1s8m3h9q2w4y'],
  lastRefresh: { mode: 'full', rowsRead: 1_204, elapsedMs: 85 },
  runId: 'run_01kahz3v6dfyvb1s8m3h9q2w4x',
  error: null,
};

export const oneStatus = envelope(gridStatusSchema).meta({ examples: [{ data: example }] });

export const materializeRunExample: z.input<typeof runSchema> = {
  ...runExample,
  id: 'run_01kahz3v6dfyvb1s8m3h9q2w4x',
  projectId: null,
  kind: 'materialize',
  title: 'Build of sales_by_city',
  steps: [],
  output: {
    tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
    tableVersion: 41,
    rowCount: 12,
    mode: 'full',
  },
  resource: { type: 'table', id: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x' },
  workflowId: 'materialization/run_01kahz3v6dfyvb1s8m3h9q2w4x',
};

export const syncBody = z
  .strictObject({
    downstream: z
      .boolean()
      .default(false)
      .describe('Whether to also update every table that reads this one, directly or indirectly.'),
  })
  .default({ downstream: false })
  .meta({ examples: [{ downstream: true }] });
