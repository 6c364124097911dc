import { z } from 'zod';
import { defineNodeType } from '../node-type.ts';

/** A report from the given Markdown, or one that the analyst writes. */
export const report = defineNodeType({
  type: 'report',
  label: 'Report',
  config: z
    .strictObject({
      title: z.string().min(1).max(200).optional(),
      content: z.string().min(1).max(200_000).optional(),
      prompt: z.string().min(1).max(32_000).optional(),
    })
    .check(({ value, issues }) => {
      const isGiven = value.title !== undefined && value.content !== undefined;
      const isAsked = value.prompt !== undefined;
      if (isGiven === isAsked || (isAsked && (value.title ?? value.content) !== undefined))
        issues.push({
          code: 'custom',
          message: 'Set title and content, or only a prompt.',
          input: value,
        });
    }),
  inputs: [],
  outputs: [{ name: 'report', type: 'report' }],
});
