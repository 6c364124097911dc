import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterEach, beforeAll, beforeEach, test } from 'vitest';
import { conversationProcess } from '../../domain/analyst/conversations/process.ts';
import type {
  ConversationAgentActivities,
  ConversationControlActivities,
} from '../../workflows/analyst/conversation/contract.ts';
import { conversationWorkflowType } from '../../workflows/analyst/conversation/names.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { quietRuntime, timeSkipping } from './temporal.ts';
import { workflowBundle } from './workflow-bundle.ts';

export type Activities = ConversationControlActivities & ConversationAgentActivities;

export interface Skipping {
  env: TestWorkflowEnvironment;
  workflowBundle: { codePath: string };
}

/** A jump over two days in steps of minutes takes 47 s on a slow machine; a test that hangs is repeated. */
const skippingTimeoutMs = 300_000;

/**
 * A test with such a clock. Its server may hang if a timer is cancelled at the moment to which it jumps
 * (temporalio/sdk-java#3088): then the test is repeated once, on another server.
 */
export function skippingTest(name: string, run: () => Promise<void>): void {
  test(name, { retry: 1, timeout: skippingTimeoutMs }, run);
}

/**
 * A server whose clock jumps, for each test: an interrupted activity keeps its server's clock from jumping.
 */
export function useTimeSkipping(): Skipping {
  const skipping = {} as Skipping;
  beforeAll(() => {
    quietRuntime();
    skipping.workflowBundle = workflowBundle();
  });
  beforeEach(async () => {
    skipping.env = await timeSkipping();
  });
  // A hanging test still holds the connection.
  afterEach(() => skipping.env?.teardown().catch(() => undefined));
  return skipping;
}

/** What a conversation's rows would say, and every call of an activity, in order. */
export interface Fake {
  activities: Activities;
  calls: string[];
  /** Replies that are still to come, in order. */
  waiting: string[];
  /** As a Stop ends the row. */
  end(messageId: string): void;
  /** As when its user deletes it. */
  delete(): void;
}

/** A conversation in which every answer is one step without tools, except for a test's changes. */
export function fake(waiting: string[], change: Partial<Activities> = {}): Fake {
  const calls: string[] = [];
  let active: string | undefined;
  let isDeleted = false;
  const end = (messageId: string) => {
    if (active === messageId) active = undefined;
  };
  const { takeModelStep = async () => ({ kind: 'ended' as const }), ...others } = change;
  const activities: Activities = {
    advanceConversation: async () => {
      calls.push('advance');
      if (isDeleted) return { kind: 'deleted' };
      active ??= waiting.shift();
      if (active === undefined) return { kind: 'idle', waiting: 0, isHeld: false };
      return { kind: 'turn', messageId: active, waiting: waiting.length };
    },
    beginTurn: async ({ messageId }) => {
      calls.push(`begin ${messageId}`);
      return true;
    },
    takeModelStep: async (turn, step, isLast) => {
      calls.push(`model ${turn.messageId} ${step}${isLast ? ' last' : ''}`);
      const outcome = await takeModelStep(turn, step, isLast);
      if (outcome.kind === 'ended') end(turn.messageId);
      return outcome;
    },
    callTool: async (turn, partIndex) => {
      calls.push(`tool ${turn.messageId} ${partIndex}`);
      await others.callTool?.(turn, partIndex);
    },
    readDecisions: async (turn) => {
      calls.push(`decisions ${turn.messageId}`);
      return others.readDecisions?.(turn) ?? { kind: 'decided', partIndexes: [], waitMs: null };
    },
    failToolCall: async ({ messageId }, partIndex) => {
      calls.push(`failToolCall ${messageId} ${partIndex}`);
    },
    failTurn: async ({ messageId }, code) => {
      calls.push(`failTurn ${messageId} ${code}`);
      end(messageId);
    },
    cancelTurn: async ({ messageId }) => {
      calls.push(`cancelTurn ${messageId}`);
      end(messageId);
    },
    removeConversation: async () => {
      calls.push('remove');
    },
  };
  return {
    activities,
    calls,
    waiting,
    end,
    delete() {
      isDeleted = true;
    },
  };
}

/**
 * Runs `work` with workers on both queues. Without a cache, the next worker need not wait for a sticky
 * queue's timeout.
 */
export async function withWorkers<T>(
  { env, workflowBundle }: Skipping,
  { activities }: Fake,
  work: () => Promise<T>,
  more: { maxCachedWorkflows?: number } = {},
): Promise<T> {
  const { beginTurn, takeModelStep, callTool, ...control } = activities;
  const connection = env.nativeConnection;
  const [first, second] = await Promise.all([
    Worker.create({
      connection,
      workflowBundle,
      taskQueue: taskQueues.control,
      activities: control,
      ...more,
    }),
    Worker.create({
      connection,
      taskQueue: taskQueues.agent,
      activities: { beginTurn, takeModelStep, callTool },
      // A cancel arrives with the answer to a heartbeat.
      maxHeartbeatThrottleInterval: '50 milliseconds',
    }),
  ]);
  return first.runUntil(second.runUntil(work));
}

export function start({ env }: Skipping): Promise<WorkflowHandle> {
  const conversationId = randomUUID();
  return env.client.workflow.start(conversationWorkflowType, {
    workflowId: conversationProcess.workflowId(conversationId),
    taskQueue: taskQueues.control,
    args: [{ organizationId: 'org_test', conversationId }],
  });
}

/** The process's status in Temporal once it has ended, and its outcome. */
export async function endOf(handle: WorkflowHandle): Promise<string> {
  await handle.result().catch(() => undefined);
  return standing(handle);
}

export async function standing(handle: WorkflowHandle): Promise<string> {
  const { status, searchAttributes } = await handle.describe();
  return [status.name, searchAttributes['Outcome']?.[0]].filter((word) => word !== undefined).join(' ');
}

/** Polls repeatedly; while no one waits for a result, no time is skipped. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(10);
}

/** Work that continues until it is cancelled or released. */
export function endless<T>(outcome: T): {
  work: () => Promise<T>;
  begun: Promise<void>;
  release: () => void;
} {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    begun: begun.promise,
    release: released.resolve,
    async work() {
      const context = Context.current();
      begun.resolve();
      const beat = setInterval(() => context.heartbeat(), 20);
      try {
        await Promise.race([context.cancelled, released.promise]);
      } finally {
        clearInterval(beat);
      }
      return outcome;
    },
  };
}
