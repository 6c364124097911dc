import type { Insertable } from 'kysely';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import type { DB } from '../../../data/postgres/schema.ts';
import { states } from '../../../data/postgres/states.ts';
import { counter } from '../../../data/telemetry/instruments.ts';

/** One item delivered to one destination, once. */
export type Delivery = RecordOf<'deliveries'>;
export type NewDelivery = Insertable<DB['deliveries']>;

const deliveries = records('deliveries', { prefix: 'dlv', what: 'The delivery' });

export const { find: findDelivery, get: getDelivery, update: updateDelivery } = deliveries;

/**
 * `sending` means that the destination may have it from now on. Only the sending attempt knows that it
 * certainly has not, and may retry. `uncertain` is final: it is never sent again automatically.
 */
const moves = states(
  'deliveries',
  {
    pending: ['sending', 'delivered', 'failed'],
    sending: ['delivered', 'failed', 'uncertain', 'pending'],
    delivered: [],
    failed: [],
    uncertain: [],
  },
  (to) => (to === 'delivered' ? { delivered_at: new Date() } : {}),
);

const ended = counter(
  'workspace.delivery.ended',
  '{delivery}',
  'Deliveries that ended, by kind and outcome: delivered, failed or uncertain.',
);

export const deliveryStates: typeof moves = {
  ...moves,
  move: async (...move) => {
    const moved = await moves.move(...move);
    if (moved !== undefined && moves.isEnd(moved.status))
      ended.add(1, { kind: moved.kind, outcome: moved.status });
    return moved;
  },
};

/** Adds pending deliveries; existing ones stay unchanged. */
export async function insertDeliveries(
  db: OrganizationTransaction,
  rows: readonly NewDelivery[],
): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto('deliveries')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['organization_id', 'id']).doNothing())
    .execute();
}

/** The same, a page at a time, newest first. */
export function listDeliveries(
  db: OrganizationTransaction,
  organizationId: string,
  scheduleRunId: string,
  slice: Slice,
): Promise<Delivery[]> {
  return deliveries.list(db, organizationId, slice, { schedule_run_id: scheduleRunId });
}

/** Deliveries of a workflow's runs, newest first. `sending` is shown as `pending`. */
export async function listDeliveriesOfWorkflow(
  db: OrganizationTransaction,
  organizationId: string,
  {
    workflowId,
    status,
    runId,
  }: {
    workflowId: string;
    status: Exclude<Delivery['status'], 'sending'> | undefined;
    runId: string | undefined;
  },
  { after, limit }: Slice,
): Promise<Delivery[]> {
  let query = db
    .selectFrom('deliveries')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('workflow_id', '=', workflowId);
  if (status !== undefined)
    query = query.where('status', 'in', status === 'pending' ? ['pending', 'sending'] : [status]);
  if (runId !== undefined) query = query.where('workflow_run_id', '=', runId);
  if (after !== undefined) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** Deliveries of a schedule's fire, in planned order. */
export function deliveriesOf(
  db: OrganizationTransaction,
  organizationId: string,
  scheduleRunId: string,
): Promise<Delivery[]> {
  return db
    .selectFrom('deliveries')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('schedule_run_id', '=', scheduleRunId)
    .orderBy('kind', 'desc')
    .orderBy('target')
    .orderBy('id')
    .execute();
}

/** Deliveries of a node of a workflow's run, in planned order. */
export function deliveriesOfNode(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
  nodeId: string,
  lock?: 'update',
): Promise<Delivery[]> {
  const query = db
    .selectFrom('deliveries')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('workflow_run_id', '=', runId)
    .where('node_id', '=', nodeId)
    .orderBy('target')
    .orderBy('id');
  return (lock === undefined ? query : query.forUpdate()).execute();
}

/** Makes deliveries of a resumed run that certainly did not arrive pending again. */
export async function reopenDeliveries(
  db: OrganizationTransaction,
  organizationId: string,
  runId: string,
): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ status: 'pending', attempts: 0, attempt_id: null, error: null, retried_at: null })
    .where('organization_id', '=', organizationId)
    .where('workflow_run_id', '=', runId)
    .where('status', '=', 'failed')
    .execute();
}
