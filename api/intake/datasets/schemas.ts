import { z } from 'zod';
import type { ShownDataset } from '../../../domain/automation/schedules/dataset-schedules.ts';
import type { UnreadableValues } from '../../../domain/intake/datasets/copy/copier.ts';
import { type Cadence, cadenceView } from '../../../packages/cadences/index.ts';
import { cadenceSchema, datasetCadenceBody } from '../../cadence.ts';
import { characters, nullableTimestamp, timestamp, visibleName } from '../../schemas.ts';
import { csvOptions } from '../table-imports/options.ts';

const mode = z
  .enum(['full', 'incremental'])
  .describe(
    'For PostgreSQL and MySQL: whether each snapshot copies everything, or only changes since the last one by `cursor` and `key_columns`. For an HTTP resource, its policy decides.',
  );
const guard = z.strictObject({ max_shrink_ratio: z.number().min(0).max(1) });

const unreadableValues = z
  .enum(['fail', 'null'])
  .describe(
    "For PostgreSQL and MySQL: what happens to a value that doesn't fit its type in the lake, such as a time in the year 294276. `fail` ends the snapshot and names the column and the row. `null` copies null, and `warnings` of the snapshot counts these values.",
  );

export const datasetSchema = z
  .object({
    id: z.string(),
    connectionId: z.string(),
    resource: z.string(),
    name: z.string(),
    snapshotEnabled: z
      .boolean()
      .describe('Whether this dataset can be copied. The connection can enable all of its datasets.'),
    mode,
    cursor: z.string().nullable(),
    keyColumns: z.array(z.string()),
    guard: z.object({ maxShrinkRatio: z.number() }).nullable(),
    unreadableValues,
    csv: z.record(z.string(), z.unknown()).nullable().describe('How CSV files are read, as you sent it.'),
    schedule: cadenceSchema.nullable(),
    scheduleStatus: z
      .enum(['active', 'paused', 'done'])
      .nullable()
      .describe(
        'The status of the schedule, if there is one. `paused` until `…/resume`; a schedule is also paused when its project is archived or an operator ends its workflow. `done` if it has no more runs.',
      ),
    projectId: z.string().nullable(),
    tableId: z.string().nullable().describe('Null before the first snapshot.'),
    snapshotTableName: z
      .string()
      .describe('The name of the table with the copy. It is unique in the organization.'),
    lastSnapshotAt: nullableTimestamp.describe('When the last snapshot succeeded.'),
    lastSnapshotRunId: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Dataset' });

export const datasetExample: z.input<typeof datasetSchema> = {
  id: 'dst_01kahz3v6dfyvb1s8m3h9q2w4x',
  connectionId: 'con_01kahz3v6dfyvb1s8m3h9q2w4x',
  resource: 'public.orders',
  name: 'Shop orders',
  snapshotEnabled: true,
  mode: 'full',
  cursor: null,
  keyColumns: ['id'],
  guard: { maxShrinkRatio: 0.2 },
  unreadableValues: 'fail',
  csv: null,
  schedule: null,
  scheduleStatus: null,
  projectId: null,
  tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  snapshotTableName: 'shop_orders',
  lastSnapshotAt: '2026-11-21T08:31:00.000Z',
  lastSnapshotRunId: 'snp_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
  updatedAt: '2026-11-21T08:30:00.000Z',
};

const columnName = characters(1, 255);
const fields = {
  resource: characters(1, 1_024).describe('The name of the resource, as `POST …/resources` lists it.'),
  name: visibleName(255).overwrite((text) => text.trim()),
  snapshot_enabled: z.boolean(),
  mode,
  cursor: columnName.nullable().describe('A column that grows with every change. For incremental datasets.'),
  key_columns: z
    .array(columnName)
    .max(32)
    .refine((columns) => new Set(columns).size === columns.length, 'Key columns must be unique.'),
  guard: guard
    .nullable()
    .describe('If a snapshot would lose more than this share of the rows, it waits for `…/confirm`.'),
  unreadable_values: unreadableValues,
  csv: csvOptions
    .nullable()
    .describe('For object stores: how CSV files are read. Fields that you omit are detected.'),
  project_id: characters(1, 64).nullable().describe('The project that lists the snapshots as runs.'),
  schedule: datasetCadenceBody
    .nullable()
    .describe('When scheduled snapshots are taken. Null means never. A paused schedule stays paused.'),
};

export const createDatasetBody = z
  .strictObject({
    ...fields,
    snapshot_enabled: fields.snapshot_enabled.default(false),
    mode: mode.default('full'),
    cursor: fields.cursor.default(null),
    key_columns: fields.key_columns.default([]),
    guard: fields.guard.default(null),
    unreadable_values: unreadableValues.default('fail'),
    csv: fields.csv.default(null),
    project_id: fields.project_id.default(null),
    schedule: fields.schedule.default(null),
  })
  .meta({
    examples: [
      {
        resource: 'public.orders',
        name: 'Shop orders',
        snapshot_enabled: true,
        guard: { max_shrink_ratio: 0.2 },
      },
    ],
  });

export const changeDatasetBody = z
  .strictObject(fields)
  .partial()
  .meta({ examples: [{ snapshot_enabled: true }] });

export function datasetView(dataset: ShownDataset): z.input<typeof datasetSchema> {
  return {
    id: dataset.id,
    connectionId: dataset.connection_id,
    resource: dataset.resource,
    name: dataset.name,
    snapshotEnabled: dataset.snapshot_enabled,
    mode: dataset.mode,
    cursor: dataset.cursor_column,
    keyColumns: dataset.key_columns,
    guard: dataset.max_shrink_ratio === null ? null : { maxShrinkRatio: dataset.max_shrink_ratio },
    csv: dataset.csv as Record<string, unknown> | null,
    unreadableValues: dataset.unreadable_values as UnreadableValues,
    schedule: dataset.cadence === null ? null : cadenceView(dataset.cadence as unknown as Cadence),
    scheduleStatus: dataset.schedule_status,
    projectId: dataset.project_id,
    tableId: dataset.table_id,
    snapshotTableName: dataset.snapshot_table_name,
    lastSnapshotAt: dataset.last_snapshot_at?.toISOString() ?? null,
    lastSnapshotRunId: dataset.last_snapshot_run_id,
    createdAt: dataset.created_at.toISOString(),
    updatedAt: dataset.updated_at.toISOString(),
  };
}
