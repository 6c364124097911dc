import { z } from 'zod';
import { defineNodeType } from '../node-type.ts';
import { longText } from './texts.ts';

/** A person must allow what follows; no decision in time counts as a denial. */
export const approval = defineNodeType({
  type: 'approval',
  label: 'Approval',
  config: z.strictObject({
    message: longText.min(1),
    expires_in_seconds: z
      .int()
      .min(1)
      .max(30 * 86_400)
      .default(86_400),
  }),
  inputs: [],
  outputs: [{ name: 'approved', type: 'value' }],
});
