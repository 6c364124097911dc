import { z } from 'zod';
import { defineNodeType } from '../node-type.ts';

const ids = (most: number) => z.array(z.string().min(1).max(255)).min(1).max(most);

/** Runs tests, of tables or those of definitions, and fails where one of severity error fails. */
export const verification = defineNodeType({
  type: 'verification',
  label: 'Tests of tables',
  config: z
    .strictObject({ table_ids: ids(1_000).optional(), definition_ids: ids(200).optional() })
    .refine((config) => (config.table_ids === undefined) !== (config.definition_ids === undefined), {
      error: 'Name tables or definitions, but not both.',
      path: ['table_ids'],
    }),
  inputs: [],
  outputs: [{ name: 'passed', type: 'value' }],
});
