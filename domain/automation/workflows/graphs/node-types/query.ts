import { z } from 'zod';
import { defineNodeType } from '../node-type.ts';
import { sqlText } from './texts.ts';

/** One SELECT over the organization's tables, at the versions to which the run is pinned. */
export const query = defineNodeType({
  type: 'query',
  label: 'Query',
  config: z.strictObject({ sql: sqlText }),
  inputs: [],
  outputs: [{ name: 'rows', type: 'rows' }],
  sqlKeys: ['sql'],
});
