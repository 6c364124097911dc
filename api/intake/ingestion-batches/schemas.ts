import { z } from 'zod';
import type { IngestionBatch } from '../../../domain/intake/ingestion/ingestion-batches.ts';
import type { StagedPage, StagedTotals } from '../../../domain/intake/ingestion/staged-pages.ts';
import { freeForm, keptMap } from '../../free-form.ts';
import { envelope, integerText, nullableTimestamp, ownName, pageQuery, timestamp } from '../../schemas.ts';
import { sentRow } from '../../tables/rows/schemas.ts';
import { refusalFields } from '../../tables/verification/refusal.ts';
import { manifestPages, pageNumber } from './manifest.ts';

const thirtyDaysSeconds = 30 * 86_400;

export const batchModes = ['append', 'upsert', 'replace', 'provider_snapshot'] as const;

export const createBatchBody = z
  .strictObject({
    mode: z
      .enum(batchModes)
      .describe(
        '`append` adds new rows. `upsert` writes by key columns, or by `s_id` if there are none; for equal keys, the last record of the last page wins. `replace` and `provider_snapshot` replace the whole content.',
      ),
    sync_id: z
      .string()
      .optional()
      .describe('The data sync whose generation protects the batch. Required for provider_snapshot.'),
    expires_in_seconds: z
      .int()
      .min(1)
      .max(thirtyDaysSeconds)
      .default(86_400)
      .describe('How long an open batch is kept before it is abandoned, in seconds.'),
    client_batch_id: ownName
      .optional()
      .describe('Your own name for the batch, unique in the table. Sending it again returns the same batch.'),
    on_bad_record: z
      .enum(['refuse', 'quarantine'])
      .default('refuse')
      .describe(
        "`refuse`: a record that doesn't fit refuses its page. `quarantine`: the record is kept aside with the reason.",
      ),
    on_new_field: z
      .enum(['refuse', 'add', 'ignore'])
      .default('refuse')
      .describe('What happens to a field that has no column: it is refused, added as a column, or ignored.'),
    guard: z
      .strictObject({ max_shrink_ratio: z.number().min(0).max(1) })
      .optional()
      .describe(
        'For replace and provider_snapshot: a batch that would lose more than this share of the rows waits for confirm_shrink.',
      ),
  })
  .superRefine(({ mode, sync_id: syncId }, context) => {
    if (mode !== 'provider_snapshot' || syncId !== undefined) return;
    context.addIssue({
      code: 'custom',
      path: ['sync_id'],
      message: 'Field required for mode=provider_snapshot',
      params: { type: 'missing' },
    });
  })
  .meta({
    oneOf: [
      { title: 'rows', properties: { mode: { enum: ['append', 'upsert'] }, guard: false } },
      { title: 'replace', properties: { mode: { const: 'replace' } } },
      {
        title: 'provider snapshot',
        required: ['sync_id'],
        properties: { mode: { const: 'provider_snapshot' } },
      },
    ],
    examples: [{ mode: 'append', client_batch_id: 'orders-2026-11-21' }],
  });

export const records = z.array(sentRow).max(5_000);

export const pageBody = z
  .strictObject({ records })
  .meta({ examples: [{ records: [{ s_id: 1, order_no: 'A-100', amount: 12.5 }] }] });

const maxCheckpointBytes = 1_000_000;

export const completeBody = z
  .strictObject({
    page_count: pageNumber.describe(
      'The number of pages. The manifest is exactly the pages 1 to page_count.',
    ),
    pages: manifestPages.optional().describe('The hash of every page, compared with the staged pages.'),
    checkpoint: freeForm(maxCheckpointBytes)
      .optional()
      .describe('The checkpoint that the data sync returns once the batch is applied.'),
    confirm_shrink: z.boolean().default(false).describe('Confirms a batch that awaits confirmation.'),
  })
  .meta({ examples: [{ page_count: 2 }, { page_count: 2, checkpoint: { cursor: '2026-11-21' } }] });

const failure = z.looseObject({
  code: z.string(),
  message: z.string(),
  rowIds: z
    .array(z.union([z.int(), z.string()]))
    .optional()
    .describe('The first conflicting s_ids. Values beyond 2^53 are strings.'),
  keys: z
    .array(z.looseObject({ key: keptMap }))
    .optional()
    .describe('The first conflicting keys, each with the s_id of a row that has it.'),
  ...refusalFields,
});

const batchStatus = z.enum([
  'open',
  'completing',
  'awaiting_confirmation',
  'applying',
  'applied',
  'failed',
  'aborted',
  'expired',
]);

export const listBatchesQuery = pageQuery.extend({ status: batchStatus.optional() });

export const batchSchema = z
  .object({
    id: z.string(),
    tableId: z.string(),
    mode: z.enum(batchModes),
    status: batchStatus,
    syncId: z.string().nullable(),
    clientBatchId: z.string().nullable(),
    pagesStaged: z.int(),
    recordsStaged: z.int(),
    recordsQuarantined: z.int(),
    quarantineTableId: z.string().nullable(),
    bytesStaged: z.int(),
    rowsInserted: z.int().nullable(),
    rowsUpdated: z.int().nullable(),
    tableVersion: z.int().nullable(),
    error: failure.nullable(),
    createdAt: timestamp,
    expiresAt: timestamp,
    appliedAt: nullableTimestamp,
  })
  .meta({ id: 'IngestionBatch', description: 'A batch, which tells whether its data arrived.' });

export const batchExample: z.input<typeof batchSchema> = {
  id: 'bat_01kahz3v6dfyvb1s8m3h9q2w4x',
  tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  mode: 'append',
  status: 'applied',
  syncId: null,
  clientBatchId: 'orders-2026-11-21',
  pagesStaged: 2,
  recordsStaged: 7_500,
  recordsQuarantined: 0,
  quarantineTableId: null,
  bytesStaged: 1_048_210,
  rowsInserted: 7_500,
  rowsUpdated: 0,
  tableVersion: 12,
  error: null,
  createdAt: '2026-11-21T08:30:00.000Z',
  expiresAt: '2026-11-22T08:30:00.000Z',
  appliedAt: '2026-11-21T08:30:04.000Z',
};

export const oneBatch = envelope(batchSchema).meta({ examples: [{ data: batchExample }] });

/** Why a page may be refused, by any route that accepts pages. */
export const stagingErrors = [
  'page_content_mismatch',
  'batch_not_open',
  'generation_fenced',
  'duplicate_row_id',
  'not_appendable',
  'unsupported_option',
  'body_too_large',
] as const;

/**
 * The batch in an answer; the totals of a pending one are counted from its pages, those of an ended one are
 * in its row.
 */
export function batchView(
  batch: IngestionBatch,
  totals: StagedTotals | undefined,
): z.infer<typeof batchSchema> {
  return {
    id: batch.id,
    tableId: batch.table_id,
    mode: batch.mode,
    status: batch.status,
    syncId: batch.sync_id,
    clientBatchId: batch.client_batch_id,
    pagesStaged: totals?.pages ?? batch.pages_staged ?? 0,
    recordsStaged: totals?.records ?? batch.records_staged ?? 0,
    recordsQuarantined: totals?.quarantined ?? batch.records_quarantined ?? 0,
    quarantineTableId: batch.quarantine_table_id,
    bytesStaged: totals?.bytes ?? batch.bytes_staged ?? 0,
    rowsInserted: batch.rows_inserted,
    rowsUpdated: batch.rows_updated,
    tableVersion: batch.table_version,
    error: batch.error === null ? null : { ...batch.error },
    createdAt: batch.created_at.toISOString(),
    expiresAt: batch.expires_at.toISOString(),
    appliedAt: batch.applied_at?.toISOString() ?? null,
  };
}

export const stagedPageSchema = z
  .object({
    pageId: z.string(),
    pageNumber: z.int(),
    sizeBytes: z
      .string()
      .describe(
        'The size of the canonical records, or of the bytes of a Parquet or Arrow page. A string of decimal digits.',
      ),
    sha256: z
      .string()
      .describe(
        'The SHA-256 of the canonical records, or of the bytes of a Parquet or Arrow page, in lowercase hex.',
      ),
    replayed: z.boolean().describe('Whether the same page was staged before.'),
  })
  .meta({ id: 'StagedPage' });

export const stagedPage = envelope(stagedPageSchema).meta({
  examples: [
    {
      data: {
        pageId: 'bat_01kahz3v6dfyvb1s8m3h9q2w4x.1',
        pageNumber: 1,
        sizeBytes: '524105',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        replayed: false,
      },
    },
  ],
});

export function stagedPageView(page: StagedPage, replayed: boolean): z.infer<typeof stagedPageSchema> {
  return {
    pageId: pageIdOf(page),
    pageNumber: page.page_number,
    sizeBytes: String(page.size_bytes),
    sha256: page.sha256,
    replayed,
  };
}

export function pageIdOf(page: StagedPage): string {
  return `${page.batch_id}.${page.page_number}`;
}

export const pageParams = z.object({
  table_id: z.string(),
  batch_id: z.string(),
  page_number: integerText(pageNumber),
});
