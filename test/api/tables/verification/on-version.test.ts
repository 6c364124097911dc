import { beforeAll, expect, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { startDueVerifications } from '../../../../domain/tables/verification/on-version.ts';
import { verificationSteps } from '../../../../domain/tables/verification/reconcile.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { verifying } from '../../../support/verification.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof verifying>;

beforeAll(async () => {
  client = await workspace.organization();
  on = verifying(client);
});

const look = (aheadMs: number) =>
  startDueVerifications(workspace.activityDeps, client.organizationId, Date.now() + aheadMs);

const runs = async () => (await client.call('GET', '/v1/verification-tests/runs')).body.items;

test('versions that follow each other are tested once, ten seconds after the first, each table at its newest', async () => {
  const one = await on.data('one', { a: 'INTEGER' });
  const two = await on.data('two', { a: 'INTEGER' });
  const untested = await on.data('untested', { a: 'INTEGER' });
  for (const table of [one, two]) await on.define(table, 'not_null', { columns: ['a'] });
  await look(60_000);
  // They were made before their tests.
  expect(await runs()).toEqual([]);
  await on.append(one, [{ s_id: 1, a: 1 }]);
  const second = await on.append(two, [{ s_id: 1, a: null }]);
  const first = await on.append(one, [{ s_id: 2, a: 2 }]);
  await on.append(untested, [{ s_id: 1, a: 1 }]);
  await look(0);
  expect(await runs()).toEqual([]);
  await Promise.all([look(11_000), look(11_000)]);
  await look(60_000);
  const [run, ...others] = await runs();
  expect(others).toEqual([]);
  const ended = await on.ended(run.id);
  expect(ended).toMatchObject({ outcome: 'failed', trigger: { type: 'data_event', id: one } });
  expect(ended.tables).toEqual([
    { tableId: one, version: first, outcome: 'passed' },
    { tableId: two, version: second, outcome: 'failed' },
  ]);
  expect(await on.verification(two)).toMatchObject({ state: 'failing', version: second });
});

test('failing rows are dropped after thirty days, and beyond the newest twenty of a test and table', async () => {
  const table = await on.data('kept', { a: 'INTEGER' });
  await on.append(table, [{ s_id: 1, a: null }]);
  await on.define(table, 'not_null', { columns: ['a'] });
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1)
    ids.push((await on.verified({ table_ids: [table] })).results[0].failuresTableId);
  const [old, next] = ids as [string, string];
  await inOrganization(workspace.deps.db, client.organizationId, async (db) => {
    const age = (days: number) => new Date(Date.now() - days * 86_400_000);
    await db
      .updateTable('tables')
      .set({ created_at: age(31) })
      .where('id', '=', old)
      .execute();
    await db
      .updateTable('tables')
      .set({ created_at: age(29) })
      .where('id', '=', next)
      .execute();
  });
  await reconcile(workspace, verificationSteps(workspace.activityDeps));
  expect((await client.call('GET', `/v1/tables/${old}`)).status).toBe(404);
  expect((await client.call('GET', `/v1/tables/${next}`)).status).toBe(200);
  // Whoever has to erase what they hold need not wait.
  expect((await client.call('DELETE', `/v1/tables/${next}?confirm=true`)).status).toBe(200);
  expect((await client.call('GET', `/v1/tables/${next}`)).status).toBe(404);
});
