import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { shaping } from '../../../support/calculated.ts';
import { only, replaceGrants } from '../../../support/grants.ts';
import { type Person, personOf } from '../../../support/people.ts';
import {
  type TestClient,
  useOrganization,
  useOwnWorkspace,
  useWorkspace,
} from '../../../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);
let on: ReturnType<typeof shaping>;
let tableId: string;
let places = 0;
let place: string;

beforeAll(() => {
  on = shaping(client);
});

beforeEach(async () => {
  place = `places_${places++}`;
  tableId = await on.data(place, { city: 'STRING' });
  await on.append(tableId, [{ s_id: 1, city: 'Bonn' }]);
});

const ask = async (sql: string, by: Pick<TestClient, 'call'> = client, more: object = {}) => {
  const { body, status } = await by.call('POST', '/v1/query-executions', {
    body: { sql, row_format: 'rows', ...more },
  });
  return status === 200
    ? { rows: body.data.rows, cached: body.data.cached, scanned: body.data.scanned.tables }
    : { code: body.code };
};
/** Asks twice, so that everything about the statement is remembered. */
const askTwice = async (sql: string, by: Pick<TestClient, 'call'> = client) => {
  await ask(sql, by);
  return ask(sql, by);
};

describe('an answer', () => {
  test('is kept until a table of it changes, and says so', async () => {
    const sql = `SELECT city FROM ${place}`;
    const first = await ask(sql);
    expect(first).toMatchObject({ rows: [{ city: 'Bonn' }], cached: undefined });
    expect(await ask(sql)).toEqual({ ...first, cached: true });
    const version = await on.append(tableId, [{ s_id: 2, city: 'Köln' }]);
    const changed = await ask(sql);
    expect(changed.cached).toBeUndefined();
    expect(changed.rows).toHaveLength(2);
    expect(changed.scanned).toEqual([{ tableId, version }]);
  });

  test('is kept for each limit and format', async () => {
    const sql = `SELECT city FROM ${place}`;
    await askTwice(sql);
    expect((await ask(sql, client, { limit: 7 })).cached).toBeUndefined();
    const both = await client.call('POST', '/v1/query-executions', { body: { sql } });
    expect(both.body.data.rows_with_column_order).toEqual([[{ name: 'city', value: 'Bonn' }]]);
  });

  test.each(['SELECT random() AS n', 'SELECT now() AS n', 'SELECT current_date AS n', 'SELECT uuid() AS n'])(
    'of %s is not kept',
    async (sql) => {
      expect((await askTwice(sql)).cached).toBeUndefined();
    },
  );

  test('has a record of its own each time, which can be seen at once', async () => {
    const sql = `SELECT city AS town FROM ${place}`;
    await ask(sql);
    const { body } = await client.call('POST', '/v1/query-executions', { body: { sql, row_format: 'rows' } });
    const shown = await client.call('GET', `/v1/query-executions/${body.data.id}`);
    expect(shown.body.data).toMatchObject({
      sql,
      status: 'succeeded',
      rowCount: 1,
      scanned: body.data.scanned,
    });
    const { items } = (await client.call('GET', '/v1/query-executions?limit=2')).body;
    expect(items.map((item: { sql: string }) => item.sql)).toEqual([sql, sql]);
  });

  test('of a view follows the view', async () => {
    const view = await on.view(`seen_${place}`, `SELECT upper(city) AS city FROM ${place}`);
    const sql = `SELECT * FROM seen_${place}`;
    expect(await askTwice(sql)).toMatchObject({ rows: [{ city: 'BONN' }], cached: true });
    const query = `SELECT lower(city) AS city FROM ${place}`;
    expect((await client.call('PATCH', `/v1/views/${view}`, { body: { query } })).status).toBe(200);
    expect(await ask(sql)).toMatchObject({ rows: [{ city: 'bonn' }], cached: undefined });
  });
});

describe('what a statement may read is remembered until it changes', () => {
  let person: Person;
  beforeEach(async () => {
    person = await personOf(workspace, client, 'member');
  });

  test('a table that was made, renamed, and deleted', async () => {
    const name = `made_${place}`;
    expect(await askTwice(`SELECT * FROM ${name}`)).toEqual({ code: 'query_failed' });
    const made = await on.data(name, { n: 'INTEGER' });
    expect((await askTwice(`SELECT n FROM ${name}`)).rows).toEqual([]);
    const renamed = await client.call('PATCH', `/v1/tables/${made}`, { body: { name: `re${name}` } });
    if (renamed.status === 200) {
      expect(await ask(`SELECT n FROM ${name}`)).toEqual({ code: 'query_failed' });
      expect((await ask(`SELECT n FROM re${name}`)).rows).toEqual([]);
    }
    await client.call('DELETE', `/v1/tables/${made}?confirm=true`);
    expect(await ask(`SELECT n FROM ${renamed.status === 200 ? `re${name}` : name}`)).toEqual({
      code: 'query_failed',
    });
  });

  test('a column that was renamed', async () => {
    const sql = `SELECT * FROM ${place}`;
    await askTwice(sql);
    const path = `/v1/grid/tables/${tableId}/columns/city`;
    expect((await client.call('PATCH', path, { body: { name: 'town' } })).status).toBe(200);
    expect((await ask(sql)).rows).toMatchObject([{ town: 'Bonn' }]);
  });

  test('a grant that was withdrawn, and given again', async () => {
    const sql = `SELECT city FROM ${place}`;
    const other = await personOf(workspace, client, 'member');
    expect((await askTwice(sql, person)).rows).toEqual([{ city: 'Bonn' }]);
    await replaceGrants(client, tableId, only(other, 'read'));
    expect(await ask(sql, person)).toEqual({ code: 'query_failed' });
    expect((await ask(sql, other)).rows).toEqual([{ city: 'Bonn' }]);
    await replaceGrants(client, tableId, only(person, 'read'));
    expect((await ask(sql, person)).rows).toEqual([{ city: 'Bonn' }]);
    expect(await ask(sql, other)).toEqual({ code: 'query_failed' });
  });

  test('a role', async () => {
    const sql = `SELECT city FROM ${place}`;
    const other = await personOf(workspace, client, 'member');
    await replaceGrants(client, tableId, only(other, 'read'));
    const role = (to: string) =>
      workspace.deps.lake.catalogPool.query('UPDATE users SET role = $1 WHERE id = $2', [to, person.id]);
    await role('admin');
    expect((await askTwice(sql, person)).rows).toEqual([{ city: 'Bonn' }]);
    await role('member');
    expect(await ask(sql, person)).toEqual({ code: 'query_failed' });
  });

  test('whoever defined a view, and may no longer read what it reads', async () => {
    const made = await person.call('POST', '/v1/views', {
      body: { name: `by_${place}`, query: `SELECT city FROM ${place}` },
    });
    expect(made.status, made.text).toBe(201);
    const sql = `SELECT city FROM by_${place}`;
    expect((await askTwice(sql)).rows).toEqual([{ city: 'Bonn' }]);
    const other = await personOf(workspace, client, 'member');
    await replaceGrants(client, tableId, only(other, 'read'));
    expect(await ask(sql)).toEqual({ code: 'query_failed' });
  });
});

describe('another process', () => {
  const second = useOwnWorkspace({}, () => ({ DATABASE_URL: workspace.databaseUrl }));

  test('sees at once what this one changes', async () => {
    const sql = `SELECT city FROM ${place}`;
    const token = await client.token();
    const there: Pick<TestClient, 'call'> = {
      call: (method, path, options = {}) =>
        second.call(method, path, { ...options, headers: { authorization: `Bearer ${token}` } }),
    };
    expect(await askTwice(sql, there)).toMatchObject({ rows: [{ city: 'Bonn' }], cached: true });
    await on.append(tableId, [{ s_id: 2, city: 'Köln' }]);
    expect((await ask(sql, there)).rows).toHaveLength(2);
    const body = { name: 'town' };
    await client.call('PATCH', `/v1/grid/tables/${tableId}/columns/city`, { body });
    expect(await ask(sql, there)).toEqual({ code: 'query_failed' });
    expect((await ask(`SELECT town FROM ${place}`, there)).rows).toHaveLength(2);
    const added = `again_${place}`;
    expect(await ask(`SELECT * FROM ${added}`, there)).toEqual({ code: 'query_failed' });
    await on.data(added, { n: 'INTEGER' });
    expect((await ask(`SELECT * FROM ${added}`, there)).rows).toEqual([]);
  });
});
