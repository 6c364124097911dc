import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
let client: TestClient;
let on: ReturnType<typeof shaping>;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
});

test('a calculated table is built whole from what it reads, and stale when that changes', async () => {
  const sales = await on.data('sales', { city: 'STRING', amount: 'INTEGER' });
  await on.append(sales, [
    { s_id: 1, city: 'Bonn', amount: 5 },
    { s_id: 2, city: 'Bonn', amount: 6 },
    { s_id: 3, city: 'Kiel', amount: 7 },
  ]);
  const query =
    'SELECT city, sum(amount) AS total, count(*) AS n, list(amount) AS each FROM sales GROUP BY city';
  const id = await on.calc('by_city', query);
  const made = await on.must('GET', `/v1/grid/tables/${id}`, 200);
  expect(made).toMatchObject({
    kind: 'calc',
    query,
    status: 'unmaterialized',
    revision: 1,
    refresh: { mode: 'manual', minIntervalSeconds: 60 },
    columns: [{ name: 'city' }, { name: 'total' }, { name: 'n' }, { name: 'each' }],
  });
  const unread = await client.call('POST', '/v1/query-executions', {
    body: { sql: 'SELECT * FROM by_city' },
  });
  expect(unread.body.code).toBe('query_failed');
  expect(unread.body.detail).toContain(`/v1/grid/tables/${id}/materialize`);
  expect((await client.call('GET', `/v1/tables/${id}/rows`)).body.code).toBe('not_materialized');

  const run = await on.materialized(id);
  expect(run).toMatchObject({
    kind: 'materialize',
    status: 'succeeded',
    projectId: null,
    output: { tableId: id, rowCount: 2, mode: 'full' },
  });
  expect(await on.rows('SELECT * FROM by_city ORDER BY city')).toEqual([
    { city: 'Bonn', total: 11, n: 2, each: [5, 6] },
    { city: 'Kiel', total: 7, n: 1, each: [7] },
  ]);
  const fresh = await on.status(id);
  expect(fresh).toMatchObject({
    status: 'fresh',
    tableVersion: run.output.tableVersion,
    rowCount: 2,
    staleBecause: [],
    lastRefresh: { mode: 'full', rowsRead: 3 },
    error: null,
    runId: run.id,
  });
  expect(fresh.inputs).toEqual([
    {
      tableId: sales,
      name: 'sales',
      versionRead: expect.any(Number),
      currentVersion: fresh.inputs[0].versionRead,
    },
  ]);
  const version = await on.append(sales, [{ s_id: 4, city: 'Ulm', amount: 1 }]);
  expect(await on.status(id)).toMatchObject({
    status: 'stale',
    staleBecause: [sales],
    inputs: [{ tableId: sales, currentVersion: version }],
  });
  expect(await on.rows('SELECT count(*) AS n FROM by_city')).toEqual([{ n: 2 }]);
  const rows = await client.call('GET', `/v1/tables/${id}/rows`);
  expect(rows.body.items).toHaveLength(2);
});

test('through views and other calculated tables: one sync makes a graph fresh, from one snapshot', async () => {
  const base = await on.data('base', { part: 'STRING', n: 'INTEGER' });
  await on.append(base, [{ s_id: 1, part: 'a', n: 1 }]);
  await on.view('doubled', 'SELECT part, n * 2 AS n FROM base');
  const left = await on.calc('left_branch', 'SELECT sum(n) AS n FROM doubled');
  const right = await on.calc('right_branch', 'SELECT count(*) AS n FROM base');
  const end = await on.calc('diamond', 'SELECT l.n AS l, r.n AS r FROM left_branch l, right_branch r');
  const above = await on.calc('above_diamond', 'SELECT l + r AS total FROM diamond');
  const first = await on.synced(above);
  expect(first, JSON.stringify(first)).toMatchObject({ status: 'succeeded', output: { skipped: [] } });
  expect(first.output.materialized.map(({ tableId }: { tableId: string }) => tableId).sort()).toEqual(
    [left, right, end, above].sort(),
  );
  expect(await on.rows('SELECT total FROM above_diamond')).toEqual([{ total: 3 }]);
  for (const id of [left, right, end, above])
    expect(await on.status(id)).toMatchObject({ status: 'fresh', inputs: [{ tableId: base }] });

  await on.append(base, [{ s_id: 2, part: 'b', n: 10 }]);
  for (const id of [left, right, end, above])
    expect(await on.status(id)).toMatchObject({ status: 'stale', staleBecause: [base] });
  const again = await on.synced(left, true);
  expect(again.output.materialized).toHaveLength(4);
  expect(await on.rows('SELECT total FROM above_diamond')).toEqual([{ total: 24 }]);
  const nothing = await on.synced(above);
  expect(nothing).toMatchObject({ status: 'succeeded', output: { materialized: [], skipped: [] } });
});

test('a failing build leaves the old content and says why; what hangs on it is skipped, the rest goes on', async () => {
  const input = await on.data('input', { text: 'STRING' });
  await on.append(input, [{ s_id: 1, text: '7' }]);
  const broken = await on.calc('numbers', 'SELECT CAST(text AS INTEGER) AS n FROM input');
  const above = await on.calc('above_numbers', 'SELECT max(n) AS n FROM numbers');
  const beside = await on.calc('beside_numbers', 'SELECT count(*) AS n FROM input');
  const top = await on.calc('top', 'SELECT a.n AS a, b.n AS b FROM above_numbers a, beside_numbers b');
  expect((await on.synced(top)).status).toBe('succeeded');
  await on.append(input, [{ s_id: 2, text: 'x' }]);
  const run = await on.synced(top);
  expect(run).toMatchObject({ status: 'failed', error: { code: 'query_failed' } });
  expect(run.output.materialized.map(({ tableId }: { tableId: string }) => tableId)).toEqual([beside]);
  expect(run.output.skipped.sort()).toEqual([above, top].sort());
  expect(await on.status(broken)).toMatchObject({
    status: 'failed',
    error: { code: 'query_failed', message: expect.stringContaining("'x'") },
    rowCount: 1,
  });
  expect(await on.rows('SELECT * FROM numbers')).toEqual([{ n: 7 }]);
  expect(await on.status(beside)).toMatchObject({ status: 'fresh' });
  expect(await on.status(above)).toMatchObject({ status: 'stale' });
  await on.must('PATCH', `/v1/grid/tables/${broken}`, 200, {
    query: 'SELECT TRY_CAST(text AS INTEGER) AS n FROM input',
  });
  expect((await on.synced(top)).status).toBe('succeeded');
  expect(await on.status(broken)).toMatchObject({ status: 'fresh', error: null });
});

test('a new query makes it stale, as does a view that it reads; a circle is refused with its path', async () => {
  const one = await on.calc('one', 'SELECT 1 AS n');
  const view = await on.view('over_one', 'SELECT n FROM one');
  const two = await on.calc('two', 'SELECT n + 1 AS n FROM over_one');
  await on.synced(two);
  const path = `/v1/grid/tables/${one}`;
  const circle = await client.call('PATCH', path, { body: { query: 'SELECT n FROM two' } });
  expect(circle.body.detail[0]).toMatchObject({
    loc: ['body', 'query'],
    msg: 'The query reads itself: one → two → over_one → one.',
  });
  const changed = await on.must('PATCH', path, 200, { query: 'SELECT 10 AS n', expected_revision: 1 });
  expect(changed).toMatchObject({ status: 'stale', revision: 2 });
  expect(await on.status(one)).toMatchObject({ status: 'stale', staleBecause: ['definition'] });
  expect(await on.status(two)).toMatchObject({ status: 'stale', staleBecause: [one] });
  expect(await on.rows('SELECT n FROM one')).toEqual([{ n: 1 }]);
  await on.synced(two);
  expect(await on.rows('SELECT n FROM two')).toEqual([{ n: 11 }]);
  // What is not in its query changes what people have seen of it, and nothing that was built.
  const refresh = { min_interval_seconds: 90 };
  const calmer = await on.must('PATCH', path, 200, { refresh, expected_revision: 2 });
  expect(calmer).toMatchObject({ status: 'fresh', revision: 3, refresh: { min_interval_seconds: 90 } });
  expect(Date.parse(calmer.updatedAt)).toBeGreaterThan(Date.parse(changed.updatedAt));
  const late = await client.call('PATCH', path, { body: { query: 'SELECT 11 AS n', expected_revision: 2 } });
  expect([late.body.code, late.body.current_revision]).toEqual(['revision_conflict', 3]);
  const described = { description: 'All of one', name: 'above_one', expected_revision: 1 };
  expect(await on.must('PATCH', `/v1/views/${view}`, 200, described)).toMatchObject({ revision: 2 });
  expect(await on.status(two)).toMatchObject({ status: 'fresh' });
  await on.must('PATCH', `/v1/views/${view}`, 200, { query: 'SELECT n * 3 AS n FROM one' });
  expect(await on.status(two)).toMatchObject({ status: 'stale', staleBecause: ['definition'] });
  expect(await on.status(one)).toMatchObject({ status: 'fresh' });
  const deleted = await client.call('DELETE', `/v1/tables/${one}?confirm=true`);
  expect(deleted.body.dependents).toEqual([{ id: view, kind: 'view', name: 'above_one' }]);
  expect((await client.call('DELETE', `/v1/tables/${two}?confirm=true`)).status).toBe(200);
});

test('syncs of overlapping graphs at once end with every table fresh', async () => {
  const source = await on.data('meters', { meter: 'STRING', value: 'INTEGER' });
  const rows = (from: number) =>
    Array.from({ length: 20 }, (_, index) => ({ s_id: from + index, meter: `m${index % 5}`, value: index }));
  await on.append(source, rows(1));
  const base = await on.calc('meter_base', 'SELECT meter, value FROM meters WHERE value > 2');
  const left = await on.calc(
    'meter_left',
    'SELECT meter, sum(value) AS total FROM meter_base GROUP BY meter',
  );
  const right = await on.calc('meter_right', 'SELECT count(*) AS n FROM meter_base');
  const top = await on.calc('meter_top', 'SELECT meter, total, n FROM meter_left, meter_right');
  const other = await on.calc('meter_other', 'SELECT max(total) AS most FROM meter_left');
  for (const from of [101, 201, 301]) {
    await on.append(source, rows(from));
    const runs = await Promise.all([
      on.synced(top),
      on.synced(other),
      on.synced(base, true),
      on.synced(right),
    ]);
    for (const run of runs) expect(run.status, JSON.stringify(run.error)).toBe('succeeded');
    for (const id of [base, left, right, top, other])
      expect(await on.status(id)).toMatchObject({ status: 'fresh', staleBecause: [] });
  }
});

test('while one is under way for a table, its run is answered again; a data table is always fresh', async () => {
  const id = await on.calc('slow', 'SELECT sum(a.range * b.range) AS n FROM range(60000) a, range(30000) b');
  const path = `/v1/grid/tables/${id}`;
  const [first, second] = await Promise.all([
    on.must('POST', `${path}/materialize`, 202),
    on.must('POST', `${path}/materialize`, 202),
  ]);
  expect(second.id).toBe(first.id);
  expect(['queued', 'running']).toContain((await on.status(id)).status);
  const refused = await client.call('DELETE', `/v1/tables/${id}?confirm=true`);
  expect(refused.body).toMatchObject({ code: 'conflict', detail: expect.stringContaining('being built') });
  const cancelled = await client.call('POST', `${path}/runs/${first.id}/cancel?confirm=true`);
  expect([200, 202]).toContain(cancelled.status);
  expect(['cancelled', 'succeeded']).toContain((await on.ended(id, first)).status);
  const data = await on.data('plain', { a: 'STRING' });
  expect(await on.status(data)).toMatchObject({ status: 'fresh', inputs: [] });
  expect((await client.call('POST', `/v1/grid/tables/${data}/materialize`)).status).toBe(404);
});

test.each([
  ['SELECT * FROM self_reading', /doesn't exist/],
  ['SELECT 1 AS a, 2 AS A', /Two columns/],
  ["SELECT * FROM glob('*')", /isn't allowed/],
])('%s defines no table', async (query, message) => {
  const { status, body } = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'self_reading', query },
  });
  expect(status).toBe(422);
  expect(body.detail[0].loc).toEqual(['body', 'query']);
  expect(body.detail[0].msg).toMatch(message);
});
