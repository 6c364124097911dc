import { z } from 'zod';
import { ValidationError } from '../../../data/errors.ts';
import type { DataSync } from '../../../domain/intake/ingestion/data-syncs.ts';
import { maxPageNumber, type StagedPage } from '../../../domain/intake/ingestion/staged-pages.ts';
import type { Tasks } from '../../../domain/tables/row-input/reading/tasks.ts';
import { validate } from '../../plugins/validation.ts';
import { envelope, nullableTimestamp, ownName, timestamp } from '../../schemas.ts';
import { pageIdOf, records } from '../ingestion-batches/schemas.ts';

const generation = ownName.describe(
  'The current generation. Rotating it refuses everything that was opened with the one before.',
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
      .describe("The key columns of this sync's upserts. The default is the key of the table."),
  })
  .meta({ examples: [{ table_id: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x', provider: 'shop', generation: 'v1' }] });

export const generationBody = z.strictObject({ generation }).meta({ examples: [{ generation: 'v2' }] });

export const snapshotPageBody = z
  .strictObject({
    page_number: z.int().min(1).max(maxPageNumber),
    records: records.describe('Up to 5,000 records. An empty last page is valid.'),
    sync_generation: generation,
  })
  .meta({
    examples: [{ page_number: 1, records: [{ s_id: 1, sku: 'A-100' }], sync_generation: 'v1' }],
  });

/**
 * The members of a page other than its records, which are parsed later.
 *
 * @throws ValidationError with every fault of the body
 */
export function snapshotPageOf({ members, faults }: Tasks['members']['output']) {
  const hasNone = faults.some(({ loc, type }) => loc.length === 2 && type === 'missing');
  const page = validate(snapshotPageBody, { ...members, ...(hasNone ? {} : { records: [] }) });
  if (faults.length > 0) throw new ValidationError(faults);
  return page;
}

/** Exactly these three members, as in the public interface. */
export const snapshotPage = envelope(
  z
    .object({ pageNumber: z.int(), sizeBytes: z.string(), replayed: z.boolean() })
    .meta({ id: 'SnapshotPage' }),
).meta({ examples: [{ data: { pageNumber: 1, sizeBytes: '524105', replayed: false } }] });

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

export const syncExample: z.input<typeof syncSchema> = {
  id: 'dsn_01kahz3v6dfyvb1s8m3h9q2w4x',
  tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  provider: 'shop',
  generation: 'v1',
  keyColumns: [],
  createdAt: '2026-11-21T08:30:00.000Z',
};

export const oneSync = envelope(syncSchema).meta({ examples: [{ data: syncExample }] });

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

const checkpointSchema = z
  .object({
    checkpoint: z.unknown().describe('The checkpoint that the client sent when it completed the batch.'),
    generation: z.string().nullable(),
    batchId: z.string().nullable(),
    appliedAt: nullableTimestamp,
  })
  .meta({
    id: 'Checkpoint',
    description: 'The last applied batch. Its fields are null before the first one.',
  });

const stagedMetadataSchema = z
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

export const checkpoint = envelope(checkpointSchema).meta({
  examples: [
    {
      data: {
        checkpoint: { cursor: '2026-11-21' },
        generation: 'v1',
        batchId: 'bat_01kahz3v6dfyvb1s8m3h9q2w4x',
        appliedAt: '2026-11-21T08:30:04.000Z',
      },
    },
  ],
});

export function checkpointView(sync: DataSync): z.infer<typeof checkpointSchema> {
  return {
    checkpoint: sync.checkpoint ?? null,
    generation: sync.checkpoint_generation,
    batchId: sync.checkpoint_batch_id,
    appliedAt: sync.applied_at?.toISOString() ?? null,
  };
}

export const stagedMetadata = envelope(stagedMetadataSchema).meta({
  examples: [
    {
      data: {
        pageId: 'bat_01kahz3v6dfyvb1s8m3h9q2w4x.1',
        batchId: 'bat_01kahz3v6dfyvb1s8m3h9q2w4x',
        pageNumber: 1,
        sizeBytes: '524105',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        records: 5_000,
        quarantined: 0,
        stagedAt: '2026-11-21T08:30:01.000Z',
      },
    },
  ],
});

export function stagedMetadataView(staged: StagedPage): z.infer<typeof stagedMetadataSchema> {
  return {
    pageId: pageIdOf(staged),
    batchId: staged.batch_id,
    pageNumber: staged.page_number,
    sizeBytes: String(staged.size_bytes),
    sha256: staged.sha256,
    records: staged.records,
    quarantined: staged.quarantined,
    stagedAt: staged.staged_at.toISOString(),
  };
}
