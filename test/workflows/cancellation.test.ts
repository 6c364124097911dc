import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureSearchAttributes } from '../../worker/search-attributes.ts';
import type { TableImportOutcome } from '../../workflows/intake/table-import/contract.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { useOwnTemporal } from '../support/own-temporal.ts';
import { cancelActivityOf, quietRuntime } from '../support/temporal.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';

/** The server that is shipped: the one that skips time tries an attempt again although it is cancelled. */
const server = useOwnTemporal();
let connection: NativeConnection;

beforeAll(async () => {
  quietRuntime();
  const { address, namespace } = server();
  const admin = await Connection.connect({ address });
  await ensureSearchAttributes(admin, namespace);
  await admin.close();
  connection = await NativeConnection.connect({ address });
});

afterAll(() => connection?.close());

test.each([
  ['an attempt that fails', 'CANCELLED', { type: 'internal_error', nonRetryable: false }],
  ['a file that turns out unreadable', 'FAILED', { type: 'BadFile', nonRetryable: true }],
])('%s while a cancel is under way ends the import %s', async (_what, ended, failure) => {
  const begun = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const ends: string[] = [];
  let attempts = 0;
  const activities = {
    beginTableImport: async () => true,
    stageTableImport: async () => {
      attempts += 1;
      begun.resolve();
      await cancelled.promise;
      throw ApplicationFailure.create({ ...failure, message: 'lost' });
    },
    discardStagedImport: async () => undefined,
    endTableImport: async (_input: unknown, status: TableImportOutcome['status']) => {
      ends.push(status);
      return { status, rows: 0, quarantinedRows: 0, errorCode: null };
    },
  };
  const { namespace } = server();
  const [control, lake] = await Promise.all([
    Worker.create({
      ...{ connection, namespace, activities },
      taskQueue: taskQueues.control,
      workflowBundle: workflowBundle(),
    }),
    Worker.create({ connection, namespace, activities, taskQueue: taskQueues.lake }),
  ]);
  const status = await control.runUntil(
    lake.runUntil(async () => {
      const importId = randomUUID();
      const handle = await new Client({ connection, namespace }).workflow.start('tableImport', {
        workflowId: `import/${importId}`,
        taskQueue: taskQueues.control,
        args: [{ organizationId: 'org_test', importId }],
      });
      await begun.promise;
      await cancelActivityOf(handle);
      cancelled.resolve();
      await handle.result().catch(() => undefined);
      return (await handle.describe()).status.name;
    }),
  );
  expect(status).toBe(ended);
  expect(ends).toEqual([ended.toLowerCase()]);
  expect(attempts).toBe(1);
});
