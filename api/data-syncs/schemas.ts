import { z } from 'zod';
import { ValidationError } from '../../data/errors.ts';
import type { DataSync } from '../../domain/ingestion/data-syncs.ts';
import { maxPageNumber } from '../../domain/ingestion/staged-pages.ts';
import type { Tasks } from '../../domain/records/reading/tasks.ts';
import { records } from '../ingestion-batches/schemas.ts';
import { validate } from '../plugins/validation.ts';
import { nullableTimestamp, ownName, timestamp } from '../schemas.ts';

const generation = ownName.describe(
  'The installed recipe generation; rotating it fences everything opened under the one before.',
);

export const createSyncBody = z
  .strictObject({
    table_id: z.string().min(1),
    provider: ownName,
    generation,
    key_columns: z
      .array(z.string().min(1))
      .max(50)
      .default([])
      .describe("The key of this sync's upserts; without it the table's."),
  })
  .meta({ examples: [{ table_id: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x', provider: 'shop', generation: 'v1' }] });

export const generationBody = z.strictObject({ generation }).meta({ examples: [{ generation: 'v2' }] });

export const snapshotPageBody = z
  .strictObject({
    page_number: z.int().min(1).max(maxPageNumber),
    records: records.describe('At most 5,000; an empty terminal page is valid.'),
    sync_generation: generation,
  })
  .meta({
    examples: [{ page_number: 1, records: [{ s_id: 1, sku: 'A-100' }], sync_generation: 'v1' }],
  });

/** What stands beside a page's records, which are read where they are looked at; throws every fault of the body. */
export function snapshotPageOf({ members, faults }: Tasks['members']['output']) {
  const hasNone = faults.some(({ loc, type }) => loc.length === 2 && type === 'missing');
  const page = validate(snapshotPageBody, { ...members, ...(hasNone ? {} : { records: [] }) });
  if (faults.length > 0) throw new ValidationError(faults);
  return page;
}

/** Exactly these three, by the public interface. */
export const snapshotPageSchema = z
  .object({ pageNumber: z.int(), sizeBytes: z.string(), replayed: z.boolean() })
  .meta({ id: 'SnapshotPage' });

export const syncSchema = z
  .object({
    id: z.string(),
    tableId: z.string(),
    provider: z.string(),
    generation: z.string(),
    keyColumns: z.array(z.string()),
    createdAt: timestamp,
  })
  .meta({ id: 'DataSync' });

export function syncView(sync: DataSync): z.infer<typeof syncSchema> {
  return {
    id: sync.id,
    tableId: sync.table_id,
    provider: sync.provider,
    generation: sync.generation,
    keyColumns: sync.key_columns,
    createdAt: sync.created_at.toISOString(),
  };
}

export const checkpointSchema = z
  .object({
    checkpoint: z.unknown().describe('What the client gave when it completed the batch.'),
    generation: z.string().nullable(),
    batchId: z.string().nullable(),
    appliedAt: nullableTimestamp,
  })
  .meta({ id: 'Checkpoint', description: 'Of the last applied batch; nulls before the first.' });

export const stagedMetadataSchema = z
  .object({
    pageId: z.string(),
    batchId: z.string(),
    pageNumber: z.int(),
    sizeBytes: z.string(),
    sha256: z.string(),
    records: z.int(),
    quarantined: z.int(),
    stagedAt: timestamp,
  })
  .meta({ id: 'StagedPageMetadata' });

export const syncParams = z.object({ sync_id: z.string() });
export const snapshotParams = syncParams.extend({ snapshot_id: z.string() });
export const syncPageParams = syncParams.extend({ page_id: z.string() });
