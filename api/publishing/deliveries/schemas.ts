import { z } from 'zod';
import type { Delivery } from '../../../domain/publishing/deliveries/deliveries.ts';
import { shownAddress } from '../../../domain/publishing/deliveries/web-address.ts';
import { nullableTimestamp, timestamp } from '../../schemas.ts';

export const deliverySchema = z
  .object({
    id: z.string(),
    runId: z.string().nullable().describe('The run whose output is delivered.'),
    nodeId: z.string().nullable().describe('The node of a workflow that delivers. Null for a schedule.'),
    kind: z.enum(['file', 'email', 'slack', 'webhook']),
    target: z
      .string()
      .describe(
        'The path of a file in the project, the address of an email, the host of Slack, or the URL of a webhook without its query.',
      ),
    status: z
      .enum(['pending', 'delivered', 'failed', 'uncertain'])
      .describe(
        "`pending`: in progress, or waiting for its next attempt. `uncertain`: the remote service may have received it, so it isn't sent " +
          'again automatically.',
      ),
    attempts: z.number().int().min(0),
    receipt: z
      .string()
      .nullable()
      .describe('The proof of delivery: the id of a file, or the response of the remote service.'),
    error: z
      .looseObject({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why the delivery failed. While it is pending: why the last attempt failed.'),
    createdAt: timestamp,
    deliveredAt: nullableTimestamp,
  })
  .meta({ id: 'Delivery', description: 'One thing delivered once to one place.' });

export const deliveryExample: z.input<typeof deliverySchema> = {
  id: 'dlv_01kahz3v6dfyvb1s8m3h9q2w4x',
  runId: 'run_01kahz3v6dfyvb1s8m3h9q2w4x',
  nodeId: null,
  kind: 'email',
  target: 'ada@example.com',
  status: 'delivered',
  attempts: 1,
  receipt: '250 2.0.0 Ok: queued as 4FQZ1k2b3c',
  error: null,
  createdAt: '2026-11-21T08:31:00.000Z',
  deliveredAt: '2026-11-21T08:31:02.400Z',
};

/** `of`: what the output belongs to, if known. */
export function deliveryView(
  row: Delivery,
  of: { runId?: string | null; nodeId?: string | null } = {},
): z.input<typeof deliverySchema> {
  return {
    id: row.id,
    runId: of.runId ?? null,
    nodeId: of.nodeId ?? null,
    kind: row.kind,
    target: row.kind === 'webhook' ? shownAddress(row.target) : row.target,
    // Whether an attempt is sending right now is of no use to the reader.
    status: row.status === 'sending' ? 'pending' : row.status,
    attempts: row.attempts,
    receipt: row.receipt,
    error: row.error as { code: string; message: string } | null,
    createdAt: row.created_at.toISOString(),
    deliveredAt: row.delivered_at?.toISOString() ?? null,
  };
}
