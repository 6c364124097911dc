import { z } from 'zod';
import type { ReadOptions } from '../../../packages/file-reader/index.ts';
import { camelKeys } from '../../camel-keys.ts';
import { characters, visibleName } from '../../schemas.ts';
import { dataTypes, documentedType } from '../../tables/grid-tables/schemas.ts';

/** More than white space, without control characters. */
const columnPattern =
  '^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\ufeff\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$';

const columnMapping = z.strictObject({
  source_column_name: characters(1, 1_024),
  target_column_name: visibleName(255).meta({ maxLength: 255, pattern: columnPattern }),
  data_type: characters(1, 10_000)
    .default('STRING')
    .meta({
      examples: ['STRING', 'INTEGER', 'DECIMAL(12,2)', 'DATE'],
      ...documentedType(dataTypes),
    }),
  unique: z
    .boolean()
    .default(false)
    .describe('Whether the values must be unique. A repeated value is a bad row.'),
  nullable: z.boolean().default(true),
  required: z.boolean().default(true).describe('Whether the source column must exist.'),
  date_format: characters(0, 64)
    .optional()
    .describe(
      "The format of the column's dates, as a preview detected it. The default is `csv.date_format`.",
    ),
});

const maxHeaderRow = 10_000;

export const csvOptions = z.strictObject({
  char_encoding: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .meta({
      examples: ['UTF_8'],
      pattern: '^[A-Za-z0-9_.:-]+$',
      description:
        "An IANA name, with `_` for `-`. By default it is detected. If the bytes of a file don't show its encoding, the file is refused.",
    }),
  column_separator: z
    .string()
    .optional()
    .meta({ examples: [','], pattern: '^[^\\r\\n\\x000-9]$' }),
  quote_character: z
    .string()
    .optional()
    .meta({ examples: ['"'], pattern: '^[!-/:-@\\[-`{-~]$' }),
  escape_character: characters(0, 1)
    .optional()
    .meta({
      examples: ['\\'],
      description:
        'The character before a quote within a quoted value, as in `"a \\"b\\""`. By default, such quotes are doubled: `"a ""b"""`.',
    }),
  header_row: z.int().min(0).max(maxHeaderRow).optional().describe('1-based; 0 = none.'),
  first_data_row: z.int().min(1).max(maxHeaderRow).optional().describe('1-based.'),
  date_format: characters(0, 64)
    .optional()
    .describe('A Unicode pattern (dd/MM/yyyy), or an strptime format if it contains %.'),
  thousands: characters(0, 1)
    .optional()
    .describe(
      "The character that groups digits. It can't be a letter, a digit, a sign or a line end. Empty for none.",
    ),
  null_values: z
    .array(characters(0, 255))
    .max(100)
    .optional()
    .describe(
      'Values to read as null. The default is the empty field. In a text column, an empty value in quotes is an empty text, unless the file quotes every text.',
    ),
  short_rows: z
    .enum(['bad', 'pad'])
    .optional()
    .describe(
      'What to do with rows that lack trailing fields. `bad` (the default) reports them as bad rows. `pad` fills them with nulls.',
    ),
});

const xlsxOptions = z.strictObject({
  sheet: characters(1, 255)
    .optional()
    .describe('The name of the sheet, ignoring case. The default is the first sheet.'),
  header_row: z
    .int()
    .min(0)
    .max(maxHeaderRow)
    .optional()
    .describe(
      "The row with the column names, counted from 1. 0 means none. The default is the first row that isn't empty. Titles above the column names are skipped.",
    ),
  first_data_row: z.int().min(1).max(maxHeaderRow).optional().describe('1-based.'),
  last_data_row: z
    .int()
    .min(1)
    .optional()
    .describe('The last row to read, counted from 1. The rows below it, such as a footer, are skipped.'),
});

/** How a file is parsed, in imports and previews. */
export const parsing = {
  column_mappings: z
    .array(columnMapping)
    .min(1)
    .max(2_000)
    .optional()
    .describe('The columns to import. The default is every column with its detected type.'),
  csv: csvOptions.optional().describe('How a CSV file is read. Fields that you omit are detected.'),
  xlsx: xlsxOptions.optional().describe('Which part of a workbook is read. A preview lists its sheets.'),
  nested: z
    .enum(['json', 'native'])
    .default('json')
    .describe(
      'How lists and objects of JSON and Parquet files are stored: as `JSON` documents, or as `LIST`, `STRUCT` and `MAP`, which you can read with `unnest` and `a.b`.',
    ),
  include_load_date: z.boolean().default(false),
};

/** The request's parsing fields for the importer. */
export function importOptions(body: z.infer<z.ZodObject<typeof parsing>>): ReadOptions {
  const { column_mappings: mappings, csv, xlsx, include_load_date: includeLoadDate, nested } = body;
  return {
    includeLoadDate,
    ...(nested === 'json' ? {} : { nested }),
    ...(mappings === undefined ? {} : { columnMappings: mappings.map((mapping) => camelKeys(mapping)) }),
    ...(csv === undefined ? {} : { csv: camelKeys(csv) }),
    ...(xlsx === undefined ? {} : { xlsx: camelKeys(xlsx) }),
  };
}
