import { randomUUID } from 'node:crypto';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type {
  NodeEnd,
  NodeProgress,
  PlannedNode,
  WorkflowRunAgentActivities,
  WorkflowRunControlActivities,
  WorkflowRunOutcome,
} from '../../workflows/automation/workflow-run/contract.ts';
import { workflowRunWorkflowType } from '../../workflows/automation/workflow-run/names.ts';
import type {
  DeliveryAgentActivities,
  DeliveryControlActivities,
} from '../../workflows/publishing/delivery/contract.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { endOf, type useTimeSkipping } from '../support/conversation-process.ts';
import { keepHistory } from '../support/histories.ts';

type Skipping = ReturnType<typeof useTimeSkipping>;

/** A run's process over activities that only record their calls. */
type Activities = WorkflowRunControlActivities &
  WorkflowRunAgentActivities &
  DeliveryControlActivities &
  DeliveryAgentActivities;

export const done: NodeEnd = { status: 'succeeded', ports: ['done'] };
export const ended = (end: NodeEnd = done): NodeProgress => ({ kind: 'ended', end });
export const succeeded: WorkflowRunOutcome = { status: 'succeeded', errorCode: null };

export const planned = (
  id: string,
  after: string[] = [],
  change: Partial<PlannedNode> = {},
): PlannedNode => ({
  id,
  label: `The ${id} (query)`,
  needs: after.map((from) => [{ from, port: 'done' }]),
  timeoutSeconds: 600,
  end: null,
  ...change,
});

export function fake(nodes: PlannedNode[] | undefined, change: Partial<Activities> = {}) {
  const calls: string[] = [];
  const steps: Activities = {
    beginWorkflowRun: async () => nodes && { nodes, resumes: 0 },
    skipNodes: async () => undefined,
    endNode: async (_, why) => ({ status: why === 'cancelled' ? 'cancelled' : 'failed', ports: [] }),
    endWorkflowRun: async () => succeeded,
    advanceNode: async () => ended(),
    attemptDelivery: async () => ({ status: 'delivered' }),
    giveUpDelivery: async () => ({ status: 'failed' }),
    ...change,
  };
  const nameOf = (name: string, [input, more]: never[]) => {
    const { nodeId, deliveryId } = (input ?? {}) as { nodeId?: string; deliveryId?: string };
    return [name, nodeId ?? deliveryId, more]
      .filter((part) => part !== undefined && typeof part !== 'number')
      .join(' ');
  };
  const noted = Object.entries(steps).map(([name, step]) => [
    name,
    (...given: never[]) => {
      calls.push(nameOf(name, given));
      return (step as (...given: never[]) => unknown)(...given);
    },
  ]);
  return { calls, activities: Object.fromEntries(noted) as Activities };
}

/** What a run calls, in order, and how it ends. */
export async function runOver(
  skipping: Skipping,
  { calls, activities }: ReturnType<typeof fake>,
  {
    during = async () => undefined,
    name,
    look = async () => undefined,
  }: {
    during?: (handle: WorkflowHandleWithFirstExecutionRunId) => Promise<unknown>;
    name?: string;
    look?: (handle: WorkflowHandleWithFirstExecutionRunId) => Promise<unknown>;
  } = {},
): Promise<string[]> {
  const { env, workflowBundle } = skipping;
  const { advanceNode, attemptDelivery, ...control } = activities;
  const connection = env.nativeConnection;
  const workers = await Promise.all([
    Worker.create({ connection, workflowBundle, taskQueue: taskQueues.control, activities: control }),
    Worker.create({
      connection,
      taskQueue: taskQueues.agent,
      activities: { advanceNode, attemptDelivery },
      maxHeartbeatThrottleInterval: '50 milliseconds',
    }),
  ]);
  return workers[0]!.runUntil(
    workers[1]!.runUntil(async () => {
      const handle = await env.client.workflow.start(workflowRunWorkflowType, {
        workflowId: `workflow-run/${randomUUID()}`,
        taskQueue: taskQueues.control,
        args: [{ organizationId: 'org_test', runId: 'wfr_1' }],
      });
      await during(handle);
      const end = await endOf(handle);
      if (name !== undefined) await keepHistory(handle, `workflow-run-${name}`);
      await look(handle);
      return [...calls, end];
    }),
  );
}
