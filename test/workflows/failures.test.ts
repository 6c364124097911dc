import { randomUUID } from 'node:crypto';
import type { WorkflowFailedError, WorkflowHandle } from '@temporalio/client';
import type { ApplicationFailure } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { taskQueues } from '../../workflows/task-queues.ts';
import { useTimeSkipping } from '../support/conversation-process.ts';
import { expectEventually } from '../support/eventually.ts';
import { address, organizationId } from './process.ts';
import { processes, workflowTypes } from './processes.ts';

/** A failed process in Temporal's UI shows what failed, what to do, and where the API has more. */
const skipping = useTimeSkipping();

/** All others never fail: they wait, and others report on what they wait for. */
const failing = Object.values(processes).flatMap((process) =>
  'failure' in process ? [{ type: process.type, ...process.failure }] : [],
);

test('every process that may fail is among them', () => {
  expect(failing.length).toBeGreaterThan(10);
  expect(Object.keys(processes).sort()).toEqual(workflowTypes.toSorted());
});

/** The details shown with the process in the UI. */
async function detailsOf(handle: WorkflowHandle): Promise<string> {
  const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return currentDetails;
}

test.each(failing)(
  'a failure of $type says what failed, by which code, what to do and where to look',
  { timeout: 300_000, retry: 1 },
  async ({ type, input, activities, told, goesOn }) => {
    const { env, workflowBundle } = skipping;
    const connection = env.nativeConnection;
    const worker = (taskQueue: string) =>
      Worker.create({ connection, workflowBundle, taskQueue, activities });
    const [control, lake, agent] = await Promise.all(Object.values(taskQueues).map(worker));
    const work = async () => {
      const handle = await env.client.workflow.start(type, {
        workflowId: `${type}/${randomUUID()}`,
        taskQueue: taskQueues.control,
        args: [{ organizationId, ...input }],
        memo: { address },
      });
      if (goesOn) {
        const wanted = `${told.what}`;
        await expectEventually(() => detailsOf(handle)).toContain(wanted);
        const details = await detailsOf(handle);
        await handle.cancel();
        return { said: details, details };
      }
      const error = await handle.result().catch((failure: unknown) => failure);
      const cause = (error as WorkflowFailedError).cause as ApplicationFailure;
      expect(cause.type).toBe(told.code);
      return { said: cause.message, details: await detailsOf(handle) };
    };
    const { said, details } = await control!.runUntil(lake!.runUntil(agent!.runUntil(work)));
    for (const text of [said, details]) {
      expect(text).toContain(told.what);
      expect(text).toContain(`failed with ${told.code}.`);
      expect(text.toLowerCase()).toContain(told.advice);
      expect(text).toContain(`GET ${told.address ?? address} `);
      expect(text).not.toContain('hunter2');
    }
  },
);
