import { beforeAll, expect, test } from 'vitest';
import { newId } from '../../../../data/ids.ts';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { startDueVerifications } from '../../../../domain/tables/verification/on-version.ts';
import { verificationSteps } from '../../../../domain/tables/verification/reconcile.ts';
import { startVerification } from '../../../../domain/tables/verification/start.ts';
import { reconcile } from '../../../support/reconcile.ts';
import { verifying } from '../../../support/verification.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace();
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

test('a run that is started several times at the same time is one', async () => {
  const table = await on.data('started', { a: 'INTEGER' });
  await on.define(table, 'not_null', { columns: ['a'] });
  for (let n = 0; n < 5; n += 1) {
    const runId = newId('run');
    const { organizationId } = client;
    const start = () =>
      startVerification(workspace.activityDeps, {
        organizationId,
        runId,
        callerId: 'test',
        tableIds: [table],
      });
    const started = await Promise.all(Array.from({ length: 5 }, start));
    expect(new Set(started.map(({ id }) => id))).toEqual(new Set([runId]));
    expect((await on.ended(runId)).tables).toHaveLength(1);
  }
});

test('while one run waits for its turn, versions gather for it, however many', async () => {
  const quiet = await workspace.organization();
  const own = verifying(quiet);
  const table = await own.data('busy', { a: 'INTEGER' });
  await own.define(table, 'not_null', { columns: ['a'] });
  const lookThere = () =>
    startDueVerifications(workspace.activityDeps, quiet.organizationId, Date.now() + 60_000);
  // A run that waits, whatever for.
  const waiting = { kind: 'verification', status: 'queued', trigger_type: 'data_event' } as const;
  await inOrganization(workspace.deps.db, quiet.organizationId, (db) =>
    db
      .insertInto('runs')
      .values({
        ...{ organization_id: quiet.organizationId, id: 'run_waiting', trigger_id: table, title: 'Tests' },
        ...{ resource_type: 'verification', resource_id: 'run_waiting', workflow_id: 'none', ...waiting },
      })
      .execute(),
  );
  await own.append(table, [{ s_id: 1, a: 1 }]);
  await lookThere();
  await own.append(table, [{ s_id: 2, a: 2 }]);
  await lookThere();
  const listed = async () => (await quiet.call('GET', '/v1/verification-tests/runs')).body.items;
  expect(await listed()).toEqual([]);
  await inOrganization(workspace.deps.db, quiet.organizationId, (db) =>
    db.updateTable('runs').set({ status: 'cancelled' }).where('id', '=', 'run_waiting').execute(),
  );
  await lookThere();
  expect(await listed()).toHaveLength(1);
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
  const view = await on.view(
    'over_kept',
    `SELECT a FROM "${(await on.must('GET', `/v1/tables/${next}`, 200)).name}"`,
  );
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db
      .updateTable('tables')
      .set({ created_at: new Date(0) })
      .where('id', '=', next)
      .execute(),
  );
  await reconcile(workspace, verificationSteps(workspace.activityDeps));
  // A view over them keeps them.
  expect(await on.rows('SELECT a FROM over_kept')).toEqual([{ a: null }]);
  expect((await client.call('DELETE', `/v1/tables/${next}?confirm=true`)).body.code).toBe('conflict');
  await on.must('DELETE', `/v1/views/${view}?confirm=true`, 200);
  // Whoever has to erase what they hold need not wait.
  expect((await client.call('DELETE', `/v1/tables/${next}?confirm=true`)).status).toBe(200);
  expect((await client.call('GET', `/v1/tables/${next}`)).status).toBe(404);
});
