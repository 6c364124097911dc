import { z } from 'zod';
import { defineNodeType } from '../node-type.ts';

/**
 * A playbook of the workflow's project; its declared output determines which of the two ports has a value.
 */
export const playbook = defineNodeType({
  type: 'playbook',
  label: 'Playbook',
  config: z.strictObject({
    playbook_id: z.string().min(1).max(255),
    params: z.record(z.string(), z.unknown()).optional(),
  }),
  inputs: [],
  outputs: [
    { name: 'report', type: 'report' },
    { name: 'file', type: 'file' },
  ],
});
