import { z } from 'zod';

/** What a file has that is likely not meant so, in previews and imports. */
export const warningsSchema = z
  .array(
    z.object({
      code: z.enum(['short_rows', 'short_rows_padded', 'formulas_without_value', 'title_rows']),
      message: z.string(),
      sheet: z.string().optional(),
      column: z.string().optional(),
      count: z.int(),
    }),
  )
  .describe(
    'Things that were read in a way you might not expect: rows that lack trailing fields, formulas that a workbook stores without their values, or titles above the column names of a sheet.',
  );
