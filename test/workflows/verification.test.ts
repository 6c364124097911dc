import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type {
  VerificationControlActivities,
  VerificationLakeActivities,
} from '../../workflows/tables/verification/contract.ts';
import { noProcessFailure } from '../../workflows/waiting/names.ts';
import { cancelActivityOf, quietRuntime, timeSkipping, untilEvent } from '../support/temporal.ts';
import { runToEnd } from '../support/two-queues.ts';

type Activities = VerificationControlActivities & VerificationLakeActivities;

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  quietRuntime();
  env = await timeSkipping();
});

afterAll(() => env?.teardown());

/** Activities over so many tables, except for a test's changes; every call is recorded in order. */
function verifying(tables: number, change: Partial<Activities> = {}) {
  const calls: string[] = [];
  let left = tables;
  const given: Activities = {
    beginVerification: async () => 'begun',
    async verifyNextTable() {
      left = Math.max(0, left - 1);
      return left;
    },
    async endVerification(_input, isCancelled) {
      const status = left === 0 ? 'succeeded' : isCancelled ? 'cancelled' : 'failed';
      const outcome = left === 0 ? 'passed' : null;
      return {
        status,
        outcome,
        tested: tables - left,
        errorCode: status === 'failed' ? 'internal_error' : null,
      };
    },
    ...change,
  };
  const recorded =
    <Given extends unknown[], Result>(name: string, work: (...sent: Given) => Promise<Result>) =>
    (...sent: Given) => {
      calls.push(name);
      return work(...sent);
    };
  const activities: Activities = {
    beginVerification: recorded('begin', given.beginVerification),
    verifyNextTable: recorded('verify', given.verifyNextTable),
    endVerification: recorded('end', given.endVerification),
  };
  return { activities, calls };
}

function run(
  { verifyNextTable, ...control }: Activities,
  during?: (workflowId: string) => Promise<void>,
  history?: string,
): Promise<string> {
  const input = { organizationId: 'org_test', runId: 'run_1' };
  return runToEnd(env, { type: 'verification', input, control, lake: { verifyNextTable }, during, history });
}

test('a run waits for its turn, and tests its tables one after the other', async () => {
  let turns = 0;
  const { activities, calls } = verifying(3, {
    beginVerification: async () => {
      turns += 1;
      return turns < 3 ? 'waiting' : 'begun';
    },
  });
  expect(await run(activities, undefined, 'waited')).toBe('COMPLETED');
  expect(calls).toEqual(['begin', 'begin', 'begin', 'verify', 'verify', 'verify', 'end']);
});

test('where there is no process it waits by a timer, however long', async () => {
  let tries = 0;
  const { activities, calls } = verifying(1, {
    verifyNextTable: async () => {
      tries += 1;
      if (tries > 30) return 0;
      throw ApplicationFailure.create({ type: noProcessFailure, message: 'busy', nonRetryable: true });
    },
    endVerification: async () => ({ status: 'succeeded', outcome: 'failed', tested: 1, errorCode: null }),
  });
  // What the tests say is no failure of the process.
  expect(await run(activities, undefined, 'no-process')).toBe('COMPLETED');
  expect(calls.filter((call) => call === 'verify')).toHaveLength(31);
});

test('a store that is away is tried twenty times, and then the run fails', async () => {
  const { activities, calls } = verifying(1, {
    verifyNextTable: async () => {
      throw new Error('away');
    },
  });
  expect(await run(activities, undefined, 'failed')).toBe('FAILED');
  expect(calls.filter((call) => call === 'verify')).toHaveLength(20);
  expect(calls.at(-1)).toBe('end');
});

test('a cancel ends it while it waits and while it tests', async () => {
  const waiting = verifying(1, { beginVerification: async () => 'waiting' });
  const whileWaiting = async (workflowId: string) => {
    const handle = env.client.workflow.getHandle(workflowId);
    await untilEvent(handle, 'timerStartedEventAttributes');
    await handle.cancel();
  };
  expect(await run(waiting.activities, whileWaiting)).toBe('CANCELLED');
  expect(waiting.calls).not.toContain('verify');

  const begun = Promise.withResolvers<void>();
  const testing = verifying(2, {
    verifyNextTable: async () => {
      begun.resolve();
      const beat = setInterval(() => Context.current().heartbeat(), 100);
      try {
        return await Context.current().cancelled;
      } finally {
        clearInterval(beat);
      }
    },
  });
  const whileTesting = async (workflowId: string) => {
    await begun.promise;
    await cancelActivityOf(env.client.workflow.getHandle(workflowId));
  };
  expect(await run(testing.activities, whileTesting, 'cancelled')).toBe('CANCELLED');
  expect(testing.calls).toEqual(['begin', 'verify', 'end']);
});

test('a run that was cancelled before it began only ends', async () => {
  const { activities, calls } = verifying(0, { beginVerification: async () => 'ended' });
  expect(await run(activities)).toBe('COMPLETED');
  expect(calls).toEqual(['begin', 'end']);
});
