import { z } from 'zod';
import { notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import {
  type Delivery,
  getDelivery,
  listDeliveriesOfWorkflow,
} from '../../../domain/publishing/deliveries/deliveries.ts';
import { retryDelivery } from '../../../domain/publishing/deliveries/retry.ts';
import { type Caller, memoOf } from '../../caller.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { deliveryExample, deliverySchema, deliveryView } from '../../publishing/deliveries/schemas.ts';
import { resource } from '../../resource.ts';
import { pageQuery } from '../../schemas.ts';
import { loadWorkflow, workflowPath, workflowsTag } from './routes.ts';

const listQuery = pageQuery.extend({
  status: z.enum(['pending', 'delivered', 'failed', 'uncertain']).optional(),
  run_id: z.string().optional(),
});

const loadDelivery = async (
  db: OrganizationTransaction,
  organizationId: string,
  params: Record<'workflow_id' | 'delivery_id', string>,
  caller: Caller,
): Promise<Delivery> => {
  const workflow = await loadWorkflow(db, organizationId, params, caller);
  const delivery = await getDelivery(db, organizationId, params.delivery_id);
  if (delivery.workflow_id !== workflow.id) throw notFound('The delivery');
  return delivery;
};

/** Deliveries of a workflow's runs, and what did not arrive. */
export function workflowDeliveriesRoutes(app: Routes, deps: ApiDeps): void {
  const deliveries = resource(app, deps, {
    tag: workflowsTag,
    path: `${workflowPath}/deliveries/:delivery_id`,
    schema: deliverySchema,
    example: {
      ...deliveryExample,
      runId: 'wfr_01kahz3v6dfyvb1s8m3h9q2w4x',
      nodeId: 'tell',
      kind: 'webhook',
      target: 'https://example.com/hooks/sales',
      receipt: '200 ok',
    },
    load: loadDelivery,
    parent: loadWorkflow,
    view: (row) => deliveryView(row, { runId: row.workflow_run_id, nodeId: row.node_id }),
  });
  deliveries.list({
    summary: 'List what a workflow delivers, newest first',
    operationId: 'listWorkflowDeliveries',
    description: "`status=failed` lists the deliveries that failed and aren't retried automatically.",
    query: listQuery,
    rows: (db, { organizationId, params, query: { status, run_id: runId } }, slice) =>
      listDeliveriesOfWorkflow(db, organizationId, { workflowId: params.workflow_id, status, runId }, slice),
  });
  deliveries.show({ summary: 'Show a delivery of a workflow', operationId: 'getWorkflowDelivery' });
  deliveries.action('retry', {
    summary: 'Retry a delivery',
    operationId: 'retryWorkflowDelivery',
    audit: 'delivery.retried',
    description:
      'You can retry a delivery that failed, or that may have arrived (`uncertain`). A webhook keeps its delivery id, so its receiver can recognize a repetition.',
    status: 202,
    errors: ['conflict'],
    run: ({ organizationId, params, request }) =>
      retryDelivery(deps, { organizationId, deliveryId: params.delivery_id, memo: memoOf(request) }),
  });
}
