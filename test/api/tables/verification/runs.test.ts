import { beforeAll, expect, test } from 'vitest';
import { only, replaceGrants } from '../../../support/grants.ts';
import { personOf } from '../../../support/people.ts';
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

const ordersColumns = { order_no: 'STRING', amount: 'DOUBLE', state: 'STRING', customer: 'INTEGER' };

test('each kind finds the rows that fail it, and keeps them as a table that can be queried', async () => {
  const customers = await on.data('customers', { no: 'INTEGER' });
  await on.append(customers, [{ s_id: 1, no: 1 }]);
  await on.view('allowed', 'SELECT no FROM customers');
  const orders = await on.data('orders', ordersColumns);
  const version = await on.append(orders, [
    { s_id: 1, order_no: 'A', amount: 5, state: 'open', customer: 1 },
    { s_id: 2, order_no: 'A', amount: -1, state: 'shut', customer: 2 },
    { s_id: 3, order_no: null, amount: null, state: 'lost', customer: null },
    { s_id: 4, order_no: 'B', amount: 7, state: null, customer: 1 },
  ]);
  const ids = {
    notNull: await on.define(orders, 'not_null', { columns: ['order_no', 'amount'] }),
    unique: await on.define(orders, 'unique', { columns: ['order_no'] }),
    accepted: await on.define(orders, 'accepted_values', { column: 'state', values: ['open', 'shut'] }),
    related: await on.define(orders, 'relationship', {
      ...{ columns: ['customer'], to_table_id: customers, to_columns: ['no'] },
    }),
    count: await on.define(orders, 'row_count', { min: 1, max: 3 }),
    fresh: await on.define(orders, 'freshness', { max_age_seconds: 3_600 }),
    stale: await on.define(orders, 'freshness', { max_age_seconds: 0 }, { severity: 'warn' }),
    expression: await on.define(orders, 'expression', { expression: 'amount >= 0' }, { severity: 'warn' }),
    sql: await on.define(
      orders,
      'sql',
      { sql: 'SELECT state FROM this WHERE amount > 6' },
      { keep_rows: false },
    ),
    off: await on.define(orders, 'not_null', { columns: ['state'] }, { enabled: false }),
    listed: await on.define(orders, 'expression', {
      expression: 'customer IS NULL OR customer IN (SELECT no FROM allowed)',
    }),
    broken: await on.define(orders, 'expression', { expression: 'CAST(order_no AS INTEGER) > 0' }),
  };
  const run = await on.verified({ table_ids: [orders] });
  expect(run).toMatchObject({
    outcome: 'failed',
    trigger: { type: 'api', id: client.clientId },
    tables: [{ tableId: orders, version, outcome: 'failed' }],
  });
  const of = (id: string) => run.results.find((one: { definitionId: string }) => one.definitionId === id);
  expect(run.results).toHaveLength(11);
  expect(of(ids.listed)).toMatchObject({ status: 'failed', failingRows: 1 });
  expect(of(ids.notNull)).toMatchObject({ status: 'failed', failingRows: 1, tableId: orders, version });
  expect(of(ids.notNull).sample).toEqual([expect.objectContaining({ s_id: 3, order_no: null })]);
  expect(of(ids.unique)).toMatchObject({ status: 'failed', failingRows: 2 });
  expect(of(ids.accepted)).toMatchObject({ status: 'failed', failingRows: 1 });
  expect(of(ids.related)).toMatchObject({ status: 'failed', failingRows: 1 });
  expect(of(ids.count)).toMatchObject({ status: 'failed', failingRows: 1, failuresTableId: null });
  expect(of(ids.count).sample).toEqual([{ row_count: 4, min: 1, max: 3, rows_before: null }]);
  expect(of(ids.fresh)).toMatchObject({
    status: 'passed',
    failingRows: 0,
    failuresTableId: null,
    sample: [],
  });
  expect(of(ids.stale)).toMatchObject({ status: 'warned' });
  expect(of(ids.expression)).toMatchObject({ status: 'warned', failingRows: 2 });
  expect(of(ids.sql)).toMatchObject({ status: 'failed', failingRows: 1, failuresTableId: null, sample: [] });
  expect(of(ids.broken)).toMatchObject({ status: 'error', failingRows: null });
  expect(of(ids.broken).message).toContain('Conversion');
  expect(of(ids.off)).toBeUndefined();

  const kept = of(ids.unique).failuresTableId;
  const table = await on.must('GET', `/v1/tables/${kept}`, 200);
  expect(table).toMatchObject({ kind: 'system', queryable: true, rowCount: 2 });
  expect(await on.rows(`SELECT s_id, order_no FROM ${table.name} ORDER BY s_id`)).toEqual([
    { sId: 1, orderNo: 'A' },
    { sId: 2, orderNo: 'A' },
  ]);
  const rows = await client.call('GET', `/v1/tables/${kept}/rows`);
  expect(rows.body.items).toHaveLength(2);
  expect(
    (await client.call('GET', '/v1/tables')).body.tables.map((one: { id: string }) => one.id),
  ).not.toContain(kept);

  const state = await on.verification(orders);
  expect(state).toMatchObject({ state: 'failing', version, history: [{ runId: run.id, outcome: 'failed' }] });
  expect(state.results).toHaveLength(11);
  const catalog = await on.must('GET', `/v1/tables/${orders}/catalog`, 200);
  expect(catalog.verification).toEqual({ state: 'failing', at: run.tables.length === 1 ? state.at : null });
});

test('a version of the past is tested as it was, and the change of the row count against the one before', async () => {
  const id = await on.data('growing', { n: 'INTEGER' });
  const first = await on.append(id, [{ s_id: 1, n: 1 }]);
  const second = await on.append(id, [{ s_id: 2, n: 2 }]);
  const third = await on.append(
    id,
    [3, 4, 5, 6, 7].map((n) => ({ s_id: n, n })),
  );
  const change = await on.define(id, 'row_count', { max_change_ratio: 1 });
  const under = await on.define(id, 'expression', { expression: 'n < 3' });
  const at = async (version: number) => {
    const run = await on.verified({ table_ids: [id], at_versions: { growing: version } });
    expect(run.tables).toMatchObject([{ tableId: id, version }]);
    return Object.fromEntries(
      run.results.map((one: { definitionId: string; status: string }) => [one.definitionId, one.status]),
    );
  };
  expect(await at(first)).toEqual({ [change]: 'passed', [under]: 'passed' });
  expect(await at(second)).toEqual({ [change]: 'passed', [under]: 'passed' });
  expect(await at(third)).toEqual({ [change]: 'failed', [under]: 'failed' });
  // The state is that of the newest version, whatever was tested last.
  expect(await at(first)).toEqual({ [change]: 'passed', [under]: 'passed' });
  expect(await on.verification(id)).toMatchObject({ state: 'failing', version: third });
  const gone = await client.call('POST', '/v1/verification-tests/runs', {
    body: { table_ids: [id], at_versions: { [id]: 999_999 } },
  });
  expect(gone.body.code).toBe('version_expired');
});

test('a run names tables, definitions or nothing, and does what the preview says', async () => {
  const one = await on.data('first_one', { a: 'INTEGER' });
  const two = await on.data('first_two', { b: 'INTEGER' });
  await on.append(one, [{ s_id: 1, a: null }]);
  await on.append(two, [{ s_id: 1, b: 1 }]);
  const selecting = await on.must('POST', '/v1/verification-tests/definitions', 201, {
    ...{ name: 'a there', kind: 'not_null', params: { columns: ['a'] }, severity: 'warn' },
    target: { selector: { name_pattern: '^first_' } },
  });
  const run = await on.verified({ definition_ids: [selecting.id] });
  const results = Object.fromEntries(
    run.results.map((result: { tableId: string; status: string }) => [result.tableId, result.status]),
  );
  // A column that a table does not have is told by the result where a selector found the table.
  expect(results).toEqual({ [one]: 'warned', [two]: 'error' });
  expect(run.outcome).toBe('warned');
  await on.overlay(selecting.id, { table_id: two, enabled: false });
  await on.overlay(selecting.id, { table_id: one, severity: 'error' });
  const again = await on.verified({ table_ids: [one, two] });
  expect(again.results).toMatchObject([{ tableId: one, status: 'failed' }]);
  expect(again.tables).toMatchObject([
    { tableId: one, outcome: 'failed' },
    { tableId: two, outcome: 'passed' },
  ]);
  const empty = await on.verified({ table_ids: [two] });
  expect(empty).toMatchObject({ outcome: 'passed', results: [] });
  const both = await client.call('POST', '/v1/verification-tests/runs', {
    body: { table_ids: [one], definition_ids: [selecting.id] },
  });
  expect(both.body.detail[0]).toMatchObject({ loc: ['body', 'definition_ids'], type: 'extra_forbidden' });
  for (const body of [{ table_ids: ['tbl_nobody'] }, { project_id: 'prj_x' }, { definition_ids: ['vtd_x'] }])
    expect((await client.call('POST', '/v1/verification-tests/runs', { body })).status).toBe(404);
  const listed = await client.call('GET', `/v1/verification-tests/runs?table_id=${one}`);
  expect(listed.body.items.map((item: { id: string }) => item.id)).toEqual([again.id, run.id]);
});

test('what is read only by some, with its failing rows and results, is hidden from others', async () => {
  const id = await on.data('secret', { n: 'INTEGER' });
  await on.append(id, [{ s_id: 1, n: null }]);
  await on.define(id, 'not_null', { columns: ['n'] });
  const run = await on.verified({ table_ids: [id] });
  const kept = run.results[0].failuresTableId;
  const insider = await personOf(workspace, client, 'member');
  const outsider = await personOf(workspace, client, 'member');
  await replaceGrants(client, id, only(insider, 'read'));
  for (const path of [`/v1/tables/${id}/verification`, `/v1/tables/${kept}`, `/v1/tables/${kept}/rows`])
    expect(
      [(await outsider.call('GET', path)).status, (await insider.call('GET', path)).status],
      path,
    ).toEqual([404, 200]);
  const shown = await outsider.call('GET', `/v1/verification-tests/runs/${run.id}`);
  expect(shown.body.data).toMatchObject({ tables: [], results: [] });
  const other = await workspace.organization();
  expect((await other.call('GET', `/v1/verification-tests/runs/${run.id}`)).status).toBe(404);
  const read = await insider.call('GET', '/v1/verification-tests/definitions');
  expect(read.body.code).toBe('admin_required');
});
