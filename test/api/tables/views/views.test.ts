import { beforeAll, expect, test } from 'vitest';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
let client: TestClient;

beforeAll(async () => {
  client = await workspace.organization();
});

async function madeTable(name: string, columns: object[], rows: object[] = []): Promise<string> {
  const made = await client.call('POST', '/v1/grid/tables', { body: { name, kind: 'data', columns } });
  expect(made.status, made.text).toBe(201);
  const { tableId } = made.body.data;
  if (rows.length > 0) {
    const written = await client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows } });
    expect(written.status, written.text).toBe(200);
  }
  return tableId;
}

const orders = [
  { name: 'city', data_type: 'STRING' },
  { name: 'amount', data_type: 'DECIMAL(12,2)' },
];
const create = (name: string, query: string, more: object = {}) =>
  client.call('POST', '/v1/views', { body: { name, query, ...more } });
const made = async (name: string, query: string) => {
  const { status, body, text } = await create(name, query);
  expect(status, text).toBe(201);
  return body.data;
};
const rowsOf = async (sql: string) => {
  const { status, body, text } = await client.call('POST', '/v1/query-executions', {
    body: { sql, row_format: 'rows' },
  });
  expect(status, text).toBe(200);
  return body.data.rows;
};

test('a view is kept as written, described, and read wherever a table is', async () => {
  const tableId = await madeTable('orders', orders, [
    { s_id: 1, city: 'Bonn', amount: '10.50' },
    { s_id: 2, city: 'Kiel', amount: '2000.00' },
  ]);
  const query = 'SELECT city, amount * 2 AS "double" -- twice\nFROM orders WHERE amount > 100';
  const view = await made('large', query);
  expect(view).toMatchObject({
    name: 'large',
    qualifiedName: 'lake.main."large"',
    query,
    columns: [
      { name: 'city', dataType: 'STRING', nullable: true },
      { name: 'double', dataType: 'DECIMAL(18,2)', nullable: true },
    ],
    dependsOn: [{ id: tableId, kind: 'table', name: 'orders' }],
    status: 'valid',
    error: null,
    revision: 1,
  });
  expect(await rowsOf('SELECT * FROM LARGE')).toEqual([{ city: 'Kiel', double: '4000.00' }]);
  await made('larger', 'SELECT l.city FROM large AS l');
  expect(await rowsOf('SELECT count(*) AS n FROM larger')).toEqual([{ n: 1 }]);
  const listed = (await client.call('GET', '/v1/views')).body;
  expect(listed.total).toBe(listed.views.length);
  expect(listed.views.map(({ name }: { name: string }) => name)).toEqual(['large', 'larger']);
  const tables = (await client.call('GET', '/v1/tables')).body.tables;
  expect(tables.map(({ name }: { name: string }) => name)).not.toContain('large');
});

test.each([
  ['SELECT * FROM nowhere', /"nowhere" doesn't exist/],
  ['SELECT nope FROM orders', /"nope" not found/],
  ['SELECT city FROM orders WHERE amount > $1', /has no value here/],
  ["SELECT * FROM read_csv('/etc/passwd')", /doesn't exist, or isn't allowed/],
  ['SELECT 1 AS a; SELECT 2 AS a', /exactly one SELECT/],
  ['DELETE FROM orders', /read-only SELECT/],
  ['SELECT city, amount AS CITY FROM orders', /Two columns are named/],
  ['SELECT * FROM orders AT (VERSION => 1)', /Remove AT/],
  ['DESCRIBE orders', /cannot define a view/],
  [`SELECT ${Array.from({ length: 300 }, (_, index) => `1 AS c${index}`).join(', ')}`, /300 columns/],
  ['SELECT FROM WHERE', /line 1, column/],
])('%s is refused at its place, and nothing is made', async (query, message) => {
  const { status, body } = await create('refused', query);
  expect(status).toBe(422);
  expect(body.detail).toHaveLength(1);
  expect(body.detail[0].loc).toEqual(['body', 'query']);
  expect(body.detail[0].msg).toMatch(message);
  expect((await client.call('GET', '/v1/views')).text).not.toContain('refused');
});

test('names are unique over tables and views, ignoring case; circles are refused with their path', async () => {
  expect((await create('ORDERS', 'SELECT 1 AS a')).body.code).toBe('name_taken');
  const first = await made('first', 'SELECT city FROM orders');
  await made('second', 'SELECT city FROM first');
  const circle = await client.call('PATCH', `/v1/views/${first.id}`, {
    body: { query: 'SELECT city FROM second' },
  });
  expect(circle.status).toBe(422);
  expect(circle.body.detail[0].msg).toBe('The query reads itself: first → second → first.');
  const self = await client.call('PATCH', `/v1/views/${first.id}`, {
    body: { query: 'SELECT city FROM first' },
  });
  expect(self.body.detail[0].msg).toBe('The query reads itself: first → first.');
});

test('what others read cannot be deleted, and they are named', async () => {
  const tableId = await madeTable('base', orders);
  const view = await made('over_base', 'SELECT city FROM base');
  const refused = await client.call('DELETE', `/v1/tables/${tableId}?confirm=true`);
  expect(refused.body.code).toBe('conflict');
  expect(refused.body.dependents).toEqual([{ id: view.id, kind: 'view', name: 'over_base' }]);
  expect((await client.call('DELETE', `/v1/views/${view.id}?confirm=true`)).status).toBe(200);
  expect((await client.call('GET', `/v1/views/${view.id}`)).status).toBe(404);
  expect((await client.call('DELETE', `/v1/tables/${tableId}?confirm=true`)).status).toBe(200);
});

test('a view breaks when a column that it needs goes, and heals by itself', async () => {
  const tableId = await madeTable('fragile', orders);
  const view = await made('over_fragile', 'SELECT amount FROM fragile');
  const star = await made('star', 'SELECT * FROM fragile');
  const above = await made('above', 'SELECT amount + 1 AS more FROM over_fragile');
  await client.call('DELETE', `/v1/grid/tables/${tableId}/columns/amount?confirm=true`);
  const shown = async (id: string) => (await client.call('GET', `/v1/views/${id}`)).body.data;
  expect(await shown(view.id)).toMatchObject({
    status: 'broken',
    error: { code: 'query_failed', message: expect.stringContaining('"amount" not found') },
  });
  expect(await shown(above.id)).toMatchObject({ status: 'broken' });
  expect((await shown(star.id)).columns.map(({ name }: { name: string }) => name)).toEqual([
    's_id',
    'city',
    '_sm_created_at',
  ]);
  await client.call('POST', `/v1/grid/tables/${tableId}/columns`, {
    body: { name: 'amount', data_type: 'INTEGER' },
  });
  expect(await shown(view.id)).toMatchObject({
    status: 'valid',
    error: null,
    columns: [{ name: 'amount', dataType: 'INTEGER' }],
  });
  expect(await shown(above.id)).toMatchObject({ status: 'valid' });
});

test.each([
  ['first', 'WITH shadowing AS (SELECT 1 AS city) SELECT v.city, s.city AS one FROM shadowed v, shadowing s'],
  ['last', 'WITH shadowing AS (SELECT 1 AS one, city FROM shadowed) SELECT city, one FROM shadowing'],
])('a view renamed like a common table expression stays the view, %s', async (place, query) => {
  const [from, to] = [`shadowed_${place}`, `Shadowing_${place}`];
  const ofPlace = query.replaceAll(/shadow(ed|ing)\b/g, `$&_${place}`);
  const view = await made(from, "SELECT 'Bonn' AS city");
  const reader = await made(`${from}_reader`, ofPlace);
  const renamed = await client.call('PATCH', `/v1/views/${view.id}`, { body: { name: to } });
  expect(renamed.status, renamed.text).toBe(200);
  expect((await client.call('GET', `/v1/views/${reader.id}`)).body.data).toMatchObject({
    query: expect.stringContaining(`FROM main."${to}"`),
    status: 'valid',
  });
  expect(await rowsOf(`SELECT * FROM ${from}_reader`)).toEqual([{ city: 'Bonn', one: 1 }]);
});

test('columns may be written with the schema of a view, also where it is renamed, and of a past version', async () => {
  await madeTable('placed', orders, [{ s_id: 1, city: 'Bonn', amount: '3.00' }]);
  const view = await made('in_place', 'SELECT lake.main.Placed.city AS "the town" FROM main.placed');
  const reader = await made(
    'of_place',
    'SELECT main.in_place."the town" AS town, upper(/* é */ lake.main."in_place" . "the town") AS loud FROM lake.main.in_place',
  );
  const rows = [{ town: 'Bonn', loud: 'BONN' }];
  expect(await rowsOf('SELECT main.of_place.town, of_place.loud FROM main.of_place')).toEqual(rows);
  const renamed = await client.call('PATCH', `/v1/views/${view.id}`, { body: { name: 'in_town' } });
  expect(renamed.status, renamed.text).toBe(200);
  expect((await client.call('GET', `/v1/views/${reader.id}`)).body.data).toMatchObject({ status: 'valid' });
  expect(await rowsOf('SELECT * FROM of_place')).toEqual(rows);
  // An alias, another of that name, and a struct within `main` are not the table.
  expect(
    await rowsOf(
      'SELECT main.placed.city AS x FROM (SELECT {city: 7} AS placed) AS main, (SELECT 1) AS placed',
    ),
  ).toEqual([{ x: 7 }]);
  expect(
    await rowsOf(
      "SELECT (SELECT main.placed.city FROM (SELECT 'inner' AS city) placed) AS x FROM main.placed",
    ),
  ).toEqual([{ x: 'Bonn' }]);
  const { body } = await client.call('GET', '/v1/tables');
  const table = body.tables.find(({ name }: { name: string }) => name === 'placed');
  const versions = await client.call('GET', `/v1/tables/${table.id}/versions`);
  const past = await client.call('POST', '/v1/query-executions', {
    body: {
      sql: 'SELECT main.placed.city FROM main.placed',
      at_versions: { placed: versions.body.items[0].version },
      row_format: 'rows',
    },
  });
  expect(past.body.data?.rows, past.text).toEqual([{ city: 'Bonn' }]);
});

test('renamed columns and views are followed in the queries that use them', async () => {
  const tableId = await madeTable('renamed', orders, [{ s_id: 1, city: 'Bonn', amount: '3.00' }]);
  const other = await madeTable('others', [{ name: 'city', data_type: 'STRING' }]);
  const text =
    "SELECT r.city, upper(City) || 'city' AS shout /* city */ FROM renamed r WHERE EXISTS (SELECT city FROM others o WHERE o.city = r.city) OR 'city' <> city";
  const view = await made('follows', text);
  const star = await made('stars', 'SELECT * FROM renamed');
  const above = await made('above_stars', 'SELECT city FROM stars');
  const renamed = await client.call('PATCH', `/v1/grid/tables/${tableId}/columns/city`, {
    body: { name: 'the town' },
  });
  expect(renamed.status, renamed.text).toBe(200);
  const shown = async (id: string) => (await client.call('GET', `/v1/views/${id}`)).body.data;
  expect(await shown(view.id)).toMatchObject({
    status: 'valid',
    query:
      'SELECT r."the town" AS "city", upper("the town") || \'city\' AS shout /* city */ FROM renamed r WHERE EXISTS (SELECT city FROM others o WHERE o.city = r."the town") OR \'city\' <> "the town"',
  });
  expect((await shown(view.id)).columns.map(({ name }: { name: string }) => name)).toEqual(['city', 'shout']);
  expect((await shown(star.id)).columns[1].name).toBe('the town');
  expect(await shown(above.id)).toMatchObject({
    status: 'valid',
    query: 'SELECT "the town" AS "city" FROM stars',
  });
  expect((await shown(view.id)).dependsOn.map(({ id }: { id: string }) => id)).toEqual(
    [tableId, other].sort(),
  );
  const moved = await client.call('PATCH', `/v1/views/${star.id}`, { body: { name: 'All rows' } });
  expect(moved.body.data).toMatchObject({ name: 'All rows', revision: 2 });
  expect(await shown(above.id)).toMatchObject({
    status: 'valid',
    query: 'SELECT "the town" AS "city" FROM "All rows" AS "stars"',
  });
  expect(await rowsOf('SELECT * FROM above_stars')).toEqual([{ city: 'Bonn' }]);
});

test('a revision that is not the current one is refused', async () => {
  const view = await made('revised', 'SELECT 1 AS a');
  const path = `/v1/views/${view.id}`;
  const change = (body: object) => client.call('PATCH', path, { body });
  expect((await change({ query: 'SELECT 2 AS a', expected_revision: 1 })).body.data.revision).toBe(2);
  const stale = await change({ query: 'SELECT 3 AS a', expected_revision: 1 });
  expect(stale.body).toMatchObject({ code: 'revision_conflict', current_revision: 2 });
  expect(await rowsOf('SELECT a FROM revised')).toEqual([{ a: 2 }]);
});

test('the catalog of views is described and filtered as that of tables', async () => {
  const view = await made('described', 'SELECT city, amount FROM orders');
  const path = `/v1/views/${view.id}/catalog`;
  const body = {
    description: 'Orders.',
    modeling_tier: 'curated',
    semantics: { grain: 'order' },
    columns: [{ name: 'AMOUNT', description: 'In euro.', note: 'Net.' }],
  };
  const changed = (await client.call('PATCH', path, { body })).body.data;
  expect(changed).toMatchObject({ viewId: view.id, description: 'Orders.', lineage: { upstream: 1 } });
  expect(changed.columns[1]).toMatchObject({ name: 'amount', description: 'In euro.', note: 'Net.' });
  const list = (await client.call('GET', '/v1/views/catalog?modeling_tier=curated&compact=true')).body;
  expect(list.total).toBe(1);
  expect(list.views[0]).not.toHaveProperty('semantics');
  expect(list.views[0].columns[1]).not.toHaveProperty('note');
  const compact = (await client.call('GET', `${path}?compact=true`)).body.data;
  expect(compact).toEqual(list.views[0]);
  const wrong = await client.call('PATCH', path, { body: { columns: [{ name: 'nope', note: 'x' }] } });
  expect(wrong.body.detail[0].loc).toEqual(['body', 'columns', 0, 'name']);
  expect((await client.call('GET', `/v1/tables/${view.id}`)).status).toBe(404);
});
