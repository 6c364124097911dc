import { z } from 'zod';
import { defineNodeType } from '../node-type.ts';

/** A snapshot of a dataset; later nodes read the table in the version that it produced. */
export const snapshot = defineNodeType({
  type: 'snapshot',
  label: 'Snapshot of a dataset',
  config: z.strictObject({ dataset_id: z.string().min(1).max(255) }),
  inputs: [],
  outputs: [{ name: 'table', type: 'table' }],
});
