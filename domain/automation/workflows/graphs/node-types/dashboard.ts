import { z } from 'zod';
import { defineNodeType } from '../node-type.ts';

/** A dashboard of the workflow's project as a file; its tiles are read from one snapshot. */
export const dashboard = defineNodeType({
  type: 'dashboard',
  label: 'Dashboard',
  config: z.strictObject({
    dashboard_id: z.string().min(1).max(255),
    filters: z.record(z.string(), z.unknown()).optional(),
    format: z.enum(['pdf', 'png', 'html']).default('pdf'),
  }),
  inputs: [],
  outputs: [
    { name: 'file', type: 'file' },
    { name: 'snapshot', type: 'value' },
  ],
});
