import { z } from 'zod';
import type { ShownProfile } from '../../../domain/tables/profiles/profiles.ts';
import { envelope, timestamp } from '../../schemas.ts';
import { queuedRunExample, runSchema } from '../../workspace/runs/schemas.ts';
import { shownType } from '../grid-tables/schemas.ts';

const value = z
  .union([z.string(), z.number(), z.boolean()])
  .describe('The value as a query returns it. Texts are cut off after 200 characters.');
const count = z.int().min(0);

const columnSchema = z.object({
  name: z.string(),
  dataType: shownType,
  nulls: count,
  distinctApprox: count.describe('The number of different values: exact below 50, otherwise an estimate.'),
  min: value.nullable().describe('The minimum of the finite values. Null for JSON and nested types.'),
  max: value.nullable(),
  mean: z.number().nullable().describe('The mean of the finite numbers. Null for other types.'),
  top: z.array(z.object({ value, count })).max(10).describe('The most frequent values, most frequent first.'),
  histogram: z
    .array(z.object({ from: value, to: value, count }))
    .max(20)
    .describe(
      'Bins of equal width over the finite numbers, dates and timestamps. A bin includes `from` and excludes `to`; only the last bin includes both.',
    ),
});

export const profileSchema = z
  .object({
    tableVersion: z.int(),
    stale: z.boolean().describe('Whether the table has a newer version than the profile.'),
    computedAt: timestamp,
    rowCount: count,
    sampled: z
      .boolean()
      .describe(
        'Whether counts are estimates from a sample of about 100,000,000 rows. `distinctApprox` is then the count of the sample.',
      ),
    columns: z.array(columnSchema),
  })
  .meta({ id: 'TableProfile' });

const profileExample: z.input<typeof profileSchema> = {
  tableVersion: 12,
  stale: false,
  computedAt: '2026-11-21T08:30:00.000Z',
  rowCount: 1_204,
  sampled: false,
  columns: [
    {
      name: 'amount',
      dataType: 'DOUBLE',
      nulls: 4,
      distinctApprox: 2,
      min: 0.5,
      max: 20.5,
      mean: 10.5,
      top: [
        { value: 0.5, count: 600 },
        { value: 20.5, count: 600 },
      ],
      histogram: [{ from: 0.5, to: 20.5, count: 1_200 }],
    },
  ],
};

const runExample: z.input<typeof runSchema> = {
  ...queuedRunExample,
  projectId: null,
  kind: 'profile',
  title: 'Profile of orders',
  resource: { type: 'table', id: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x' },
  workflowId: 'profile/tbl_01kahz3v6dfyvb1s8m3h9q2w4x/run_01kahz3v6dfyvb1s8m3h9q2w4x',
};

export const oneProfile = envelope(profileSchema).meta({ examples: [{ data: profileExample }] });
export const profileRun = envelope(runSchema).meta({ examples: [{ data: runExample }] });

export function profileView({ row, columns, isStale }: ShownProfile): z.input<typeof profileSchema> {
  return {
    tableVersion: row.version,
    stale: isStale,
    computedAt: row.computed_at.toISOString(),
    rowCount: row.row_count,
    sampled: row.sampled,
    columns,
  };
}
