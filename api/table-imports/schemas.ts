import { z } from 'zod';
import type { ImportOptions } from '../../domain/file-imports/contract.ts';
import type { PreviewText } from '../../domain/file-imports/reader.ts';
import type { TableImport } from '../../domain/file-imports/table-imports.ts';
import { plainTypes } from '../../domain/file-imports/values/types.ts';
import { documentedType, tableName } from '../grid-tables/schemas.ts';
import { characters, idText, nullableTimestamp, timestamp, visibleName } from '../schemas.ts';

/** More than white space, and no control characters. */
const columnPattern =
  '^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\ufeff\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$';

const columnMapping = z.strictObject({
  source_column_name: characters(1, 1_024),
  target_column_name: visibleName(255).meta({ maxLength: 255, pattern: columnPattern }),
  data_type: characters(1, 64)
    .default('STRING')
    .meta({
      examples: ['STRING', 'INTEGER', 'DECIMAL(12,2)', 'DATE'],
      ...documentedType([...plainTypes, 'DECIMAL']),
    }),
  unique: z.boolean().default(false).describe('A repeated value is a bad row.'),
  nullable: z.boolean().default(true),
  required: z.boolean().default(true).describe('The source column must exist.'),
});

const maxHeaderRow = 10_000;

const csvOptions = z.strictObject({
  char_encoding: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({ examples: ['UTF_8'], pattern: '^[A-Za-z0-9_.:-]+$', description: 'An IANA name, `_` for `-`.' }),
  column_separator: z
    .string()
    .optional()
    .meta({ examples: [','], pattern: '^[^\\r\\n\\x000-9]$' }),
  quote_character: z
    .string()
    .optional()
    .meta({ examples: ['"'], pattern: '^[!-/:-@\\[-`{-~]$' }),
  header_row: z.int().min(0).max(maxHeaderRow).optional().describe('1-based; 0 = none.'),
  first_data_row: z.int().min(1).max(maxHeaderRow).optional().describe('1-based.'),
  date_format: characters(0, 64)
    .optional()
    .describe('A Unicode pattern (dd/MM/yyyy), or strptime when it contains %.'),
  thousands: characters(0, 1)
    .optional()
    .describe('Groups digits: no letter, digit, sign or line end; empty for none.'),
  null_values: z.array(characters(0, 255)).max(100).optional(),
});

const parsing = {
  column_mappings: z
    .array(columnMapping)
    .min(1)
    .max(2_000)
    .optional()
    .describe('The whole projection; left out, every column with its detected type.'),
  csv: csvOptions.optional().describe('Fields left out are detected.'),
  include_load_date: z.boolean().default(false),
};

export const previewBody = z
  .strictObject({
    ...parsing,
    page_number: z.int().min(1).max(1_000_000).default(1),
    page_size: z.int().min(1).max(1_000).default(50),
  })
  .meta({ examples: [{ csv: { column_separator: ';' }, page_number: 1, page_size: 20 }] });

export const importFormats = ['csv', 'parquet', 'json', 'ndjson', 'xlsx'] as const;

const importFields = {
  table_name: tableName.optional(),
  table_id: idText.optional(),
  mode: z.enum(['create', 'replace']).default('create'),
  format: z.enum(importFormats).optional().describe('Left out, by the file name.'),
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
    missing('table_name', 'Field required: table_name, or table_id to replace.', 'missing');
  if (body.table_name !== undefined && body.table_id !== undefined)
    missing('table_id', 'Send table_name or table_id, not both.', 'value_error');
  if (body.table_id !== undefined && body.mode === 'create')
    missing(
      'table_id',
      'A table is created under a table_name; table_id goes with mode=replace.',
      'value_error',
    );
}

/** The same as `oneTarget` says, in a JSON Schema's words. */
const documentedTarget = {
  oneOf: [
    { title: 'by name', required: ['table_name'], properties: { table_id: false } },
    {
      title: 'by id',
      required: ['table_id', 'mode'],
      properties: { table_name: false, mode: { const: 'replace' } },
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
});

export const tableImportSchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    fileId: z.string(),
    tableId: z.string(),
    status: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']),
    rowsImported: z.int(),
    rowsQuarantined: z.int(),
    quarantineTableId: z.string().nullable(),
    bytesRead: z.int(),
    progress: z.number().min(0).max(1),
    tableVersion: z.int().nullable(),
    error: importErrorSchema.nullable(),
    createdAt: timestamp,
    startedAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
  })
  .meta({ id: 'TableImport' });

export const previewSchema = z
  .object({
    columns: z.array(
      z.object({
        sourceName: z.string(),
        targetName: z.string(),
        dataType: z.string(),
        nullable: z.boolean(),
      }),
    ),
    rows: z.array(z.array(z.unknown())),
    pageNumber: z.int(),
    pageSize: z.int(),
    totalRows: z.int().nullable(),
    badRows: z.array(
      z.object({ line: z.int(), column: z.string().nullable(), raw: z.string(), reason: z.string() }),
    ),
    detectedCsv: z
      .object({
        charEncoding: z.string(),
        columnSeparator: z.string(),
        quoteCharacter: z.string(),
        headerRow: z.int(),
        firstDataRow: z.int(),
        dateFormat: z.string(),
        thousands: z.string(),
        nullValues: z.array(z.string()),
      })
      .nullable()
      .describe('The CSV options in effect.'),
  })
  .meta({ id: 'Preview' });

/** The request's parsing fields as the importer takes them. */
export function importOptions(
  body: Pick<z.infer<typeof importFileBody>, keyof typeof parsing>,
): ImportOptions {
  const { csv } = body;
  return {
    includeLoadDate: body.include_load_date,
    ...(body.column_mappings === undefined
      ? {}
      : {
          columnMappings: body.column_mappings.map((mapping) => ({
            sourceColumnName: mapping.source_column_name,
            targetColumnName: mapping.target_column_name,
            dataType: mapping.data_type,
            unique: mapping.unique,
            nullable: mapping.nullable,
            required: mapping.required,
          })),
        }),
    ...(csv === undefined
      ? {}
      : {
          csv: {
            charEncoding: csv.char_encoding,
            columnSeparator: csv.column_separator,
            quoteCharacter: csv.quote_character,
            headerRow: csv.header_row,
            firstDataRow: csv.first_data_row,
            dateFormat: csv.date_format,
            thousands: csv.thousands,
            nullValues: csv.null_values,
          },
        }),
  };
}

export function tableImportView(row: TableImport): z.infer<typeof tableImportSchema> {
  return {
    id: row.id,
    projectId: row.project_id,
    fileId: row.file_id,
    tableId: row.table_id,
    status: row.status as 'queued',
    rowsImported: row.rows_imported,
    rowsQuarantined: row.rows_quarantined,
    // Until then it is a reservation.
    quarantineTableId: row.status === 'succeeded' ? row.quarantine_table_id : null,
    bytesRead: row.bytes_read,
    progress: row.progress,
    tableVersion: row.table_version,
    error: row.error as z.infer<typeof importErrorSchema> | null,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}

/** The answer as JSON text: its rows are that already. */
export function previewText({ rowsJson, detectedCsv: csv, ...rest }: PreviewText): string {
  const detectedCsv = csv && {
    charEncoding: csv.char_encoding,
    columnSeparator: csv.column_separator,
    quoteCharacter: csv.quote_character,
    headerRow: csv.header_row,
    firstDataRow: csv.first_data_row,
    dateFormat: csv.date_format,
    thousands: csv.thousands,
    nullValues: csv.null_values,
  };
  return `{"data":${JSON.stringify({ ...rest, detectedCsv }).slice(0, -1)},"rows":${rowsJson}}}`;
}
