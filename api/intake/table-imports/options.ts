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
  unique: z.boolean().default(false).describe('A repeated value is a bad row.'),
  nullable: z.boolean().default(true),
  required: z.boolean().default(true).describe('The source column must exist.'),
  date_format: characters(0, 64)
    .optional()
    .describe('The format of its dates, as a preview detected it; left out, that of `csv.date_format`.'),
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
        'An IANA name, `_` for `-`. Left out, it is detected; a file whose bytes do not tell it is refused.',
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
    .describe('A Unicode pattern (dd/MM/yyyy), or strptime when it contains %.'),
  thousands: characters(0, 1)
    .optional()
    .describe('Groups digits: no letter, digit, sign or line end; empty for none.'),
  null_values: z
    .array(characters(0, 255))
    .max(100)
    .optional()
    .describe(
      'Values to read as null. Default: the empty field. In a text column, an empty value in quotes is an empty text, unless the file quotes every text.',
    ),
  short_rows: z
    .enum(['bad', 'pad'])
    .optional()
    .describe(
      'What to do with rows that lack trailing fields: `bad` (default) reports them as bad rows, `pad` fills them with nulls.',
    ),
});

const xlsxOptions = z.strictObject({
  sheet: characters(1, 255).optional().describe('Its name, ignoring case; left out, the first one.'),
  header_row: z
    .int()
    .min(0)
    .max(maxHeaderRow)
    .optional()
    .describe(
      '1-based; 0 = none. Left out, the first row that is not empty; titles above the names are left out.',
    ),
  first_data_row: z.int().min(1).max(maxHeaderRow).optional().describe('1-based.'),
  last_data_row: z
    .int()
    .min(1)
    .optional()
    .describe('1-based; the rows below it are left out, such as a footer.'),
});

/** How a file is parsed, in imports and previews. */
export const parsing = {
  column_mappings: z
    .array(columnMapping)
    .min(1)
    .max(2_000)
    .optional()
    .describe('The whole projection; left out, every column with its detected type.'),
  csv: csvOptions.optional().describe('Fields left out are detected.'),
  xlsx: xlsxOptions.optional().describe('Which part of a workbook is read; a preview lists its sheets.'),
  nested: z
    .enum(['json', 'native'])
    .default('json')
    .describe(
      'How lists and objects of JSON and Parquet files are stored: as `JSON` documents, or as `LIST`, `STRUCT` and `MAP`, which `unnest` and `a.b` read.',
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
