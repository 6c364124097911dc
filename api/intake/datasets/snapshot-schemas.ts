import { z } from 'zod';
import type { SnapshotRun, SnapshotWait } from '../../../domain/intake/datasets/snapshot-runs.ts';
import { nullableTimestamp, timestamp } from '../../schemas.ts';
import { refusalFields } from '../../tables/verification/refusal.ts';

export const snapshotSchema = z
  .object({
    id: z.string(),
    connectionId: z.string(),
    datasetId: z.string(),
    status: z.enum(['queued', 'running', 'awaiting_confirmation', 'succeeded', 'failed', 'cancelled']),
    rowsCopied: z.int(),
    rowsDeleted: z.int(),
    bytesCopied: z.int().describe('The bytes that the source sent.'),
    requestsMade: z.int().describe('The number of requests to an HTTP source.'),
    progress: z.number().min(0).max(1),
    snapshotTableName: z.string().describe('The table that has the copy after the snapshot succeeds.'),
    tableId: z.string(),
    tableVersion: z.int().nullable(),
    schemaChanges: z
      .array(
        z.object({
          column: z.string(),
          change: z.enum(['added', 'removed', 'retyped']),
          from: z.string().nullable(),
          to: z.string().nullable(),
        }),
      )
      .describe('How the columns of the source have changed since the previous snapshot.'),
    warnings: z
      .array(
        z.object({
          code: z.enum(['more_pages', 'unreadable_values']),
          message: z.string(),
          column: z.string().optional(),
          count: z.int(),
        }),
      )
      .describe(
        "Things that you probably didn't intend: the source has more pages than the resource reads, or values became null.",
      ),
    cursor: z.string().nullable(),
    error: z
      .object({ code: z.string(), message: z.string(), stage: z.string().optional(), ...refusalFields })
      .nullable()
      .describe('Why the snapshot failed. While it runs: why the last attempt failed.'),
    waitsUntil: nullableTimestamp.describe('When a waiting snapshot will continue.'),
    waitsFor: z
      .enum(['limits', 'source', 'retry', 'turn'])
      .nullable()
      .describe(
        'What the snapshot waits for: the limits of `http_replication`, a pause that the source asked for (`Retry-After`), another attempt after a failure, or its turn because the organization has reached its limit of snapshots at the same time.',
      ),
    createdAt: timestamp,
    startedAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
  })
  .meta({ id: 'SnapshotRun' });

export const snapshotExample: z.input<typeof snapshotSchema> = {
  id: 'snp_01kahz3v6dfyvb1s8m3h9q2w4x',
  connectionId: 'con_01kahz3v6dfyvb1s8m3h9q2w4x',
  datasetId: 'dst_01kahz3v6dfyvb1s8m3h9q2w4x',
  status: 'succeeded',
  rowsCopied: 120_000,
  rowsDeleted: 0,
  bytesCopied: 9_600_000,
  requestsMade: 0,
  progress: 1,
  snapshotTableName: 'shop_orders',
  tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  tableVersion: 42,
  schemaChanges: [{ column: 'note', change: 'added', from: null, to: 'STRING' }],
  warnings: [],
  cursor: null,
  error: null,
  waitsUntil: null,
  waitsFor: null,
  createdAt: '2026-11-21T08:30:00.000Z',
  startedAt: '2026-11-21T08:30:01.000Z',
  finishedAt: '2026-11-21T08:31:00.000Z',
};

export function snapshotView(run: SnapshotRun): z.input<typeof snapshotSchema> {
  const isWaiting = run.status === 'running' && run.waits_until !== null && run.waits_until > new Date();
  return {
    id: run.id,
    connectionId: run.connection_id,
    datasetId: run.dataset_id,
    status: run.status,
    rowsCopied: run.rows_copied,
    rowsDeleted: run.rows_deleted,
    bytesCopied: run.bytes_copied,
    requestsMade: run.requests_made,
    progress: run.progress,
    snapshotTableName: run.table_name,
    tableId: run.table_id,
    tableVersion: run.table_version,
    schemaChanges: run.schema_changes,
    warnings: run.warnings,
    cursor: run.cursor,
    error: run.error,
    waitsUntil: isWaiting ? run.waits_until!.toISOString() : null,
    waitsFor: isWaiting ? (run.waits_for as SnapshotWait['waitsFor'] | null) : null,
    createdAt: run.created_at.toISOString(),
    startedAt: run.started_at?.toISOString() ?? null,
    finishedAt: run.finished_at?.toISOString() ?? null,
  };
}
