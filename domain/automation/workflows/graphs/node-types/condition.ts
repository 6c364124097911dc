import { z } from 'zod';
import { defineNodeType } from '../node-type.ts';
import { sqlText } from './texts.ts';

/** One SELECT that returns one row with one boolean; it reads its input as the table `input`. */
export const condition = defineNodeType({
  type: 'condition',
  label: 'Condition',
  config: z.strictObject({ sql: sqlText }),
  inputs: [{ name: 'input', types: ['rows', 'value'], required: true, many: false }],
  outputs: [
    { name: 'yes', type: 'value' },
    { name: 'no', type: 'value' },
  ],
  sqlKeys: ['sql'],
});
