import { z } from 'zod';
import type { LakeMaintenanceRun } from '../../../domain/tables/lake-maintenance/runs.ts';
import type { LakeMaintenanceFigures } from '../../../workflows/tables/lake-maintenance/contract.ts';
import { lakeMaintenanceFigureNames } from '../../../workflows/tables/lake-maintenance/names.ts';
import { nullableTimestamp, timestamp } from '../../schemas.ts';

const figuresSchema = z.object({
  tablesFlushed: z.int().describe('Tables whose rows moved from the catalog to Parquet.'),
  rowsFlushed: z.int(),
  deletionsRepaired: z
    .int()
    .describe(
      'Deletions that an earlier release had stored twice, so that rows came back. Each one hides its row again.',
    ),
  tablesSkipped: z.int().describe('Tables that were locked for too long. The next run handles them.'),
  filesMerged: z.int().describe('Files that were rewritten: merged, or without their deleted rows.'),
  filesWritten: z.int().describe('The files that resulted.'),
  snapshotsExpired: z.int(),
  filesRemoved: z.int(),
  orphansRemoved: z.int(),
});

const errorSchema = z.object({
  message: z.string(),
  failures: z.array(
    z.object({
      step: z.enum(['flush', 'compact', 'expire', 'remove_files', 'remove_orphans']),
      tableId: z.string().nullable(),
      code: z.string(),
    }),
  ),
});

export const lakeMaintenanceRunSchema = z
  .object({
    id: z.string(),
    status: z.enum(['queued', 'running', 'succeeded', 'failed']),
    trigger: z.enum(['cadence', 'request']),
    figures: figuresSchema.describe('Set when the run ends.'),
    error: errorSchema.nullable().describe('The steps that failed. The others succeeded.'),
    createdAt: timestamp,
    startedAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
  })
  .meta({ id: 'LakeMaintenanceRun' });

export const lakeMaintenanceRunExample: z.input<typeof lakeMaintenanceRunSchema> = {
  id: 'car_01kahz3v6dfyvb1s8m3h9q2w4x',
  status: 'succeeded',
  trigger: 'request',
  figures: {
    tablesFlushed: 1,
    rowsFlushed: 12_000,
    deletionsRepaired: 0,
    tablesSkipped: 0,
    filesMerged: 8,
    filesWritten: 1,
    snapshotsExpired: 40,
    filesRemoved: 9,
    orphansRemoved: 0,
  },
  error: null,
  createdAt: '2026-11-21T08:30:00.000Z',
  startedAt: '2026-11-21T08:30:00.100Z',
  finishedAt: '2026-11-21T08:30:02.300Z',
};

export function lakeMaintenanceRunView(row: LakeMaintenanceRun): z.infer<typeof lakeMaintenanceRunSchema> {
  const kept = row.figures as Partial<LakeMaintenanceFigures>;
  const figures = Object.fromEntries(lakeMaintenanceFigureNames.map((name) => [name, kept[name] ?? 0]));
  return {
    id: row.id,
    status: row.status,
    trigger: row.trigger,
    figures: figures as LakeMaintenanceFigures,
    error: row.error as z.infer<typeof errorSchema> | null,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}
