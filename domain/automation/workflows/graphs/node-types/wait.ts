import { z } from 'zod';
import { defineNodeType } from '../node-type.ts';

const maxSeconds = 366 * 86_400;

/** Delays what follows by a duration, or until a time. */
export const wait = defineNodeType({
  type: 'wait',
  label: 'Wait',
  config: z
    .strictObject({
      seconds: z.int().min(1).max(maxSeconds).optional(),
      until: z.string().min(1).max(100).optional(),
    })
    .check(({ value, issues }) => {
      if ((value.seconds === undefined) === (value.until === undefined))
        issues.push({ code: 'custom', message: 'Set either seconds or until.', input: value });
      else if (
        value.until !== undefined &&
        !value.until.includes('${') &&
        Number.isNaN(Date.parse(value.until))
      )
        issues.push({
          code: 'custom',
          path: ['until'],
          message: 'Input should be a time in RFC 3339 form.',
          input: value.until,
        });
    }),
  inputs: [],
  outputs: [],
});
