import { z } from 'zod';

/** What a file has that is likely not meant so, in previews and imports. */
export const warningsSchema = z
  .array(
    z.object({
      code: z.enum(['short_rows', 'short_rows_padded', 'formulas_without_value']),
      message: z.string(),
      sheet: z.string().optional(),
      column: z.string().optional(),
      count: z.int(),
    }),
  )
  .describe(
    'What was read, and is likely not meant so: rows that lack trailing fields, or were padded; formulas of a workbook whose values it does not keep.',
  );
