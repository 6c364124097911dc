import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importProcess } from '../../domain/intake/file-imports/process.ts';
import type {
  StagedImport,
  TableImportControlActivities,
  TableImportLakeActivities,
  TableImportOutcome,
} from '../../workflows/intake/table-import/contract.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { keepHistory } from '../support/histories.ts';
import { cancelActivityOf, quietRuntime, timeSkipping } from '../support/temporal.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';

type Activities = TableImportControlActivities & TableImportLakeActivities;

let env: TestWorkflowEnvironment;

beforeAll(async () => {
  quietRuntime();
  env = await timeSkipping();
});

afterAll(() => env?.teardown());

const outcome = (status: TableImportOutcome['status']): TableImportOutcome => ({
  status,
  rows: status === 'succeeded' ? 3 : 0,
  quarantinedRows: 0,
  errorCode: status === 'failed' ? 'bad_row' : null,
});

const staged: StagedImport = { rows: 3, quarantinedRows: 0 };

/** Activities that succeed, except for a test's changes; every call is recorded in order. */
function recording(change: Partial<Activities> = {}): { activities: Activities; calls: string[] } {
  const calls: string[] = [];
  const activities: Activities = {
    beginTableImport: async () => true,
    stageTableImport: async () => staged,
    commitTableImport: async () => outcome('succeeded'),
    discardStagedImport: async () => undefined,
    endTableImport: async (_input, status) => outcome(status),
    ...change,
  };
  const named = Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [
      name,
      (...args: never[]) => {
        calls.push(name === 'endTableImport' ? `${name} ${args[1]}` : name);
        return (activity as (...given: never[]) => unknown)(...args);
      },
    ]),
  );
  return { activities: named as unknown as Activities, calls };
}

async function run(
  activities: Activities,
  during: (workflowId: string) => Promise<void> = async () => undefined,
  name?: string,
) {
  const importId = randomUUID();
  const workflowId = importProcess.workflowId(importId);
  const { beginTableImport, endTableImport, ...lake } = activities;
  const shared = { connection: env.nativeConnection, workflowBundle: workflowBundle() };
  const control = await Worker.create({
    ...shared,
    taskQueue: taskQueues.control,
    activities: { beginTableImport, endTableImport },
  });
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue: taskQueues.lake,
    activities: lake,
  });
  return control.runUntil(
    worker.runUntil(async () => {
      const handle = await env.client.workflow.start('tableImport', {
        workflowId,
        taskQueue: taskQueues.control,
        args: [{ organizationId: 'org_test', importId }],
      });
      await during(workflowId);
      const result = await handle.result().catch((error: unknown) => error);
      const { status } = await handle.describe();
      expect(result instanceof WorkflowFailedError).toBe(status.name !== 'COMPLETED');
      if (name !== undefined) await keepHistory(handle, `table-import-${name}`);
      return status.name;
    }),
  );
}

test('a staged file is committed and nothing is discarded', async () => {
  const { activities, calls } = recording();
  expect(await run(activities, undefined, 'succeeded')).toBe('COMPLETED');
  expect(calls).toEqual(['beginTableImport', 'stageTableImport', 'commitTableImport']);
});

test('a store that is away for hours of retries delays the import and does not fail it', async () => {
  let tries = 0;
  const { activities, calls } = recording({
    stageTableImport: async () => {
      tries += 1;
      if (tries < 15) throw ApplicationFailure.create({ type: 'storage_unavailable', message: 'away' });
      return staged;
    },
  });
  expect(await run(activities)).toBe('COMPLETED');
  expect(calls.filter((name) => name === 'stageTableImport')).toHaveLength(15);
});

test('a file that cannot be read is tried once; what was staged is discarded and the import ends failed', async () => {
  const { activities, calls } = recording({
    stageTableImport: async () => {
      throw ApplicationFailure.create({ type: 'BadFile', message: 'bad_row', nonRetryable: true });
    },
  });
  expect(await run(activities, undefined, 'failed')).toBe('FAILED');
  expect(calls).toEqual([
    'beginTableImport',
    'stageTableImport',
    'discardStagedImport',
    'endTableImport failed',
  ]);
});

test('staging gives up after its bounded tries, and the import ends failed', async () => {
  const { activities, calls } = recording({
    stageTableImport: async () => {
      throw new Error('never');
    },
  });
  expect(await run(activities)).toBe('FAILED');
  expect(calls.filter((name) => name === 'stageTableImport')).toHaveLength(20);
  expect(calls.at(-1)).toBe('endTableImport failed');
});

test('a commit is retried for as long as it takes: it may have happened', async () => {
  let tries = 0;
  const { activities } = recording({
    commitTableImport: async () => {
      tries += 1;
      if (tries < 60) throw ApplicationFailure.create({ type: 'storage_unavailable', message: 'away' });
      return outcome('succeeded');
    },
  });
  expect(await run(activities)).toBe('COMPLETED');
  expect(tries).toBe(60);
});

test('a cancel interrupts staging, discards what was staged and never commits', async () => {
  let begun: () => void = () => undefined;
  const staging = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const { activities, calls } = recording({
    stageTableImport: async () => {
      const context = Context.current();
      begun();
      const beat = setInterval(() => context.heartbeat({ fraction: 0.5 }), 50);
      try {
        await context.cancelled;
      } finally {
        clearInterval(beat);
      }
      return staged;
    },
  });
  const ended = await run(
    activities,
    async (workflowId) => {
      await staging;
      await env.client.workflow.getHandle(workflowId).cancel();
    },
    'cancelled',
  );
  expect(ended).toBe('CANCELLED');
  expect(calls).toEqual([
    'beginTableImport',
    'stageTableImport',
    'discardStagedImport',
    'endTableImport cancelled',
  ]);
});

test('a cancel that finds the file just read still comes before the commit', async () => {
  const begun = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const { activities, calls } = recording({
    stageTableImport: async () => {
      begun.resolve();
      await cancelled.promise;
      return staged;
    },
  });
  const ended = await run(activities, async (workflowId) => {
    await begun.promise;
    await cancelActivityOf(env.client.workflow.getHandle(workflowId));
    cancelled.resolve();
  });
  expect(ended).toBe('CANCELLED');
  expect(calls.slice(1)).toEqual(['stageTableImport', 'discardStagedImport', 'endTableImport cancelled']);
});

test('a cancel during the commit comes too late', async () => {
  let begun: () => void = () => undefined;
  let goOn: () => void = () => undefined;
  const committing = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const allowed = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const { activities } = recording({
    commitTableImport: async () => {
      begun();
      await allowed;
      return outcome('succeeded');
    },
  });
  const ended = await run(activities, async (workflowId) => {
    await committing;
    await env.client.workflow.getHandle(workflowId).cancel();
    goOn();
  });
  expect(ended).toBe('COMPLETED');
});

test('an import that has ended already is told as it ended, and nothing is staged', async () => {
  const { activities, calls } = recording({ beginTableImport: async () => false });
  expect(await run(activities)).toBe('COMPLETED');
  expect(calls).toEqual(['beginTableImport', 'endTableImport cancelled']);
});
