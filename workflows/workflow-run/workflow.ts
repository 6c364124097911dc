import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import { deliverAll } from '../delivery/deliver.ts';
import { endAsCancelled, failedAs, tellOutcome } from '../outcome.ts';
import { tellWaiting } from '../run-ended.ts';
import { runEndedSignal } from '../schedule-run/names.ts';
import { taskQueues } from '../task-queues.ts';
import type {
  NodeEnd,
  NodeInterruption,
  PlannedNode,
  RunPlan,
  WorkflowRunAgentActivities,
  WorkflowRunControlActivities,
  WorkflowRunInput,
  WorkflowRunOutcome,
} from './contract.ts';
import { decidedSignal, nodesAtOnce, resumedSignal } from './names.ts';
import { walk } from './walk.ts';

// Database only, seconds at most. Retried without end: a run must not be left running in its row.
const control = proxyActivities<WorkflowRunControlActivities>({
  taskQueue: taskQueues.control,
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '30 seconds' },
});

// A statement, a document or a few rows: minutes at most. Tried again only where a store is away, for about an hour; how
// often what failed by itself is tried again, the node says.
const agent = proxyActivities<WorkflowRunAgentActivities>({
  taskQueue: taskQueues.agent,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '1 minute', maximumAttempts: 60 },
});

const endedSignal = defineSignal<[string?]>(runEndedSignal);
const decided = defineSignal<[string]>(decidedSignal);
const resumed = defineSignal(resumedSignal);

const longestBusySeconds = 120;

/** What the nodes of a run know of each other. */
interface Shared {
  /** Runs that have ended, and approvals that were decided. */
  told: Set<string>;
  /** The node that asks for a place at a worker, while there is none: the others ask when it has one. */
  asking: string | undefined;
}

/** A run of an activated version: its nodes in the order that its edges say. */
export async function workflowRun(input: WorkflowRunInput): Promise<WorkflowRunOutcome> {
  const always = <T>(step: () => Promise<T>) => CancellationScope.nonCancellable(step);
  const shared: Shared = { told: new Set(), asking: undefined };
  const hear = (what?: string) => {
    if (what !== undefined) shared.told.add(what);
  };
  setHandler(endedSignal, hear);
  setHandler(decided, hear);
  let isResumed: boolean;
  setHandler(resumed, () => {
    isResumed = true;
  });
  let outcome: WorkflowRunOutcome;
  // Its row says failed before it closes: whoever resumes it in between is answered by the process that still runs.
  do {
    isResumed = false;
    const plan = await begun(input);
    if (plan !== undefined) await walkNodes(input, plan.nodes, shared);
    outcome = await always(() => control.endWorkflowRun(input, plan?.resumes));
    await always(() => tellWaiting(input.waitedBy, input.runId));
  } while (isResumed);
  const { status, errorCode } = outcome;
  switch (status) {
    case 'succeeded':
      tellOutcome(status, 'Every node ended well, or was skipped.');
      break;
    case 'failed':
      tellOutcome(status, 'A node failed; the run says which. It can be resumed from there.');
      throw failedAs(errorCode, 'The run');
    case 'cancelled':
      tellOutcome(status, 'Was cancelled.');
      endAsCancelled('The run');
  }
  return outcome;
}

/** The plan, once there is a place; undefined where there is nothing to do, or a cancel came first. */
async function begun(input: WorkflowRunInput): Promise<RunPlan | undefined> {
  let seconds = 1;
  for (;;) {
    const plan = await CancellationScope.nonCancellable(() => control.beginWorkflowRun(input));
    if (plan !== 'crowded') return plan;
    setCurrentDetails('Waits until fewer runs of the organization are at work.');
    try {
      await sleep(seconds * 1_000, { summary: 'a place' });
    } catch (error) {
      if (isCancellation(error)) return undefined;
      throw error;
    }
    seconds = Math.min(seconds * 2, longestBusySeconds);
  }
}

async function walkNodes(input: WorkflowRunInput, nodes: PlannedNode[], shared: Shared): Promise<void> {
  const underWay = new Set<string>();
  const isCancelled = () => CancellationScope.current().consideredCancelled;
  const describe = () => setCurrentDetails(`At work: ${[...underWay].join(', ') || 'nothing'}.`);
  await walk(nodes, nodesAtOnce, {
    isStopped: isCancelled,
    skip: (nodeIds) => CancellationScope.nonCancellable(() => control.skipNodes(input, nodeIds)),
    async carryOut(node) {
      underWay.add(node.label);
      describe();
      const end = await carriedOut(input, node, shared);
      underWay.delete(node.label);
      describe();
      return end;
    },
  });
}

async function carriedOut(input: WorkflowRunInput, node: PlannedNode, shared: Shared): Promise<NodeEnd> {
  const outer = CancellationScope.current();
  try {
    return await CancellationScope.withTimeout(node.timeoutSeconds * 1_000, () =>
      advanced(input, node, shared),
    );
  } catch (error) {
    const cut: NodeInterruption = outer.consideredCancelled ? 'cancelled' : 'timeout';
    const why = isCancellation(error) ? cut : 'gave_up';
    return CancellationScope.nonCancellable(() => control.endNode({ ...input, nodeId: node.id }, why));
  } finally {
    if (shared.asking === node.id) shared.asking = undefined;
  }
}

/** Looks at a node until it has ended: between two looks it waits for a time, for a word, or for deliveries. */
async function advanced(
  input: WorkflowRunInput,
  { id: nodeId, label }: PlannedNode,
  shared: Shared,
): Promise<NodeEnd> {
  const { organizationId } = input;
  const mayAsk = () => shared.asking === undefined || shared.asking === nodeId;
  let busySeconds = 1;
  for (;;) {
    if (!mayAsk()) await condition(mayAsk);
    const progress = await agent.advanceNode.executeWithOptions({ summary: label }, [{ ...input, nodeId }]);
    if (progress.kind !== 'busy' && shared.asking === nodeId) shared.asking = undefined;
    switch (progress.kind) {
      case 'ended':
        return progress.end;
      case 'delivering':
        await deliverAll(progress.deliveryIds.map((deliveryId) => ({ organizationId, deliveryId })));
        break;
      case 'busy':
        shared.asking ??= nodeId;
        if (!mayAsk()) break;
        // Longer each time: what waits for hours must not fill its history.
        await sleep(busySeconds * 1_000, { summary: `${label}: a place` });
        busySeconds = Math.min(busySeconds * 2, longestBusySeconds);
        break;
      case 'waiting': {
        busySeconds = 1;
        const { what, untilMs } = progress;
        const options = { summary: `${label}: ${what}` };
        await condition(() => shared.told.has(what), Math.max(untilMs - Date.now(), 1), options);
        shared.told.delete(what);
      }
    }
  }
}
