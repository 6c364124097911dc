import { z } from 'zod';
import type { ObjectStore } from '../../../data/objects/store.ts';
import { contentTypes, type ShownExport } from '../../../domain/tables/exports/exports.ts';
import { characters, idText, nullableTimestamp, timestamp } from '../../schemas.ts';
import { sentPath } from '../../workspace/files/schemas.ts';
import { pinnedVersions } from '../query-executions/schemas.ts';

const format = z.enum(['csv', 'csv.gz', 'parquet', 'ndjson', 'arrow', 'xlsx']);

const file = z.object({
  url: z
    .string()
    .nullable()
    .describe(
      'A link to download the file. Anyone who has it can use it for ten minutes. Each time you show the export you get a new one. Null in lists.',
    ),
  name: z.string(),
  sizeBytes: z.int(),
  sha256: z.string().describe('The SHA-256 of the file, in lowercase hex.'),
});

export const exportSchema = z
  .object({
    id: z.string(),
    status: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']),
    sql: z.string().nullable(),
    tableId: z.string().nullable(),
    format,
    projectId: z.string().nullable(),
    rowsWritten: z.int(),
    bytesWritten: z.int(),
    files: z.array(file).describe('All files, after the export has succeeded.'),
    fileId: z.string().nullable().describe('The project file that the export became.'),
    versions: z
      .array(z.object({ tableId: z.string(), version: z.int() }))
      .describe('The versions of the tables that were read, all at one moment.'),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    createdAt: timestamp,
    startedAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
    expiresAt: nullableTimestamp.describe('When the export is deleted, one day after it ends.'),
  })
  .meta({ id: 'Export' });

export const exportExample: z.input<typeof exportSchema> = {
  id: 'exp_01kahz3v6dfyvb1s8m3h9q2w4x',
  status: 'succeeded',
  sql: null,
  tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  format: 'parquet',
  projectId: null,
  rowsWritten: 336_776,
  bytesWritten: 5_842_112,
  files: [
    {
      url: 'https://objects.example/workspace/lake/…/part_0.parquet?X-Amz-Signature=…',
      name: 'flights.parquet',
      sizeBytes: 5_842_112,
      sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    },
  ],
  fileId: null,
  versions: [{ tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x', version: 12 }],
  error: null,
  createdAt: '2026-11-21T08:30:00.000Z',
  startedAt: '2026-11-21T08:30:00.100Z',
  finishedAt: '2026-11-21T08:30:01.600Z',
  expiresAt: '2026-11-22T08:30:01.600Z',
};

/** Smaller ones would make thousands of files before the limit of their number is seen. */
const minFileBytes = 65_536;

export const exportBody = z
  .strictObject({
    sql: characters(1, 500_000).optional().describe('One SELECT, as in a query, without a limit of rows.'),
    table_id: idText.optional().describe('A table or view to export with all its rows.'),
    at_versions: pinnedVersions.optional(),
    format,
    name: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[^\p{Cc}/\\]+$/u)
      .optional()
      .describe(
        'The name of the files, without the file extension. The default is the name of the table, or `export`.',
      ),
    max_file_bytes: z
      .int()
      .min(minFileBytes)
      .optional()
      .describe(
        'When a file reaches this size, the export starts another one, up to 1,000 files. Not for xlsx.',
      ),
    byte_order_mark: z
      .boolean()
      .default(false)
      .describe('Whether a CSV file begins with a byte order mark. Excel needs one to open it as UTF-8.'),
    project_id: idText.optional().describe('The project whose runs show the export.'),
    path: sentPath
      .optional()
      .describe('A path in the project. The export also becomes this file, or its next version.'),
  })
  .superRefine((body, context) => {
    const refuse = (field: string, message: string, type: string) =>
      context.addIssue({ code: 'custom', path: [field], message, params: { type } });
    if (body.sql === undefined && body.table_id === undefined)
      refuse('sql', 'Send either sql or table_id.', 'missing');
    if (body.sql !== undefined && body.table_id !== undefined)
      refuse('table_id', 'Send either sql or table_id.', 'extra_forbidden');
    if (body.path !== undefined && body.project_id === undefined)
      refuse('project_id', 'A path requires a project_id.', 'missing');
    if (body.byte_order_mark && body.format !== 'csv' && body.format !== 'csv.gz')
      refuse('byte_order_mark', 'Only CSV can have a byte order mark.', 'extra_forbidden');
    if (body.max_file_bytes === undefined) return;
    if (body.path !== undefined)
      refuse('max_file_bytes', 'A project file must be a single file.', 'extra_forbidden');
    if (body.format === 'xlsx')
      refuse('max_file_bytes', 'A workbook must be a single file.', 'extra_forbidden');
  })
  .meta({
    oneOf: [
      { title: 'statement', required: ['sql'], properties: { table_id: false } },
      { title: 'table', required: ['table_id'], properties: { sql: false } },
    ],
    examples: [
      { table_id: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x', format: 'parquet' },
      { sql: "SELECT * FROM orders WHERE day >= DATE '2026-01-01'", format: 'csv', name: 'orders-2026' },
    ],
  });

/** A look at the export gives another address. */
const urlSeconds = 600;

export async function exportView(
  objects: ObjectStore,
  { row, run }: ShownExport,
  { withUrls }: { withUrls: boolean },
): Promise<z.input<typeof exportSchema>> {
  const contentType = contentTypes[row.format];
  const files = await Promise.all(
    row.files.map(async ({ key, name, sizeBytes, sha256 }) => ({
      url: withUrls
        ? await objects.presignDownload(row.folder + key, { fileName: name, contentType }, urlSeconds)
        : null,
      ...{ name, sizeBytes, sha256 },
    })),
  );
  return {
    id: row.id,
    status: run.status as z.input<typeof exportSchema>['status'],
    ...{ sql: row.sql, tableId: row.table_id, format: row.format as 'csv', projectId: run.project_id },
    rowsWritten: row.rows_written,
    bytesWritten: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    ...{ files, fileId: row.file_id },
    versions: (row.versions as { tableId: string; version: number }[] | null) ?? [],
    error: run.status === 'failed' ? (row.error as { code: string; message: string } | null) : null,
    createdAt: row.created_at.toISOString(),
    startedAt: run.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    expiresAt: row.expires_at?.toISOString() ?? null,
  };
}
