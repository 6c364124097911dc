import { z } from 'zod';
import { pathFault } from '../../../../workspace/files/path.ts';
import { defineNodeType } from '../node-type.ts';

/** Writes its input to the workflow's folder. */
export const fileOutput = defineNodeType({
  type: 'file_output',
  label: 'File',
  config: z.strictObject({
    path: z
      .string()
      .min(1)
      .max(1_024)
      .check(({ value, issues }) => {
        const message = pathFault(value.replace(/\$\{[^{}]*\}/g, 'x'));
        if (message !== undefined) issues.push({ code: 'custom', message, input: value });
      }),
    format: z.enum(['markdown', 'pdf', 'docx', 'csv', 'json']).optional(),
  }),
  inputs: [{ name: 'input', types: ['report', 'file', 'rows'], required: true, many: false }],
  outputs: [{ name: 'file', type: 'file' }],
});
