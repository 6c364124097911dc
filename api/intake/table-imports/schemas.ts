import { z } from 'zod';
import type { TableImport } from '../../../domain/intake/file-imports/table-imports.ts';
import { idText, nullableTimestamp, pageQuery, timestamp } from '../../schemas.ts';
import { tableName } from '../../tables/grid-tables/schemas.ts';
import { refusalFields } from '../../tables/verification/refusal.ts';
import { warningsSchema } from '../warnings.ts';
import { parsing } from './options.ts';

export const importFormats = ['csv', 'parquet', 'json', 'ndjson', 'xlsx'] as const;

const importFields = {
  table_name: tableName.optional(),
  table_id: idText.optional(),
  mode: z.enum(['create', 'replace', 'append']).default('create'),
  format: z
    .enum(importFormats)
    .optional()
    .describe('The format of the file. By default the file name decides.'),
  on_bad_row: z.enum(['fail', 'quarantine']).default('fail'),
  ...parsing,
};

function oneTarget(
  body: { table_name?: string | undefined; table_id?: string | undefined; mode: string },
  context: z.RefinementCtx,
) {
  const missing = (field: string, message: string, type: string) =>
    context.addIssue({ code: 'custom', path: [field], message, params: { type } });
  if (body.table_name === undefined && body.table_id === undefined)
    missing('table_name', 'Field required: table_name, or table_id to replace or append to.', 'missing');
  if (body.table_name !== undefined && body.table_id !== undefined)
    missing('table_id', 'Send either table_name or table_id, not both.', 'value_error');
  if (body.table_id !== undefined && body.mode === 'create')
    missing(
      'table_id',
      'mode=create requires a table_name. A table_id requires mode=replace or append.',
      'value_error',
    );
}

/** The same as `oneTarget`, in JSON Schema. */
const documentedTarget = {
  oneOf: [
    { title: 'by name', required: ['table_name'], properties: { table_id: false } },
    {
      title: 'by id',
      required: ['table_id', 'mode'],
      properties: { table_name: false, mode: { enum: ['replace', 'append'] } },
    },
  ],
};

const importExample = { table_name: 'orders', mode: 'create', on_bad_row: 'quarantine' };
export const importFileBody = z
  .strictObject(importFields)
  .superRefine(oneTarget)
  .meta({ ...documentedTarget, examples: [importExample] });
export const tableImportBody = z
  .strictObject({ project_id: idText, file_id: idText, ...importFields })
  .superRefine(oneTarget)
  .meta({
    ...documentedTarget,
    examples: [
      {
        project_id: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
        file_id: 'fil_01kahz3v6dfyvb1s8m3h9q2w4x',
        ...importExample,
      },
    ],
  });

export const importErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  line: z.int().nullable(),
  column: z.string().nullable(),
  raw: z.string().nullable(),
  reason: z.string().nullable(),
  ...refusalFields,
});

const importStatus = z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']);

export const tableImportSchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    fileId: z.string(),
    tableId: z.string(),
    status: importStatus,
    rowsImported: z.int(),
    rowsQuarantined: z.int(),
    quarantineTableId: z.string().nullable(),
    bytesRead: z.int(),
    progress: z.number().min(0).max(1),
    tableVersion: z.int().nullable(),
    skippedLines: z
      .array(z.object({ line: z.int(), reason: z.string() }))
      .describe('Lines before the data, or names of the header, that the detection skipped, and why.'),
    warnings: warningsSchema,
    error: importErrorSchema.nullable(),
    createdAt: timestamp,
    startedAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
  })
  .meta({ id: 'TableImport' });

export const listImportsQuery = pageQuery.extend({
  project_id: z.string().optional(),
  table_id: z.string().optional(),
  status: importStatus.optional(),
});

export const tableImportExample: z.input<typeof tableImportSchema> = {
  id: 'imp_01kahz3v6dfyvb1s8m3h9q2w4x',
  projectId: 'prj_01kahz3v6dfyvb1s8m3h9q2w4x',
  fileId: 'fil_01kahz3v6dfyvb1s8m3h9q2w4x',
  tableId: 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x',
  status: 'succeeded',
  rowsImported: 1_204,
  rowsQuarantined: 0,
  quarantineTableId: null,
  bytesRead: 18_204,
  progress: 1,
  tableVersion: 12,
  skippedLines: [],
  warnings: [],
  error: null,
  createdAt: '2026-11-21T08:30:00.000Z',
  startedAt: '2026-11-21T08:30:00.100Z',
  finishedAt: '2026-11-21T08:30:01.900Z',
};

export function tableImportView(row: TableImport): z.infer<typeof tableImportSchema> {
  return {
    id: row.id,
    projectId: row.project_id,
    fileId: row.file_id,
    tableId: row.table_id,
    status: row.status,
    rowsImported: row.rows_imported,
    rowsQuarantined: row.rows_quarantined,
    // Until then it is only reserved.
    quarantineTableId: row.status === 'succeeded' ? row.quarantine_table_id : null,
    bytesRead: row.bytes_read,
    progress: row.progress,
    tableVersion: row.table_version,
    skippedLines: row.skipped_lines,
    warnings: row.warnings,
    error: row.error as z.infer<typeof importErrorSchema> | null,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}
