import { beforeAll, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { workflowRunSteps } from '../../../../domain/automation/workflows/runs/reconcile.ts';
import { projectOf } from '../../../support/conversations.ts';
import { eventually } from '../../../support/eventually.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { attachedTable } from '../../../support/runs.ts';
import { useWorker } from '../../../support/worker.ts';
import { graphOf, node, steps, workflowsOf } from '../../../support/workflows.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

/** The data of long runs, and workflows during the archiving of their project. */
const workspace = useOwnWorkspace();
useWorker(workspace);

const dayMs = 86_400_000;
let client: TestClient;
let project: string;
let orders: string;
let workflows: ReturnType<typeof workflowsOf>;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  workflows = workflowsOf(client, () => project);
  orders = await attachedTable(client, project, 'orders', [{ s_id: 1, amount: 2 }]);
});

const query = <T>(work: Parameters<typeof inOrganization<T>>[2]) =>
  inOrganization(workspace.deps.db, client.organizationId, work);

const pinsOf = (runId: string) =>
  query((db) =>
    db.selectFrom('lake_pins').selectAll().where('holder', '=', `workflow-run/${runId}`).execute(),
  );

test('the data of a run is kept for as long as it goes on', async () => {
  const { id } = await workflows.active(
    graphOf(
      [
        node('long', 'wait', { seconds: 366 * 86_400 }),
        node('sales', 'query', { sql: 'SELECT sum(amount) AS total FROM orders' }),
      ],
      [['long.done', 'sales.start']],
    ),
  );
  const { id: runId } = await workflows.start(id);
  await workflows.until(id, runId, (run) => steps(run)['long'] === 'running');
  const renewed = async (leftMs: number) => {
    await query((db) =>
      db
        .updateTable('lake_pins')
        .set({ expires_at: new Date(Date.now() + leftMs) })
        .where('holder', '=', `workflow-run/${runId}`)
        .execute(),
    );
    await reconcile(workspace, workflowRunSteps(workspace.activityDeps, 0));
    const [pin] = await pinsOf(runId);
    return Math.round((pin!.expires_at.getTime() - Date.now()) / dayMs);
  };
  expect(await renewed(dayMs)).toBe(35);
  expect(await renewed(31 * dayMs)).toBe(31);
  await client.call('POST', `/v1/workflows/${id}/runs/${runId}/cancel?confirm=true`);
  await workflows.ended(id, runId);
  expect(await pinsOf(runId)).toEqual([]);
});

test('a run whose data is no longer kept says so, and continues with the newest data on request', async () => {
  const total = 'SELECT sum(amount) AS total FROM orders';
  const { id } = await workflows.active(
    graphOf(
      [
        node('enough', 'condition', { sql: 'SELECT total > 10 FROM input' }),
        node('sales', 'query', { sql: total }),
        node('release', 'approval', { message: 'Well?' }),
        node('told', 'report', { title: 'Sold', content: '${again.rows}' }),
        node('again', 'query', { sql: total }),
      ],
      [
        ['sales.rows', 'enough.input'],
        ['release.done', 'again.start'],
      ],
    ),
  );
  const { id: runId } = await workflows.start(id);
  await workflows.until(id, runId, ({ status }) => status === 'waiting');
  const decide = async (decision: string) => {
    const approvals = `/v1/workflows/${id}/runs/${runId}/approvals`;
    const asked = await eventually(
      async () => (await client.call('GET', approvals)).body.items,
      (items) => items.some(({ status }: { status: string }) => status === 'pending'),
    );
    const { id: approval } = asked.find(({ status }: { status: string }) => status === 'pending');
    await client.call('POST', `${approvals}/${approval}`, { body: { decision } });
  };
  await decide('deny');
  expect((await workflows.ended(id, runId)).status).toBe('failed');
  const [pin] = await pinsOf(runId);
  expect(Math.round((pin!.expires_at.getTime() - Date.now()) / dayMs)).toBe(7);
  await query((db) => db.deleteFrom('lake_pins').where('holder', '=', `workflow-run/${runId}`).execute());
  const resume = (data = '') => client.call('POST', `/v1/workflows/${id}/runs/${runId}/resume${data}`);
  const refused = await resume();
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({
    code: 'version_expired',
    detail: expect.stringContaining('data=newest'),
  });
  expect((await workflows.shown(id, runId)).status).toBe('failed');
  const rows = { body: { rows: [{ s_id: 2, amount: 40 }] } };
  const appended = await client.call('POST', `/v1/tables/${orders}/rows`, rows);
  expect(appended.status, appended.text).toBe(200);
  const resumed = await resume('?data=newest');
  expect(resumed.status, resumed.text).toBe(202);
  await decide('allow');
  const run = await workflows.ended(id, runId);
  expect(run.status, JSON.stringify(run.error)).toBe('succeeded');
  const report = `/v1/projects/${project}/reports/${run.output.reportIds[0]}/content`;
  expect((await client.call('GET', report)).text).toBe('42');
});

test('no workflow is active in an archived project, however close an activation came', async () => {
  const url = '/v1/workflows';
  for (let round = 0; round < 12; round += 1) {
    const own = await projectOf(client);
    const body = { project_id: own, title: 'Sales', graph: graphOf([node('one', 'wait', { seconds: 1 })]) };
    const { id, revision } = (await client.call('POST', url, { body })).body.data;
    const activation = { body: { expected_revision: revision } };
    const [activated, archived] = await Promise.all([
      client.call('POST', `${url}/${id}/activation`, activation),
      client.call('DELETE', `/v1/projects/${own}`),
    ]);
    expect([activated.status, archived.status]).toEqual([expect.toBeOneOf([200, 409]), 200]);
    const { status } = (await client.call('GET', `${url}/${id}`)).body.data;
    expect(status).toBe(activated.status === 200 ? 'paused' : 'draft');
  }
});

test('an activation waits for an archive of its project that is under way, and is refused', async () => {
  const own = await projectOf(client);
  const body = { project_id: own, title: 'Sales', graph: graphOf([node('one', 'wait', { seconds: 1 })]) };
  const { id, revision } = (await client.call('POST', '/v1/workflows', { body })).body.data;
  const activate = () =>
    client.call('POST', `/v1/workflows/${id}/activation`, { body: { expected_revision: revision } });
  let activation: ReturnType<typeof activate> | undefined;
  await query(async (db) => {
    await db.updateTable('projects').set({ archived_at: new Date() }).where('id', '=', own).execute();
    activation = activate();
    // It holds no lock that the archiving still needs.
    await eventually(
      async () => {
        const waiting = await workspace.deps.lake.catalogPool.query(
          "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return waiting.rows[0].n as number;
      },
      (count) => count > 0,
    );
    await db.selectFrom('workflows').selectAll().where('id', '=', id).forUpdate().execute();
  });
  expect(await activation).toMatchObject({ status: 409, body: { code: 'conflict' } });
});
