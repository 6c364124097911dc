import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
let client: TestClient;
let on: ReturnType<typeof shaping>;
let orders: string;
let customers: string;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
  orders = await on.data('orders', { order_no: 'STRING', amount: 'DOUBLE', made: 'DATE', n: 'INTEGER' });
  customers = await on.data('customers', { no: 'STRING' });
});

const path = '/v1/verification-tests/definitions';
const define = (body: object) => client.call('POST', path, { body });
const onOrders = (kind: string, params: object, more: object = {}) => ({
  name: kind,
  kind,
  params,
  target: { table_id: orders },
  ...more,
});

test('a definition is kept as it was written, changed with its revision, and deleted', async () => {
  const params = { column: 'n', values: [1, 9007199254740993n.toString(), 3] };
  const made = await define(onOrders('accepted_values', params, { severity: 'warn', blocking: true }));
  expect(made.status, made.text).toBe(201);
  const { id } = made.body.data;
  expect(made.headers.location).toBe(`${path}/${id}`);
  expect(made.body.data).toMatchObject({
    ...{ name: 'accepted_values', description: '', kind: 'accepted_values', params },
    ...{ target: { tableId: orders }, severity: 'warn', blocking: true, enabled: true, keepRows: true },
    ...{ createdByUserId: client.clientId, revision: 1 },
  });
  expect((await client.call('GET', `${path}/${id}`)).body).toEqual(made.body);
  const change = { severity: 'error', expected_revision: 1 };
  const changed = await client.call('PATCH', `${path}/${id}`, { body: change });
  expect(changed.body.data).toMatchObject({ severity: 'error', blocking: true, revision: 2, params });
  const stale = await client.call('PATCH', `${path}/${id}`, { body: change });
  expect(stale.body).toMatchObject({ status: 409, code: 'revision_conflict', current_revision: 2 });
  const listed = await client.call('GET', path);
  expect(listed.body.items.map((one: { id: string }) => one.id)).toContain(id);
  expect((await client.call('DELETE', `${path}/${id}`)).body.data.id).toBe(id);
  expect((await client.call('GET', `${path}/${id}`)).status).toBe(404);
});

test.each([
  ['not_null', { columns: ['order_no', 'AMOUNT'] }],
  ['unique', { columns: ['order_no'] }],
  ['accepted_values', { column: 'made', values: ['2026-01-01'] }],
  ['row_count', { min: 1, max_change_ratio: 0.5 }],
  ['freshness', { column: 'made', max_age_seconds: 86_400 }],
  ['freshness', { max_age_seconds: 60 }],
  ['expression', { expression: 'amount >= 0 -- or more' }],
  ['sql', { sql: 'SELECT * FROM this WHERE amount < (SELECT avg(amount) FROM this);' }],
])('%s takes %j', async (kind, params) => {
  const made = await define(onOrders(kind, params));
  expect(made.status, made.text).toBe(201);
  expect(made.body.data.params).toEqual(params);
});

test('a relationship leads to a column of another table', async () => {
  const params = { columns: ['order_no'], to_table_id: customers, to_columns: ['no'] };
  expect((await define(onOrders('relationship', params))).status).toBe(201);
  const lost = { ...params, to_columns: ['gone'] };
  expect((await define(onOrders('relationship', lost))).body.detail).toMatchObject([
    { loc: ['body', 'params', 'to_columns', 0], msg: 'The table customers has no column "gone".' },
  ]);
  const unknown = await define(onOrders('relationship', { ...params, to_table_id: 'tbl_nobody' }));
  expect(unknown.body.detail[0].loc).toEqual(['body', 'params', 'to_table_id']);
});

test.each([
  ['not_null', { columns: ['nobody'] }, ['columns', 0], 'value_error'],
  ['not_null', {}, ['columns'], 'missing'],
  ['not_null', { columns: [] }, ['columns'], 'too_short'],
  ['not_null', { columns: ['n'], of: 1 }, ['of'], 'extra_forbidden'],
  ['unique', { columns: 'n' }, ['columns'], 'list_type'],
  ['accepted_values', { column: 'n', values: [1, 'two'] }, ['values', 1], 'value_error'],
  ['accepted_values', { column: 'n', values: [1.5] }, ['values', 0], 'value_error'],
  ['accepted_values', { column: 'order_no', values: [1] }, ['values', 0], 'value_error'],
  ['accepted_values', { column: 'made', values: ['2026-01-01', 'soon'] }, ['values', 1], 'value_error'],
  ['accepted_values', { column: 'n', values: [null] }, ['values', 0], 'value_error'],
  [
    'relationship',
    { columns: ['n'], to_table_id: 'x', to_columns: ['a', 'b'] },
    ['to_columns'],
    'value_error',
  ],
  ['row_count', {}, ['min'], 'value_error'],
  ['row_count', { min: 2, max: 1 }, ['max'], 'value_error'],
  ['row_count', { min: -1 }, ['min'], 'greater_than_equal'],
  ['freshness', { column: 'n', max_age_seconds: 1 }, ['column'], 'value_error'],
  ['freshness', {}, ['max_age_seconds'], 'missing'],
  ['expression', { expression: 'amount >' }, ['expression'], 'value_error'],
  ['expression', { expression: 'nobody = 1' }, ['expression'], 'value_error'],
  ['expression', { expression: 'true) OR (true' }, ['expression'], 'value_error'],
  ['expression', { expression: '1 THEN 2 WHEN true' }, ['expression'], 'value_error'],
  ['expression', { expression: 'true, true' }, ['expression'], 'value_error'],
  ['expression', { expression: "regexp_matches(order_no, '[')" }, ['expression'], 'value_error'],
  ['sql', { sql: 'DELETE FROM this' }, ['sql'], 'value_error'],
  ['sql', { sql: "SELECT * FROM read_csv('/etc/passwd')" }, ['sql'], 'value_error'],
  ['sql', { sql: 'SELECT * FROM nobody' }, ['sql'], 'value_error'],
])('%s refuses %j at its place', async (kind, params, loc, type) => {
  const { status, body } = await define(onOrders(kind, params));
  expect(status, JSON.stringify(body)).toBe(422);
  expect(body.detail[0]).toMatchObject({ loc: ['body', 'params', ...loc], type });
});

test('an unknown kind, a wrong selector and unknown ids are refused', async () => {
  expect((await define(onOrders('odd', {}))).body.detail[0]).toMatchObject({
    loc: ['body', 'kind'],
    type: 'enum',
  });
  const selected = (selector: object) =>
    define({ ...onOrders('not_null', { columns: ['n'] }), target: { selector } });
  expect((await selected({ name_pattern: '[' })).body.detail[0].loc).toEqual([
    ...['body', 'target', 'selector', 'name_pattern'],
  ]);
  expect((await selected({ modeling_tier: 'gold' })).status).toBe(422);
  expect((await selected({ project_id: 'prj_nobody' })).status).toBe(404);
  const unknown = { ...onOrders('not_null', { columns: ['n'] }), target: { table_id: 'tbl_nobody' } };
  expect((await define(unknown)).status).toBe(404);
  // The columns of tables that a selector finds are looked at when it runs.
  expect((await selected({ name_pattern: '^none$' })).status).toBe(201);
});

test('definitions of another organization are unknown, and members may not write any', async () => {
  const made = (await define(onOrders('not_null', { columns: ['n'] }))).body.data;
  const other = await workspace.organization();
  for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
    const body = method === 'PATCH' ? { body: { name: 'x' } } : {};
    expect((await other.call(method, `${path}/${made.id}`, body)).status).toBe(404);
  }
  const overlay = { body: { definition_id: made.id, enabled: false } };
  expect((await other.call('POST', '/v1/verification-tests/overlays', overlay)).status).toBe(404);
});

test('overlays are checked against their definition, changed, and go with it', async () => {
  const overlays = '/v1/verification-tests/overlays';
  const made = (await define(onOrders('row_count', { min: 1 }))).body.data;
  const lay = (body: object) => client.call('POST', overlays, { body: { definition_id: made.id, ...body } });
  const first = await lay({ table_id: orders, params: { max: 10 }, severity: 'warn', reason: 'small' });
  expect(first.status, first.text).toBe(201);
  expect(first.body.data).toMatchObject({
    ...{ definitionId: made.id, tableId: orders, projectId: null, severity: 'warn', enabled: null },
    ...{ params: { max: 10 }, priority: 0, reason: 'small', revision: 1 },
  });
  const foreign = await lay({ params: { columns: ['n'] } });
  expect(foreign.body.detail[0]).toMatchObject({
    loc: ['body', 'params', 'columns'],
    type: 'extra_forbidden',
  });
  expect((await lay({ params: { max: 0 } })).body.detail[0].loc).toEqual(['body', 'params', 'max']);
  expect((await lay({ table_id: orders, project_id: 'prj_x' })).status).toBe(422);
  expect((await lay({ table_id: 'tbl_nobody' })).status).toBe(404);
  const { id } = first.body.data;
  const body = { enabled: false, severity: null, expected_revision: 1 };
  const changed = await client.call('PATCH', `${overlays}/${id}`, { body });
  expect(changed.body.data).toMatchObject({
    enabled: false,
    severity: null,
    params: { max: 10 },
    revision: 2,
  });
  await client.call('DELETE', `${path}/${made.id}`);
  expect((await client.call('GET', `${overlays}/${id}`)).status).toBe(404);
});

test('an overlay that a preview changes is as old as it is, as when it is saved', async () => {
  const test = (await define(onOrders('unique', { columns: ['order_no'] }))).body.data;
  const overlay = async (severity: string) => {
    const body = { definition_id: test.id, severity };
    const made = await client.call('POST', '/v1/verification-tests/overlays', { body });
    expect(made.status, made.text).toBe(201);
    return made.body.data.id as string;
  };
  const older = await overlay('error');
  const newer = await overlay('warn');
  const decided = async (sent: object[]) => {
    const body = { table_ids: [orders], overlays: sent };
    const answer = await client.call('POST', '/v1/verification-tests/effective-set/previews', { body });
    const one = answer.body.data.tests.find(
      ({ definitionId }: { definitionId: string }) => definitionId === test.id,
    );
    return one.provenance.find(({ field }: { field: string }) => field === 'severity').id;
  };
  expect(await decided([])).toBe(newer);
  expect(await decided([{ id: older, definition_id: test.id, severity: 'error' }])).toBe(newer);
  expect(await decided([{ definition_id: test.id, severity: 'error' }])).toBeNull();
  await client.call('DELETE', `${path}/${test.id}`);
});

test('a preview tells each field with what decided it, and takes what is not saved', async () => {
  const raw = (await define(onOrders('unique', { columns: ['order_no'] }))).body.data;
  const certified = (
    await define({
      ...onOrders('row_count', { min: 5 }, { severity: 'warn' }),
      target: { selector: { modeling_tier: 'certified', name_pattern: '^ORD' } },
    })
  ).body.data;
  const preview = async (body: object) => {
    const answer = await client.call('POST', '/v1/verification-tests/effective-set/previews', { body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data;
  };
  const testOf = (answer: { tests: { definitionId: string }[] }, id: string) =>
    answer.tests.find(({ definitionId }) => definitionId === id);
  const stored = await preview({ table_ids: [orders] });
  expect(stored.total).toBe(stored.tests.length);
  expect(testOf(stored, raw.id)).toMatchObject({
    ...{ tableId: orders, kind: 'unique', enabled: true, severity: 'error', blocking: false },
    provenance: expect.arrayContaining([{ field: 'severity', source: 'definition', id: raw.id }]),
  });
  expect(testOf(stored, certified.id)).toBeUndefined();
  expect(stored.unmatched).toContain(certified.id);
  const supposed = await preview({
    table_ids: [orders],
    as_if: [{ table_id: orders, modeling_tier: 'certified' }],
    overlays: [{ definition_id: certified.id, params: { max: 7 }, blocking: true }],
    definitions: [{ ...onOrders('not_null', { columns: ['n'] }), id: raw.id }],
  });
  expect(testOf(supposed, raw.id)).toMatchObject({ kind: 'not_null' });
  expect(testOf(supposed, certified.id)).toMatchObject({
    ...{ params: { min: 5, max: 7 }, blocking: true },
    provenance: expect.arrayContaining([
      { field: 'params.max', source: 'overlay', id: null },
      { field: 'params.min', source: 'definition', id: certified.id },
    ]),
  });
  expect(
    (
      await client.call('POST', '/v1/verification-tests/effective-set/previews', {
        body: { table_ids: ['tbl_nobody'] },
      })
    ).status,
  ).toBe(404);
});
