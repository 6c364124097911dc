import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type {
  ProfileControlActivities,
  ProfileLakeActivities,
  ProfileOutcome,
} from '../../workflows/tables/profile/contract.ts';
import { cancelActivityOf, quietRuntime, timeSkipping, untilEvent } from '../support/temporal.ts';
import { runToEnd } from '../support/two-queues.ts';

type Activities = ProfileControlActivities & ProfileLakeActivities;

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  quietRuntime();
  env = await timeSkipping();
});

afterAll(() => env?.teardown());

const outcome = (status: ProfileOutcome['status']): ProfileOutcome => ({
  status,
  errorCode: status === 'failed' ? 'query_too_large' : null,
});

/** Activities that succeed, except for a test's changes; every call is recorded in order. */
function recording(change: Partial<Activities> = {}): { activities: Activities; calls: string[] } {
  const calls: string[] = [];
  const given: Activities = {
    beginProfile: async () => 'begun',
    computeProfile: async () => outcome('succeeded'),
    endProfile: async (_input, status) => outcome(status),
    ...change,
  };
  const activities: Activities = {
    beginProfile: (input) => {
      calls.push('begin');
      return given.beginProfile(input);
    },
    computeProfile: (input) => {
      calls.push('compute');
      return given.computeProfile(input);
    },
    endProfile: (input, status) => {
      calls.push(`end ${status}`);
      return given.endProfile(input, status);
    },
  };
  return { activities, calls };
}

function run(
  { beginProfile, endProfile, computeProfile }: Activities,
  during?: (workflowId: string) => Promise<void>,
  history?: string,
): Promise<string> {
  const input = { organizationId: 'org_test', tableId: 'tbl_1', runId: 'run_1' };
  const control = { beginProfile, endProfile };
  return runToEnd(env, { type: 'profile', input, control, lake: { computeProfile }, during, history });
}

test('a profile waits for its turn, and is computed once', async () => {
  let turns = 0;
  const { activities, calls } = recording({
    beginProfile: async () => {
      turns += 1;
      return turns < 4 ? 'waiting' : 'begun';
    },
  });
  expect(await run(activities, undefined, 'waited')).toBe('COMPLETED');
  expect(calls).toEqual(['begin', 'begin', 'begin', 'begin', 'compute']);
});

test('what cannot be retried is tried once; a store that is away is tried ten times', async () => {
  const refused = recording({
    computeProfile: async () => {
      throw ApplicationFailure.create({ type: 'query_too_large', message: 'no', nonRetryable: true });
    },
  });
  expect(await run(refused.activities, undefined, 'failed')).toBe('FAILED');
  expect(refused.calls).toEqual(['begin', 'compute', 'end failed']);
  const away = recording({
    computeProfile: async () => {
      throw new Error('away');
    },
  });
  expect(await run(away.activities)).toBe('FAILED');
  expect(away.calls.filter((name) => name === 'compute')).toHaveLength(10);
});

test('a cancel ends it while it waits, while it reads, and before it begins', async () => {
  const waiting = recording({ beginProfile: async () => 'waiting' });
  const whileWaiting = async (workflowId: string) => {
    const handle = env.client.workflow.getHandle(workflowId);
    await untilEvent(handle, 'timerStartedEventAttributes');
    await handle.cancel();
  };
  expect(await run(waiting.activities, whileWaiting)).toBe('CANCELLED');
  expect(waiting.calls.at(-1)).toBe('end cancelled');
  const begun = Promise.withResolvers<void>();
  const reading = recording({
    computeProfile: async () => {
      begun.resolve();
      const beat = setInterval(() => Context.current().heartbeat(), 100);
      try {
        return await Context.current().cancelled;
      } finally {
        clearInterval(beat);
      }
    },
  });
  const whileReading = async (workflowId: string) => {
    await begun.promise;
    await cancelActivityOf(env.client.workflow.getHandle(workflowId));
  };
  expect(await run(reading.activities, whileReading, 'cancelled')).toBe('CANCELLED');
  expect(reading.calls).toEqual(['begin', 'compute', 'end cancelled']);
  const ended = recording({ beginProfile: async () => 'ended' });
  expect(await run(ended.activities)).toBe('COMPLETED');
  expect(ended.calls).toEqual(['begin', 'end cancelled']);
});

test('a profile that was kept before the cancel came stays succeeded', async () => {
  const { activities, calls } = recording({
    computeProfile: async () => {
      throw ApplicationFailure.create({
        type: 'gone',
        message: 'lost after it was kept',
        nonRetryable: true,
      });
    },
    endProfile: async () => outcome('succeeded'),
  });
  expect(await run(activities)).toBe('COMPLETED');
  expect(calls).toEqual(['begin', 'compute', 'end failed']);
});
