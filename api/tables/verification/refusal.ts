import { z } from 'zod';

/** What the error of a process says besides, whose new content a blocking test refused. */
export const refusalFields = {
  definitionIds: z
    .array(z.string())
    .optional()
    .describe('For `verification_failed`: the blocking tests that the new content failed.'),
  runId: z.string().optional().describe('The test run that has the failing rows.'),
  failuresTableIds: z.array(z.string()).optional().describe('The tables with the failing rows.'),
  failuresTableId: z.string().optional().describe('The first of these tables.'),
};
