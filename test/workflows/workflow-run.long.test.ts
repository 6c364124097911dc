import { Context } from '@temporalio/activity';
import { expect } from 'vitest';
import type { NodeEnd } from '../../workflows/automation/workflow-run/contract.ts';
import { skippingTest, useTimeSkipping } from '../support/conversation-process.ts';
import { keepHistory } from '../support/histories.ts';
import { done, ended, fake, planned, runOver } from './workflow-run-process.ts';

const skipping = useTimeSkipping();
const run = (over: ReturnType<typeof fake>, more?: Parameters<typeof runOver>[2]) =>
  runOver(skipping, over, more);

skippingTest('a run that looks often goes on in another execution, and its nodes with it', async () => {
  const nodes = [planned('first'), planned('slow', ['first'], { timeoutSeconds: 30 * 3_600 })];
  const ends = new Map<string, NodeEnd>();
  const runs = new Set<string>();
  const inputs: object[] = [];
  let endedMs = 0;
  const long = fake(nodes, {
    beginWorkflowRun: async (input) => {
      inputs.push(input);
      return { nodes: nodes.map((node) => ({ ...node, end: ends.get(node.id) ?? null })), resumes: 0 };
    },
    advanceNode: async ({ nodeId }) => {
      runs.add(Context.current().info.workflowExecution!.runId);
      if (nodeId === 'slow')
        return { kind: 'waiting', what: 'it', untilMs: (await skipping.env.currentTimeMs()) + 180_000 };
      ends.set(nodeId, done);
      return ended();
    },
    endNode: async () => {
      endedMs = await skipping.env.currentTimeMs();
      return { status: 'failed', ports: [] };
    },
    endWorkflowRun: async () => ({ status: 'failed', errorCode: 'node_timeout' }),
  });
  const beganMs = await skipping.env.currentTimeMs();
  const calls = await run(long, {
    look: ({ workflowId, firstExecutionRunId }) =>
      keepHistory(
        skipping.env.client.workflow.getHandle(workflowId, firstExecutionRunId),
        'workflow-run-continued',
      ),
  });
  expect(runs.size).toBeGreaterThan(1);
  expect(calls.filter((call) => call === 'advanceNode first')).toHaveLength(1);
  expect(calls.slice(-3)).toEqual(['endNode slow timeout', 'endWorkflowRun', 'FAILED failed']);
  // Its time began with the first attempt.
  expect(Math.round((endedMs - beganMs) / 3_600_000)).toBe(30);
  expect(new Set(inputs.map((input) => Object.keys(input).join()))).toEqual(
    new Set(['organizationId,runId']),
  );
});
