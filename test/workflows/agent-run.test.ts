import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { expect } from 'vitest';
import type {
  AgentRunAgentActivities,
  AgentRunControlActivities,
  AgentRunOutcome,
} from '../../workflows/analyst/agent-run/contract.ts';
import { agentRunWorkflowType } from '../../workflows/analyst/agent-run/names.ts';
import type {
  ConversationAgentActivities,
  ConversationControlActivities,
} from '../../workflows/analyst/conversation/contract.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { endless, endOf, skippingTest, useTimeSkipping } from '../support/conversation-process.ts';
import { keepHistory } from '../support/histories.ts';

/** A run's process over activities that only record their calls. */
const skipping = useTimeSkipping();

type Activities = AgentRunControlActivities &
  AgentRunAgentActivities &
  Pick<ConversationControlActivities, 'failTurn' | 'cancelTurn' | 'failToolCall'> &
  ConversationAgentActivities;

const turn = { organizationId: 'org_test', conversationId: 'cnv_1', messageId: 'msg_1' };
const succeeded: AgentRunOutcome = { status: 'succeeded', errorCode: null };

function fake(change: Partial<Activities> = {}) {
  const calls: string[] = [];
  const steps: Activities = {
    beginAgentRun: async () => turn,
    endAgentRun: async () => ({ status: 'cancelled', errorCode: null }),
    deliverAgentRun: async () => succeeded,
    clearAgentRun: async () => undefined,
    failTurn: async () => undefined,
    cancelTurn: async () => undefined,
    failToolCall: async () => undefined,
    beginTurn: async () => true,
    takeModelStep: async () => ({ kind: 'ended' }),
    callTool: async () => undefined,
    ...change,
  };
  const noted = Object.entries(steps).map(([name, step]) => [
    name,
    (...given: never[]) => {
      calls.push(name);
      return (step as (...given: never[]) => unknown)(...given);
    },
  ]);
  return { calls, activities: Object.fromEntries(noted) as Activities };
}

async function run(
  { calls, activities }: ReturnType<typeof fake>,
  during: (handle: WorkflowHandle) => Promise<unknown> = async () => undefined,
  name?: string,
): Promise<string[]> {
  const { env, workflowBundle } = skipping;
  const { deliverAgentRun, clearAgentRun, beginTurn, takeModelStep, callTool, ...control } = activities;
  const agent = { deliverAgentRun, clearAgentRun, beginTurn, takeModelStep, callTool };
  const connection = env.nativeConnection;
  const workers = await Promise.all([
    Worker.create({ connection, workflowBundle, taskQueue: taskQueues.control, activities: control }),
    Worker.create({
      connection,
      taskQueue: taskQueues.agent,
      activities: agent,
      maxHeartbeatThrottleInterval: '50 milliseconds',
    }),
  ]);
  return workers[0]!.runUntil(
    workers[1]!.runUntil(async () => {
      const handle = await env.client.workflow.start(agentRunWorkflowType, {
        workflowId: `agent-run/${randomUUID()}`,
        taskQueue: taskQueues.control,
        args: [{ organizationId: 'org_test', runId: 'run_1' }],
      });
      await during(handle);
      const end = await endOf(handle);
      if (name !== undefined) await keepHistory(handle, `agent-run-${name}`);
      return [...calls, end];
    }),
  );
}

skippingTest('a run takes its turn, delivers, and clears up', async () => {
  expect(await run(fake(), undefined, 'delivered')).toEqual([
    ...['beginAgentRun', 'takeModelStep', 'deliverAgentRun', 'clearAgentRun'],
    'COMPLETED succeeded',
  ]);
});

skippingTest('a run that was cancelled before it began does nothing', async () => {
  const calls = await run(fake({ beginAgentRun: async () => undefined }));
  expect(calls).toEqual(['beginAgentRun', 'endAgentRun', 'clearAgentRun', 'COMPLETED cancelled']);
});

skippingTest('a turn that fails ends the run as failed, with its code', async () => {
  const failing = fake({
    takeModelStep: async () => {
      throw ApplicationFailure.create({ type: 'model_refused', nonRetryable: true });
    },
    deliverAgentRun: async () => ({ status: 'failed', errorCode: 'model_refused' }),
  });
  expect(await run(failing, undefined, 'failed')).toEqual([
    ...['beginAgentRun', 'takeModelStep', 'failTurn', 'deliverAgentRun', 'clearAgentRun'],
    'FAILED failed',
  ]);
});

skippingTest('a cancel stops the turn, and the run ends cancelled', async () => {
  const answer = endless({ kind: 'ended' as const });
  const cancelled = fake({
    takeModelStep: () => answer.work(),
    deliverAgentRun: async () => ({ status: 'cancelled', errorCode: null }),
  });
  const calls = await run(
    cancelled,
    async (handle) => {
      await answer.begun;
      await handle.cancel();
    },
    'cancelled',
  );
  expect(calls).toEqual([
    ...['beginAgentRun', 'takeModelStep', 'cancelTurn', 'deliverAgentRun', 'clearAgentRun'],
    'CANCELLED cancelled',
  ]);
});

skippingTest('a cancel while it delivers comes too late', async () => {
  const storing = Promise.withResolvers<void>();
  const stored = Promise.withResolvers<void>();
  const late = fake({
    deliverAgentRun: async () => {
      storing.resolve();
      await stored.promise;
      return succeeded;
    },
  });
  const calls = await run(late, async (handle) => {
    await storing.promise;
    await handle.cancel();
    stored.resolve();
  });
  expect(calls.slice(-3)).toEqual(['deliverAgentRun', 'clearAgentRun', 'COMPLETED succeeded']);
});

skippingTest('a store that is away for hours delays the delivery', async () => {
  let tries = 0;
  const away = fake({
    deliverAgentRun: async () => {
      tries += 1;
      if (tries < 100) throw ApplicationFailure.create({ type: 'storage_unavailable' });
      return succeeded;
    },
  });
  expect((await run(away)).at(-1)).toBe('COMPLETED succeeded');
  expect(tries).toBe(100);
});
