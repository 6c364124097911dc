import { z } from 'zod';
import type { Approval } from '../../../domain/automation/workflows/runs/approvals.ts';
import { nullableTimestamp, timestamp } from '../../schemas.ts';

export const approvalSchema = z
  .object({
    id: z.string(),
    runId: z.string(),
    nodeId: z.string(),
    message: z.string(),
    status: z.enum(['pending', 'allowed', 'denied', 'expired']),
    note: z.string().nullable(),
    decidedBy: z.string().nullable(),
    expiresAt: timestamp,
    createdAt: timestamp,
    decidedAt: nullableTimestamp,
  })
  .meta({ id: 'WorkflowApproval' });

export const approvalExample: z.input<typeof approvalSchema> = {
  id: 'wap_01kahz3v6dfyvb1s8m3h9q2w4x',
  runId: 'wfr_01kahz3v6dfyvb1s8m3h9q2w4x',
  nodeId: 'release',
  message: 'Send the figures to the customers?',
  status: 'pending',
  note: null,
  decidedBy: null,
  expiresAt: '2026-11-22T08:30:00.000Z',
  createdAt: '2026-11-21T08:30:00.000Z',
  decidedAt: null,
};

export const approvalView = (row: Approval): z.input<typeof approvalSchema> => ({
  id: row.id,
  runId: row.run_id,
  nodeId: row.node_id,
  message: row.message,
  status: row.status,
  note: row.note,
  decidedBy: row.decided_by,
  expiresAt: row.expires_at.toISOString(),
  createdAt: row.created_at.toISOString(),
  decidedAt: row.decided_at?.toISOString() ?? null,
});
