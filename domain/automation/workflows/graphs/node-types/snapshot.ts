import { z } from 'zod';
import { defineNodeType } from '../node-type.ts';

/** A snapshot of a dataset; nodes after it read the table as it left it. */
export const snapshot = defineNodeType({
  type: 'snapshot',
  label: 'Snapshot of a dataset',
  config: z.strictObject({ dataset_id: z.string().min(1).max(255) }),
  inputs: [],
  outputs: [{ name: 'table', type: 'table' }],
});
