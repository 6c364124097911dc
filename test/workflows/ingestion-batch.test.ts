import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ingestionBatchControlActivities } from '../../activities/intake/control.ts';
import { ingestionBatchLakeActivities } from '../../activities/intake/lake.ts';
import { buildApp } from '../../api/app.ts';
import type { Routes } from '../../api/deps.ts';
import { AppError } from '../../data/errors.ts';
import { createProcesses } from '../../data/processes/processes.ts';
import { batchStates } from '../../domain/intake/ingestion/ingestion-batches.ts';
import { batchProcess } from '../../domain/intake/ingestion/process.ts';
import { batchSteps } from '../../domain/intake/ingestion/reconcile.ts';
import { activityErrors } from '../../worker/interceptors.ts';
import type {
  IngestionBatchControlActivities,
  IngestionBatchLakeActivities,
} from '../../workflows/intake/ingestion-batch/contract.ts';
import { taskQueues } from '../../workflows/task-queues.ts';
import { expectEventually } from '../support/eventually.ts';
import { keepHistory } from '../support/histories.ts';
import { reconcile } from '../support/reconcile.ts';
import { quietRuntime, timeSkipping } from '../support/temporal.ts';
import { workflowBundle } from '../support/workflow-bundle.ts';
import { type Answer, type TestClient, useOwnWorkspace } from '../support/workspace.ts';

/**
 * The real API, activities and stores; only Temporal's time is skipped, and a server's clock is used once.
 */
const workspace = useOwnWorkspace();

type Activities = IngestionBatchControlActivities & IngestionBatchLakeActivities;

let env: TestWorkflowEnvironment;
let app: Routes;
let client: TestClient;
let table: string;

beforeAll(async () => {
  quietRuntime();
});

beforeEach(async () => {
  env = await timeSkipping();
  app = await buildApp({ ...workspace.deps, processes: createProcesses(workspace.deps.db, env.client) });
  client = await workspace.organization();
  const made = await call('POST', '/v1/grid/tables', { name: 't', kind: 'data', columns: [{ name: 'a' }] });
  table = `/v1/tables/${made.json().data.tableId}`;
});

afterEach(async () => {
  await app.close();
  await env.teardown();
});

async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object) {
  return app.inject({
    method,
    url,
    headers: { authorization: `Bearer ${await client.token()}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
}

async function open(body: object = { mode: 'append' }): Promise<{ id: string; url: string }> {
  const opened = await call('POST', `${table}/ingestion-batches`, body);
  expect(opened.statusCode, opened.body).toBe(201);
  const { id } = opened.json().data;
  return { id, url: `${table}/ingestion-batches/${id}` };
}

async function stage(url: string, page: number, records: object[]): Promise<void> {
  const staged = await call('PUT', `${url}/pages/${page}`, { records });
  expect(staged.statusCode, staged.body).toBe(200);
}

const show = async (url: string): Promise<Answer['body']> => (await call('GET', url)).json().data;
const rows = async (): Promise<Answer['body'][]> => (await call('GET', `${table}/rows`)).json().items;
const handleOf = (id: string) => env.client.workflow.getHandle(batchProcess.workflowId(id));

/** The process's status in Temporal once it has ended, and its outcome. */
async function endOf(id: string): Promise<string> {
  const handle = handleOf(id);
  await handle.result().catch(() => undefined);
  const { status, searchAttributes } = await handle.describe();
  return `${status.name} ${searchAttributes['Outcome']?.[0]}`;
}

/** Runs `work` with workers on both queues, with the real activities except for a test's changes. */
async function withWorkers<T>(
  work: () => Promise<T>,
  change: (real: Activities) => Partial<Activities> = () => ({}),
): Promise<T> {
  const control = ingestionBatchControlActivities(workspace.activityDeps);
  const lake = ingestionBatchLakeActivities(workspace.activityDeps);
  const activities = { ...control, ...lake, ...change({ ...control, ...lake }) };
  const shared = {
    connection: env.nativeConnection,
    activities,
    interceptors: { activity: [activityErrors(pino({ level: 'silent' }))] },
  };
  const [first, second] = await Promise.all([
    Worker.create({ ...shared, workflowBundle: workflowBundle(), taskQueue: taskQueues.control }),
    Worker.create({ ...shared, taskQueue: taskQueues.lake }),
  ]);
  return first.runUntil(second.runUntil(work));
}

/**
 * Cancels the process and waits for the effect: time must not be skipped to the batch's expiry before the
 * cancel arrives.
 */
async function cancel(id: string, url: string): Promise<void> {
  await handleOf(id).cancel();
  await expectEventually(async () => (await show(url)).status).not.toBe('open');
}

async function historyLength(id: string): Promise<number> {
  return (await handleOf(id).fetchHistory()).events?.length ?? 0;
}

test('a batch nobody completes expires after its day, and its pages are gone', async () => {
  const { id, url } = await open();
  await stage(url, 1, [{ s_id: 1 }]);
  expect(await withWorkers(() => endOf(id))).toBe('COMPLETED expired');
  expect(await show(url)).toMatchObject({ status: 'expired', pagesStaged: 1, recordsStaged: 1 });
  const late = await call('PUT', `${url}/pages/2`, { records: [] });
  expect([late.statusCode, late.json().code]).toEqual([409, 'batch_not_open']);
  await keepHistory(handleOf(id), 'ingestion-batch-expired');
});

test('a completed batch is applied once, however often it is completed, in a short history', async () => {
  const { id, url } = await open();
  for (let page = 1; page <= 30; page += 1) await stage(url, page, [{ s_id: page, a: page }]);
  for (let time = 0; time < 3; time += 1) {
    const completed = await call('POST', `${url}/complete`, { page_count: 30 });
    expect([completed.statusCode, completed.json().data.status]).toEqual([202, 'completing']);
  }
  expect(await withWorkers(() => endOf(id))).toBe('COMPLETED applied');
  expect((await call('POST', `${url}/complete`, { page_count: 30 })).json().data.status).toBe('applied');
  expect(await rows()).toHaveLength(30);
  expect(await historyLength(id)).toBeLessThan(60);
  await keepHistory(handleOf(id), 'ingestion-batch-applied');
});

test('an apply that fails halfway is tried again, and one that was committed is not repeated', async () => {
  const { id, url } = await open();
  await stage(url, 1, [{ s_id: 1 }, { s_id: 2 }]);
  await call('POST', `${url}/complete`, { page_count: 1 });
  let tries = 0;
  const status = await withWorkers(
    () => endOf(id),
    ({ applyIngestionBatch }) => ({
      applyIngestionBatch: async (input) => {
        tries += 1;
        if (tries < 5) throw new AppError('storage_unavailable', 'away');
        // The state left by a process that dies after the commit and before reporting it.
        if (tries === 5) {
          await applyIngestionBatch(input);
          await workspace.deps.lake.catalogPool.query(
            `UPDATE ingestion_batches SET status = 'applying', rows_inserted = NULL WHERE id = $1`,
            [id],
          );
          throw new Error('gone');
        }
        return applyIngestionBatch(input);
      },
    }),
  );
  expect([status, tries]).toEqual(['COMPLETED applied', 6]);
  expect(await show(url)).toMatchObject({ status: 'applied', rowsInserted: 2 });
  expect(await rows()).toHaveLength(2);
});

test('an apply whose tries are spent fails for good: a try that lingers can no longer commit', async () => {
  const { id, url } = await open();
  await stage(url, 1, [{ s_id: 1 }]);
  await call('POST', `${url}/complete`, { page_count: 1 });
  let real: Activities | undefined;
  const status = await withWorkers(
    () => endOf(id),
    (given) => {
      real = given;
      return {
        applyIngestionBatch: async () => {
          throw new AppError('storage_unavailable', 'away');
        },
        // The pages stay, as for an attempt that has already read them.
        cleanUpIngestionBatch: async () => undefined,
      };
    },
  );
  expect(status).toBe('FAILED failed');
  expect(await show(url)).toMatchObject({ status: 'failed', error: { code: 'internal_error' } });
  await workspace.deps.lake.catalogPool.query(
    `UPDATE ingestion_batches SET status = 'applying' WHERE id = $1`,
    [id],
  );
  const input = { organizationId: client.organizationId, batchId: id } as never;
  await expect(real!.applyIngestionBatch(input)).rejects.toThrow();
  expect(await rows()).toEqual([]);
  await keepHistory(handleOf(id), 'ingestion-batch-given-up');
});

test('a batch that awaits confirmation goes on with it, and expires without it', async () => {
  await call('POST', `${table}/rows`, { rows: [{ s_id: 1 }, { s_id: 2 }, { s_id: 3 }] });
  const guarded = { mode: 'replace', guard: { max_shrink_ratio: 0.1 } };
  const [confirmed, forgotten] = [await open(guarded), await open(guarded)];
  for (const { url } of [confirmed, forgotten]) {
    await stage(url, 1, [{ s_id: 9 }]);
    await call('POST', `${url}/complete`, { page_count: 1 });
  }
  await withWorkers(async () => {
    for (const { url } of [confirmed, forgotten])
      while ((await show(url)).status !== 'awaiting_confirmation') await env.sleep(0);
    const again = await call('POST', `${confirmed.url}/complete`, { page_count: 1, confirm_shrink: true });
    expect(again.statusCode).toBe(202);
    while ((await show(confirmed.url)).status !== 'applied') await env.sleep(0);
    expect(await endOf(forgotten.id)).toBe('COMPLETED expired');
  });
  expect(await rows()).toMatchObject([{ s_id: 9 }]);
  await keepHistory(handleOf(confirmed.id), 'ingestion-batch-confirmed');
});

test('an abort is possible in every state before applying, and in no other', async () => {
  const made = new Map<string, { id: string; url: string }>();
  for (const status of Object.keys(batchStates.transitions)) {
    const batch = await open();
    await stage(batch.url, 1, [{ s_id: 1 }]);
    await workspace.deps.lake.catalogPool.query('UPDATE ingestion_batches SET status = $2 WHERE id = $1', [
      batch.id,
      status,
    ]);
    made.set(status, batch);
  }
  const ended: string[] = [];
  for (const [status, { id, url }] of made) {
    const aborted = await call('DELETE', `${url}?confirm=true`);
    const isLegal =
      batchStates.transitions[status as keyof typeof batchStates.transitions].includes('aborted');
    const isSame = status === 'aborted';
    expect([status, aborted.statusCode]).toEqual([status, isLegal || isSame ? 200 : 409]);
    if (isLegal || isSame) ended.push(id);
    else expect(aborted.json().code).toBe('batch_not_open');
  }
  expect(ended).toHaveLength(4);
  await withWorkers(async () => {
    for (const id of ended) expect(await endOf(id)).toBe('CANCELLED aborted');
  });
});

test('a rotation between complete and apply fences the batch', async () => {
  const [, , , tableId] = table.split('/');
  const sync = await call('POST', '/v1/data-syncs', { table_id: tableId, provider: 'p', generation: 'g1' });
  const syncId = sync.json().data.id;
  const { id, url } = await open({ mode: 'append', sync_id: syncId });
  await stage(url, 1, [{ s_id: 1 }]);
  expect((await call('POST', `${url}/complete`, { page_count: 1 })).statusCode).toBe(202);
  await call('PUT', `/v1/data-syncs/${syncId}/generation`, { generation: 'g2' });
  expect(await withWorkers(() => endOf(id))).toBe('FAILED failed');
  expect((await show(url)).error.code).toBe('generation_fenced');
  expect(await rows()).toEqual([]);
});

test('a cancel from the operator aborts a waiting batch', async () => {
  const { id, url } = await open();
  await withWorkers(async () => {
    await cancel(id, url);
    expect(await endOf(id)).toBe('CANCELLED aborted');
  });
  expect((await show(url)).status).toBe('aborted');
  await keepHistory(handleOf(id), 'ingestion-batch-cancelled');
});

test('a process that was ended from outside is started again, and finishes its batch', async () => {
  const { id, url } = await open();
  await stage(url, 1, [{ s_id: 1 }]);
  await withWorkers(async () => {
    await cancel(id, url);
    // Not by waiting for its result, which would allow time to be skipped.
    await expectEventually(async () => (await handleOf(id).describe()).status.name).not.toBe('RUNNING');
    // As if it had been terminated before it could do anything, and a complete request came after.
    await workspace.deps.lake.catalogPool.query(
      `UPDATE ingestion_batches SET status = 'open', cleaned_at = NULL, page_count = NULL WHERE id = $1`,
      [id],
    );
    const again = await open();
    await stage(again.url, 1, [{ s_id: 5 }]);
    await call('POST', `${again.url}/complete`, { page_count: 1 });
    await workspace.deps.lake.catalogPool.query(
      `UPDATE ingestion_batches SET status = 'aborted', moved_at = now() - interval '1 minute' WHERE id = $1`,
      [id],
    );
    // Batches of the previous tests ran on servers that no longer exist.
    await workspace.deps.lake.catalogPool.query(
      'UPDATE ingestion_batches SET cleaned_at = now() WHERE organization_id <> $1',
      [client.organizationId],
    );
    const processes = createProcesses(workspace.deps.db, env.client);
    await reconcile(workspace, batchSteps({ ...workspace.deps, processes }));
    expect(await endOf(id)).toBe('COMPLETED aborted');
    expect(await endOf(again.id)).toBe('COMPLETED applied');
  });
  expect((await show(url)).status).toBe('aborted');
});
