import { z } from 'zod';
import type { PreviewText } from '../../../domain/intake/file-imports/reader.ts';
import { envelope } from '../../schemas.ts';
import { parsing } from '../table-imports/options.ts';
import { warningsSchema } from '../warnings.ts';

export const previewBody = z
  .strictObject({
    ...parsing,
    page_number: z.int().min(1).max(1_000_000).default(1),
    page_size: z.int().min(1).max(1_000).default(50),
  })
  .prefault({})
  .meta({ examples: [{ csv: { column_separator: ';' }, page_number: 1, page_size: 20 }] });

const previewSchema = z
  .object({
    columns: z.array(
      z.object({
        sourceName: z.string(),
        targetName: z.string(),
        dataType: z.string(),
        nullable: z.boolean(),
      }),
    ),
    columnMappings: z
      .array(
        z.object({
          source_column_name: z.string(),
          target_column_name: z.string(),
          data_type: z.string(),
          unique: z.boolean(),
          nullable: z.boolean(),
          required: z.boolean(),
          date_format: z.string().optional().describe("The format of dates that aren't ISO 8601."),
        }),
      )
      .describe(
        "The columns in the form of an import's `column_mappings`. You can change them and send them.",
      ),
    rows: z.array(z.array(z.unknown())),
    pageNumber: z.int(),
    pageSize: z.int(),
    totalRows: z
      .int()
      .nullable()
      .describe(
        "The number of rows in the whole file, including bad ones. Null if the file wasn't read to its end: CSV files larger than 32 MiB, other files larger than 8 MiB.",
      ),
    badRows: z.array(
      z.object({ line: z.int(), column: z.string().nullable(), raw: z.string(), reason: z.string() }),
    ),
    badRowsTotal: z
      .int()
      .nullable()
      .describe(
        'The number of bad rows in the whole file. Null if not all of it was checked: CSV files larger than 16 MiB, other files larger than 8 MiB.',
      ),
    detectedCsv: z
      .object({
        charEncoding: z.string(),
        columnSeparator: z.string(),
        quoteCharacter: z.string(),
        escapeCharacter: z.string(),
        headerRow: z.int(),
        firstDataRow: z.int(),
        dateFormat: z.string(),
        thousands: z.string(),
        nullValues: z.array(z.string()),
        shortRows: z.enum(['bad', 'pad']),
        skippedLines: z
          .array(z.object({ line: z.int(), reason: z.string() }))
          .describe('Lines before the data, or names of the header, that the detection skipped, and why.'),
      })
      .nullable()
      .describe('The CSV options in effect.'),
    warnings: warningsSchema,
    sheets: z.array(z.string()).nullable().describe('The names of the sheets of a workbook, in order.'),
  })
  .meta({ id: 'Preview' });

const example: z.input<typeof previewSchema> = {
  columns: [{ sourceName: 'Order', targetName: 'Order', dataType: 'INTEGER', nullable: true }],
  columnMappings: [
    {
      source_column_name: 'Order',
      target_column_name: 'Order',
      data_type: 'INTEGER',
      unique: false,
      nullable: true,
      required: true,
    },
  ],
  rows: [[1], [2]],
  pageNumber: 1,
  pageSize: 50,
  totalRows: 2,
  badRows: [],
  badRowsTotal: 0,
  detectedCsv: {
    charEncoding: 'UTF_8',
    columnSeparator: ',',
    quoteCharacter: '"',
    escapeCharacter: '',
    headerRow: 1,
    firstDataRow: 2,
    dateFormat: '',
    thousands: '',
    nullValues: [''],
    shortRows: 'bad',
    skippedLines: [],
  },
  warnings: [],
  sheets: null,
};

export const onePreview = envelope(previewSchema).meta({ examples: [{ data: example }] });

/** The answer as JSON text, because the rows already are. */
export function previewText({ rowsJson, columns: found, ...rest }: PreviewText): string {
  const columns = found.map(({ dateFormat: _, ...column }) => column);
  const columnMappings = found.map(({ sourceName, targetName, dataType, nullable, dateFormat }) => ({
    source_column_name: sourceName,
    target_column_name: targetName,
    data_type: dataType,
    unique: false,
    nullable,
    required: true,
    ...(dateFormat === undefined ? {} : { date_format: dateFormat }),
  }));
  const text = JSON.stringify({ columns, ...rest, columnMappings });
  return `{"data":${text.slice(0, -1)},"rows":${rowsJson}}}`;
}
