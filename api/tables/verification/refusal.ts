import { z } from 'zod';

/** What the error of a process says besides, whose new content a blocking test refused. */
export const refusalFields = {
  definitionIds: z
    .array(z.string())
    .optional()
    .describe('Of `verification_failed`: the blocking tests that the new content failed.'),
  runId: z.string().optional().describe('The run of tests that has the failing rows.'),
  failuresTableIds: z.array(z.string()).optional().describe('Tables of the failing rows.'),
  failuresTableId: z.string().optional().describe('The first of them.'),
};
