import { z } from 'zod';
import { defineNodeType } from '../node-type.ts';

/**
 * Builds a calculated table, with `sync` after all that it reads; later nodes read what was built in the
 * versions that this produced.
 */
export const materialize = defineNodeType({
  type: 'materialize',
  label: 'Build of a calculated table',
  config: z.strictObject({ table_id: z.string().min(1).max(255), sync: z.boolean().default(false) }),
  inputs: [],
  outputs: [{ name: 'table', type: 'table' }],
});
