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

const mode = async (id: string) => (await on.status(id)).lastRefresh;

test('rows that are added are filtered, projected and joined, and added to what was there', async () => {
  const visits = await on.data('visits', { city: 'STRING', seconds: 'INTEGER' });
  const cities = await on.data('cities', { city: 'STRING', country: 'STRING' });
  await on.append(cities, [
    { s_id: 1, city: 'Bonn', country: 'DE' },
    { s_id: 2, city: 'Lyon', country: 'FR' },
  ]);
  await on.append(visits, [
    { s_id: 1, city: 'Bonn', seconds: 10 },
    { s_id: 2, city: 'Lyon', seconds: 2 },
  ]);
  await on.view('long_visits', 'SELECT * FROM visits WHERE seconds > 5');
  const query = `SELECT v.s_id, country, seconds * 2 AS twice FROM long_visits v JOIN cities c ON c.city = v.city`;
  const id = await on.calc('visits_by_country', query);
  expect((await on.materialized(id)).output).toMatchObject({ mode: 'full', rowCount: 1 });

  await on.append(visits, [
    { s_id: 3, city: 'Lyon', seconds: 7 },
    { s_id: 4, city: 'Bonn', seconds: 1 },
  ]);
  const run = await on.materialized(id);
  expect(run.output).toMatchObject({ mode: 'incremental', rowCount: 2 });
  expect(await mode(id)).toMatchObject({ mode: 'incremental', rowsRead: 2 });
  expect((await on.status(id)).status).toBe('fresh');
  expect(await on.rows('SELECT * FROM visits_by_country ORDER BY s_id')).toEqual([
    { sId: 1, country: 'DE', twice: 20 },
    { sId: 3, country: 'FR', twice: 14 },
  ]);
  const versions = await client.call('GET', `/v1/tables/${id}/versions`);
  expect(versions.body.items[0]).toMatchObject({ operation: 'append', rowsAdded: 1, rowsRemoved: 0 });

  // Nothing of it belongs to the result: there is nothing to commit, and it is fresh.
  await on.append(visits, [{ s_id: 5, city: 'Bonn', seconds: 0 }]);
  expect((await on.materialized(id)).output).toMatchObject({ mode: 'incremental', rowCount: 2 });
  expect(await on.status(id)).toMatchObject({ status: 'fresh', tableVersion: run.output.tableVersion });

  // The other side of the join has more rows: what was there before may find a partner.
  await on.append(visits, [{ s_id: 6, city: 'Rome', seconds: 9 }]);
  await on.append(cities, [{ s_id: 3, city: 'Rome', country: 'IT' }]);
  expect((await on.materialized(id)).output).toMatchObject({ mode: 'full', rowCount: 3 });
});

test('groups are merged with those of the rows that are added, without reading the others', async () => {
  const sales = await on.data('sales', { city: 'STRING', amount: 'INTEGER', price: 'DECIMAL(12,2)' });
  await on.append(sales, [
    { s_id: 1, city: 'Bonn', amount: 5, price: 1.5 },
    { s_id: 2, city: 'Bonn', amount: null, price: 2.25 },
    { s_id: 3, city: 'Kiel', amount: 7, price: 3 },
    { s_id: 4, city: null, amount: 1, price: null },
  ]);
  const query = `SELECT city, count(*) AS n, count(amount) AS m, CAST(sum(amount) AS BIGINT) AS total, avg(price) AS mean,
      min(price) AS least, max(amount) AS most, sum(price) / count(*) AS each FROM sales
    GROUP BY city HAVING count(*) > 1 ORDER BY city`;
  const id = await on.calc('sales_by_city', query);
  expect((await on.materialized(id)).output).toMatchObject({ mode: 'full', rowCount: 1 });
  await on.append(sales, [
    { s_id: 5, city: 'Kiel', amount: 2, price: 4.5 },
    { s_id: 6, city: null, amount: null, price: null },
  ]);
  expect((await on.materialized(id)).output).toMatchObject({ mode: 'incremental', rowCount: 3 });
  expect(await mode(id)).toMatchObject({ mode: 'incremental', rowsRead: 2 });
  expect(await on.rows('SELECT * FROM sales_by_city ORDER BY city')).toEqual(await on.rows(query));

  const body = { rows: [{ s_id: 1, city: 'Kiel', amount: 5, price: 1.5 }] };
  await on.must('PUT', `/v1/tables/${sales}/rows`, 200, body);
  expect((await on.materialized(id)).output).toMatchObject({ mode: 'full' });
  expect(await on.rows('SELECT * FROM sales_by_city ORDER BY city')).toEqual(await on.rows(query));
});

test('names mean in what is kept what they mean in the query: columns, keys and aliases of one name', async () => {
  const words = await on.data('words', { city: 'STRING', n: 'INTEGER' });
  const cities = ['Bonn', 'Kiel', 'kiel', null];
  const rows = (from: number) =>
    Array.from({ length: 12 }, (_, index) => ({ s_id: from + index, city: cities[index % 4], n: index % 5 }));
  await on.append(words, rows(1));
  const queries = [
    `SELECT upper(city) AS city, count(*) AS c FROM words GROUP BY city HAVING city = 'KIEL'`,
    'SELECT upper(city) AS city, count(*) AS c FROM words GROUP BY city ORDER BY city',
    'SELECT lower(city) AS small, max(n) AS n FROM words GROUP BY small HAVING n > 1',
    'SELECT city AS n, CAST(sum(n) AS BIGINT) AS city FROM words GROUP BY city',
    `SELECT w.city, city || '!' AS loud, count(*) AS c FROM words w GROUP BY w.city HAVING loud <> 'Bonn!'`,
    'SELECT n > 2 AS many, count(*) AS c, CAST(sum(n) AS BIGINT) AS n FROM words GROUP BY many HAVING sum(n) > 0',
    'SELECT city, CAST(sum(n) AS BIGINT) AS n, n * 2 AS twice FROM words GROUP BY ALL',
    'SELECT count(*) AS c, CAST(sum(n) AS BIGINT) AS n FROM words HAVING n > 3',
  ];
  const known: [string, string, string][] = [];
  for (const [index, query] of queries.entries())
    known.push([`meant_${index}`, query, await on.calc(`meant_${index}`, query)]);
  for (const from of [101, 201]) {
    for (const [name, query, id] of known) {
      expect((await on.materialized(id)).status).toBe('succeeded');
      const sorted = async (sql: string) => (await on.rows(sql)).map((row) => JSON.stringify(row)).sort();
      expect(await sorted(`SELECT * FROM ${name}`), query).toEqual(await sorted(query));
    }
    await on.append(words, rows(from));
  }
  const modes = await Promise.all(known.map(async ([, , id]) => (await mode(id)).mode));
  expect(modes).toContain('incremental');
});

test.each([
  ['depends on the order', 'SELECT city, sum(share) AS x FROM shares GROUP BY city'],
  ['depends on the time', 'SELECT city, now() - moment AS x FROM shares'],
  ['is limited', 'SELECT city, count(*) AS x FROM shares GROUP BY city ORDER BY x DESC, city LIMIT 2'],
  ['has an outer join', 'SELECT s.city, o.n AS x FROM shares s LEFT JOIN shares_n o ON o.city = s.city'],
  ['reads a table twice', 'SELECT a.city, b.share AS x FROM shares a JOIN shares b ON a.city = b.city'],
  ['has a window', 'SELECT city, row_number() OVER (ORDER BY s_id) AS x FROM shares'],
  ['counts what differs', 'SELECT city, count(DISTINCT share) AS x FROM shares GROUP BY city'],
])('a query that %s is built anew', async (_what, query) => {
  shares ??= await on.data('shares', { city: 'STRING', share: 'DOUBLE', moment: 'TIMESTAMPTZ' });
  if (lastShare === 0) await on.data('shares_n', { city: 'STRING', n: 'INTEGER' });
  const row = () => {
    lastShare += 1;
    return { s_id: lastShare, city: 'Bonn', share: 0.1, moment: '2026-01-01T00:00:00Z' };
  };
  await on.append(shares, [row(), row()]);
  const id = await on.calc(`anew_${lastShare}`, query);
  await on.materialized(id);
  await on.append(shares, [row()]);
  expect((await on.materialized(id)).output.mode).toBe('full');
});
let shares: string | undefined;
let lastShare = 0;

test('a column that was widened since is not mixed with what was made of it before', async () => {
  const loose = await on.must('POST', '/v1/grid/tables', 201, {
    name: 'loose',
    kind: 'data',
    columns: [{ name: 'value' }],
  });
  await on.append(loose.tableId, [
    { s_id: 1, value: 7 },
    { s_id: 2, value: 8 },
    { s_id: 3, value: 9 },
  ]);
  const id = await on.calc('halves', 'SELECT s_id, typeof(value) AS kind FROM loose');
  await on.materialized(id);
  await on.append(loose.tableId, [{ s_id: 4, value: 0.5 }]);
  expect((await on.materialized(id)).output.mode).toBe('full');
  expect(await on.rows('SELECT DISTINCT kind FROM halves')).toEqual([{ kind: 'DOUBLE' }]);
});
