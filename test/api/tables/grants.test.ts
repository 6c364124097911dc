import { beforeAll, expect, test } from 'vitest';
import * as grants from '../../support/grants.ts';
import { type Person, personOf } from '../../support/people.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const everyoneWrites = [{ principal: 'everyone', access: 'write' }];

let client: TestClient;
let insider: Person;
let outsider: Person;

beforeAll(async () => {
  client = await workspace.organization();
  insider = await personOf(workspace, client, 'member');
  outsider = await personOf(workspace, client, 'member');
});

const madeTable = (name: string) => grants.madeTable(client, name);
const grant = (tableId: string, given: object[]) => grants.replaceGrants(client, tableId, given);
const { only } = grants;
const query = (by: Pick<TestClient, 'call'>, sql: string, more: object = {}) =>
  by.call('POST', '/v1/query-executions', { body: { sql, ...more } });

test('a new table is everyone’s; grants are replaced whole, each principal once', async () => {
  const tableId = await madeTable('plain');
  const path = `/v1/tables/${tableId}/grants`;
  expect((await client.call('GET', path)).body.data.grants).toEqual(everyoneWrites);
  const mixed = [
    { principal: 'everyone', access: 'read' },
    { principal: 'client', id: client.clientId, access: 'write' },
    { principal: 'user', id: insider.id, access: 'write' },
  ];
  expect(await grant(tableId, mixed)).toEqual(mixed);
  expect(await grant(tableId, [...only(insider, 'read'), ...only(insider, 'write')])).toEqual(
    only(insider, 'write'),
  );
  expect(await grant(tableId, [])).toEqual([]);
  expect(await grant(tableId, everyoneWrites)).toEqual(everyoneWrites);
  const other = await personOf(workspace, await workspace.organization(), 'member');
  const wrong = [
    { principal: 'user', id: other.id, access: 'read' },
    { principal: 'client', id: insider.id, access: 'read' },
  ];
  const refused = await client.call('PUT', path, { body: { grants: wrong } });
  expect(refused.body.detail.map(({ loc }: { loc: unknown[] }) => loc)).toEqual([
    ['body', 'grants', 0, 'id'],
    ['body', 'grants', 1, 'id'],
  ]);
  expect((await insider.call('GET', path)).body.code).toBe('admin_required');
});

test('every route below a table: unknown without a grant, read-only with one to read, whole with one to write', async () => {
  const tableId = await madeTable('walled');
  await grant(tableId, only(insider, 'read'));
  const { paths } = (await client.call('GET', '/openapi.json')).body;
  const routes = Object.entries(paths as Record<string, object>)
    .filter(([path]) => path.includes('{table_id}') && !path.endsWith('/grants'))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
    );
  expect(routes.length).toBeGreaterThan(18);
  for (const { method, path } of routes) {
    const url = path
      .replace('{table_id}', tableId)
      .replace('{name}', 'a')
      .replace('{page_number}', '1')
      .replace(/\{[^}]+\}/g, 'bat_01kahz3v6dfyvb1s8m3h9q2w4x');
    const isRows = path.endsWith('/rows');
    const bodies: Record<string, object> = {
      POST: { rows: [{ s_id: 2, a: 1 }] },
      PUT: { rows: [{ s_id: 2, a: 1 }] },
      DELETE: { s_ids: [1] },
    };
    const body = isRows && method !== 'GET' ? { body: bodies[method] } : {};
    const call = (by: Person) => by.call(method as 'GET', url, body);
    const name = `${method} ${path}`;
    const hidden = await call(outsider);
    expect([hidden.status, hidden.body.code], name).toEqual([404, 'not_found']);
    const unknown = await outsider.call(
      method as 'GET',
      url.replace(tableId, 'tbl_01kahz3v6dfyvb1s8m3h9q2w4x'),
      body,
    );
    expect(hidden.body.detail, name).toBe(unknown.body.detail);
    const seen = await call(insider);
    if (method === 'GET') expect(seen.body.code, name).not.toBe('admin_required');
    else if (seen.status !== 422 && seen.status !== 404)
      expect([seen.status, seen.body.code], name).toEqual([403, 'admin_required']);
  }
  expect((await client.call('GET', `/v1/tables/${tableId}/rows`)).body.items).toHaveLength(1);
  await grant(tableId, only(insider, 'write'));
  const written = await insider.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows: [{ s_id: 2 }] } });
  expect(written.status, written.text).toBe(200);
});

test('writes that name a table in their body need the grant too', async () => {
  const tableId = await madeTable('target');
  await grant(tableId, only(insider, 'read'));
  const sync = { table_id: tableId, provider: 'p', generation: 'g' };
  expect((await outsider.call('POST', '/v1/data-syncs', { body: sync })).status).toBe(404);
  expect((await insider.call('POST', '/v1/data-syncs', { body: sync })).body.code).toBe('admin_required');
  const made = await client.call('POST', '/v1/data-syncs', { body: sync });
  const generation = `/v1/data-syncs/${made.body.data.id}/generation`;
  const rotated = { generation: 'h' };
  expect((await outsider.call('PUT', generation, { body: rotated })).status).toBe(404);
  expect((await insider.call('PUT', generation, { body: rotated })).body.code).toBe('admin_required');
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'P' } })).body.data.id;
  const file = await client.call('PUT', `/v1/projects/${project}/files/content?path=a.csv`, {
    body: { content: 's_id,a\n3,4\n' },
  });
  const append = { project_id: project, file_id: file.body.data.id, mode: 'append', table_id: tableId };
  expect((await outsider.call('POST', '/v1/table-imports', { body: append })).status).toBe(404);
  expect((await insider.call('POST', '/v1/table-imports', { body: append })).body.code).toBe(
    'admin_required',
  );
  const entries = `/v1/projects/${project}/catalog-entries`;
  expect((await outsider.call('POST', entries, { body: { table_id: tableId } })).status).toBe(404);
  expect((await insider.call('POST', entries, { body: { table_id: tableId } })).status).toBe(201);
  expect((await insider.call('GET', entries)).body.items).toHaveLength(1);
  expect((await outsider.call('GET', entries)).body.items).toEqual([]);
});

test('lists and the history leave out what is not granted', async () => {
  const tableId = await madeTable('quiet');
  const ran = await query(insider, 'SELECT a FROM quiet');
  expect(ran.status, ran.text).toBe(200);
  await grant(tableId, only(insider, 'read'));
  const namesOf = async (by: Person, url: string): Promise<string[]> =>
    (await by.call('GET', url)).body.tables.map(({ name }: { name: string }) => name);
  for (const url of ['/v1/tables', '/v1/tables/catalog']) {
    expect(await namesOf(insider, url)).toContain('quiet');
    expect(await namesOf(outsider, url)).not.toContain('quiet');
  }
  const history = (by: Person) => by.call('GET', `/v1/query-executions/${ran.body.data.id}`);
  expect((await history(insider)).status).toBe(200);
  expect((await history(outsider)).status).toBe(404);
  const { items } = (await outsider.call('GET', '/v1/query-executions')).body;
  expect(items.map(({ id }: { id: string }) => id)).not.toContain(ran.body.data.id);
});

test('a statement cannot name what is not granted, in the very words of an unknown table', async () => {
  const tableId = await madeTable('hushed');
  await grant(tableId, only(insider, 'read'));
  expect((await query(insider, 'SELECT a FROM hushed')).body.data.rows).toEqual([{ a: 7 }]);
  for (const statement of [
    'SELECT * FROM hushed',
    'SELECT * FROM main.hushed',
    'SELECT (SELECT max(a) FROM hushed)',
    'WITH x AS (SELECT * FROM hushed) SELECT * FROM x',
    'DESCRIBE hushed',
  ]) {
    const hidden = await query(outsider, statement);
    const unknown = await query(outsider, statement.replaceAll('hushed', 'nosuch'));
    expect(hidden.status, statement).toBe(400);
    expect(hidden.body.detail.replaceAll('hushed', 'nosuch'), statement).toBe(unknown.body.detail);
  }
  for (const key of ['hushed', tableId]) {
    const hidden = await query(outsider, 'SELECT 1', { at_versions: { [key]: 1 } });
    expect([hidden.status, hidden.body.detail?.[0]?.msg]).toEqual([422, 'No table has this id or name.']);
  }
  await grant(tableId, everyoneWrites);
  expect((await query(outsider, 'SELECT a FROM hushed')).status).toBe(200);
});

test('administrators always may, and a person who became one too', async () => {
  const tableId = await madeTable('board');
  await grant(tableId, []);
  const admin = await personOf(workspace, client, 'admin');
  expect((await admin.call('GET', `/v1/tables/${tableId}`)).status).toBe(200);
  expect((await query(admin, 'SELECT a FROM board')).status).toBe(200);
  expect((await insider.call('GET', `/v1/tables/${tableId}`)).status).toBe(404);
});

test('of appends that share a commit only those with the grant are written', async () => {
  const tableId = await madeTable('shared');
  await grant(tableId, [{ principal: 'everyone', access: 'read' }, ...only(insider, 'write')]);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      [insider, outsider, client][index % 3]!.call('POST', `/v1/tables/${tableId}/rows`, {
        body: { rows: [{ s_id: 100 + index }] },
      }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(
    Array.from({ length: 12 }, (_, index) => (index % 3 === 1 ? 403 : 200)),
  );
  expect((await query(client, 'SELECT count(*) AS n FROM shared')).body.data.rows).toEqual([{ n: 9 }]);
});
