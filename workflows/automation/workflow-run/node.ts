import { CancellationScope, condition, patched, proxyActivities } from '@temporalio/workflow';
import { databaseActivities } from '../../activity-options.ts';
import { always, wasCancelled } from '../../cancellation.ts';
import type { Growth } from '../../history.ts';
import { whereToDecide } from '../../outcome.ts';
import type { DeliveryInput } from '../../publishing/delivery/contract.ts';
import { deliverAll } from '../../publishing/delivery/deliver.ts';
import { taskQueues } from '../../task-queues.ts';
import type {
  NodeEnd,
  NodeInterruption,
  PlannedNode,
  WorkflowRunAgentActivities,
  WorkflowRunControlActivities,
  WorkflowRunInput,
} from './contract.ts';

const { endNode } = databaseActivities<Pick<WorkflowRunControlActivities, 'endNode'>>();

// A statement, a document or a few rows: minutes at most. Retried only if a store is unavailable, for about
// an hour; retries of a node's own failures are configured by the node.
const agent = proxyActivities<WorkflowRunAgentActivities>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute', maximumAttempts: 60 },
});

export const longestBusySeconds = 120;

/** State shared by the nodes of a run. */
export interface Shared {
  /** Runs that have ended and approvals that were decided, by id. */
  signalled: Set<string>;
  /** While workers have no free slot: the only node that asks for one. The others wait until it has it. */
  asking: string | undefined;
  growth: Growth;
  /** Sets a node's part of the details for operators; removes it if undefined. */
  describe(nodeId: string, doing: string | undefined): void;
  /** Deadlines of nodes under way. */
  deadlines: Record<string, number>;
}

/** Undefined if the execution is to continue as a new one. */
export async function carriedOut(
  input: WorkflowRunInput,
  node: PlannedNode,
  shared: Shared,
): Promise<NodeEnd | undefined> {
  const outer = CancellationScope.current();
  const { deadlines } = shared;
  deadlines[node.id] ??= Date.now() + node.timeoutSeconds * 1_000;
  let end: NodeEnd | undefined;
  try {
    end = await CancellationScope.withTimeout(Math.max(deadlines[node.id]! - Date.now(), 1), () =>
      advanced(input, node, shared, () => outer.consideredCancelled),
    );
  } catch (error) {
    const cut: NodeInterruption = outer.consideredCancelled ? 'cancelled' : 'timeout';
    const why = wasCancelled(error) ? cut : 'gave_up';
    end = await always(() => endNode({ ...input, nodeId: node.id }, why));
  } finally {
    if (shared.asking === node.id) shared.asking = undefined;
  }
  if (end !== undefined) delete deadlines[node.id];
  return end;
}

/**
 * Advances a node until it has ended, and in between waits for a time, a signal, or deliveries. Undefined if
 * the history has grown long; the next execution then continues.
 */
async function advanced(
  input: WorkflowRunInput,
  { id: nodeId, label }: PlannedNode,
  shared: Shared,
  isCancelled: () => boolean,
): Promise<NodeEnd | undefined> {
  const { organizationId } = input;
  const { growth } = shared;
  const mayAsk = () => shared.asking === undefined || shared.asking === nodeId;
  let busySeconds = 1;
  for (;;) {
    if (!mayAsk()) await condition(() => mayAsk() || growth.isFull);
    if (growth.isFull) return undefined;
    const progress = await agent.advanceNode.executeWithOptions({ summary: label }, [{ ...input, nodeId }]);
    if (progress.kind === 'ended') return progress.end;
    if (progress.kind !== 'busy' && shared.asking === nodeId) shared.asking = undefined;
    if (growth.look()) return undefined;
    switch (progress.kind) {
      case 'delivering':
        await delivered(
          progress.deliveryIds.map((deliveryId) => ({ organizationId, deliveryId })),
          growth,
          isCancelled,
        );
        break;
      case 'busy':
        shared.asking ??= nodeId;
        if (!mayAsk()) break;
        // At growing intervals, so that hours of waiting do not fill the history.
        await condition(() => growth.isFull, busySeconds * 1_000, { summary: `${label}: a place` });
        busySeconds = Math.min(busySeconds * 2, longestBusySeconds);
        break;
      case 'waiting': {
        busySeconds = 1;
        const { what, untilMs } = progress;
        const options = { summary: `${label}: ${what}` };
        const isSignalled = () => shared.signalled.has(what) || growth.isFull;
        const isApproval = what.startsWith('wap_');
        shared.describe(nodeId, `${label} (waits: ${isApproval ? whereToDecide(what) : what})`);
        await condition(isSignalled, Math.max(untilMs - Date.now(), 1), options);
        shared.describe(nodeId, label);
        shared.signalled.delete(what);
      }
    }
  }
}

/**
 * A cancellation of the run does not interrupt deliveries, so that nothing is partly sent. At the node's
 * timeout no new attempt is made; an attempt under way completes, so that what arrives is recorded as
 * delivered.
 */
async function delivered(
  deliveries: readonly DeliveryInput[],
  growth: Growth,
  isCancelled: () => boolean,
): Promise<void> {
  const time = CancellationScope.current();
  await always(async () => {
    const attempts = new CancellationScope();
    time.cancelRequested.catch(() => {
      if (!isCancelled() && patched('time-ends-deliveries')) attempts.cancel();
    });
    await deliverAll(deliveries, {
      look: growth.look,
      isStopped: () => growth.isFull || attempts.consideredCancelled,
      scope: attempts,
    });
  });
}
