import { expect, test } from 'vitest';
import { newId } from '../../../data/ids.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { maintenanceProcess } from '../../../domain/tables/lake-maintenance/process.ts';
import { lakeMaintenanceSteps } from '../../../domain/tables/lake-maintenance/reconcile.ts';
import { ensureActiveLakeMaintenanceRun } from '../../../domain/tables/lake-maintenance/runs.ts';
import { eventually } from '../../support/eventually.ts';
import { reconcile as reconcileSteps } from '../../support/reconcile.ts';
import { useWorker } from '../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace();
useWorker(workspace);

const reconcile = () =>
  reconcileSteps(workspace, lakeMaintenanceSteps(workspace.deps, { intervalSeconds: 3_600 }));

async function ended(client: TestClient, location: string) {
  return eventually(
    async () => (await client.call('GET', location)).body.data,
    ({ status }) => !['queued', 'running'].includes(status),
  );
}

async function clientWithRows(): Promise<TestClient> {
  const client = await workspace.organization();
  const table = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'readings', kind: 'data', columns: [{ name: 'amount', data_type: 'INTEGER' }] },
  });
  for (const id of [1, 2, 3]) {
    await client.call('POST', `/v1/tables/${table.body.data.tableId}/rows`, {
      body: { rows: [{ s_id: id, amount: id }] },
    });
  }
  return client;
}

async function isRunning(organizationId: string): Promise<boolean> {
  const handle = workspace.temporal.workflow.getHandle(maintenanceProcess.workflowId(organizationId));
  return (await handle.describe()).status.name === 'RUNNING';
}

async function backdate(organizationId: string): Promise<void> {
  const { catalogPool } = workspace.deps.lake;
  await catalogPool.query(
    `UPDATE lakes SET maintenance_started_at = maintenance_started_at - interval '4 hours' WHERE organization_id = $1`,
    [organizationId],
  );
  await catalogPool.query(
    `UPDATE lake_maintenance_runs SET created_at = created_at - interval '4 hours',
       started_at = started_at - interval '4 hours', finished_at = finished_at - interval '4 hours'
     WHERE organization_id = $1`,
    [organizationId],
  );
}

test('a run that is asked for tends the lake and tells what it did; the lake reads as before', async () => {
  const client = await clientWithRows();
  await reconcile();
  expect(await isRunning(client.organizationId)).toBe(true);
  const asked = await client.call('POST', '/v1/lake-maintenance/runs');
  expect(asked.status, asked.text).toBe(202);
  expect(asked.body.data).toMatchObject({ status: 'queued', trigger: 'request', error: null });
  const location = String(asked.headers['location']);
  expect(location).toBe(`/v1/lake-maintenance/runs/${asked.body.data.id}`);
  const run = await ended(client, location);
  expect(run).toMatchObject({
    status: 'succeeded',
    trigger: 'request',
    figures: { tablesFlushed: 1, rowsFlushed: 3, tablesSkipped: 0, snapshotsExpired: 0, orphansRemoved: 0 },
    error: null,
  });
  const answer = await client.call('POST', '/v1/query-executions', {
    body: { sql: 'SELECT sum(amount)::INTEGER AS total FROM readings', row_format: 'rows' },
  });
  expect(answer.body.data.rows).toEqual([{ total: 6 }]);

  const second = await client.call('POST', '/v1/lake-maintenance/runs');
  await ended(client, String(second.headers['location']));
  const first = await client.call('GET', '/v1/lake-maintenance/runs?limit=1');
  expect(first.body.items.map(({ id }: { id: string }) => id)).toEqual([second.body.data.id]);
  const rest = await client.call('GET', `/v1/lake-maintenance/runs?limit=1&cursor=${first.body.nextCursor}`);
  expect(rest.body).toMatchObject({ items: [{ id: asked.body.data.id }], nextCursor: null });
});

test('while a run waits, whoever asks gets the same one; the reconciler brings it to a process that comes later', async () => {
  const client = await clientWithRows();
  const runs = await Promise.all([1, 2, 3].map(() => client.call('POST', '/v1/lake-maintenance/runs')));
  expect(new Set(runs.map(({ body }) => body.data.id)).size).toBe(1);
  await reconcile();
  expect(await ended(client, String(runs[0]!.headers['location']))).toMatchObject({ status: 'succeeded' });
});

test('the same idempotency key gets the same run, also when it has ended', async () => {
  const client = await clientWithRows();
  const headers = { 'idempotency-key': 'once' };
  const first = await client.call('POST', '/v1/lake-maintenance/runs', { headers });
  await reconcile();
  await ended(client, String(first.headers['location']));
  const again = await client.call('POST', '/v1/lake-maintenance/runs', { headers });
  expect(again.body.data.id).toBe(first.body.data.id);
});

test('maintenance that was ended from outside is started again when it has been silent for long, and closes the run it left', async () => {
  const client = await clientWithRows();
  const { organizationId } = client;
  await reconcile();
  await workspace.temporal.workflow
    .getHandle(maintenanceProcess.workflowId(organizationId))
    .terminate('by an operator');
  const left = await inOrganization(workspace.deps.db, organizationId, (db) =>
    ensureActiveLakeMaintenanceRun(db, {
      organization_id: organizationId,
      id: newId('car'),
      status: 'running',
      trigger: 'cadence',
      started_at: new Date(),
    }),
  );
  await reconcile();
  expect(await isRunning(organizationId)).toBe(false);
  await backdate(organizationId);
  await reconcile();
  expect(await isRunning(organizationId)).toBe(true);
  expect(await ended(client, `/v1/lake-maintenance/runs/${left.id}`)).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('outside') },
  });
});

test('an organization whose lake is not made yet can ask too', async () => {
  const client = await workspace.organization();
  const asked = await client.call('POST', '/v1/lake-maintenance/runs');
  expect(asked.status, asked.text).toBe(202);
  await reconcile();
  expect(await ended(client, String(asked.headers['location']))).toMatchObject({ status: 'succeeded' });
});
