import { beforeAll, expect, test } from 'vitest';
import { icebergEngine, type ManifestEntry } from '../../../support/iceberg-engine.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
let client: TestClient;
let engine: ReturnType<typeof icebergEngine>;
beforeAll(async () => {
  client = await workspace.organization();
  engine = icebergEngine(workspace, client);
});

const fields = [
  { id: 1, name: 'id', required: false, type: 'long' },
  { id: 2, name: 'label', required: false, type: 'string' },
];
const ids = '{id: 1, label: 2}';
const added = (url: string, rows: number): ManifestEntry => ({ status: 1, content: 0, url, rows });

async function created(name: string): Promise<string> {
  const made = await engine.create(name, fields);
  expect(made.status, made.text).toBe(200);
  return made.body.metadata.location;
}

/** A file with the ids from..to-1. */
const rowsFile = (location: string, from: number, to: number) =>
  engine.parquet(location, `SELECT i AS id, 'x' || i AS label FROM range(${from}, ${to}) t(i)`, ids);

const count = async (name: string) => {
  const sql = `SELECT count(*) AS n, sum(id)::BIGINT AS total FROM ${name}`;
  const { body } = await client.call('POST', '/v1/query-executions', { body: { sql } });
  return [body.data.rows[0].n, body.data.rows[0].total];
};

test('what an engine appends is one version, and the same commit again changes nothing', async () => {
  const location = await created('appended');
  const updates = await engine.snapshot(location, [added(await rowsFile(location, 0, 100), 100)], 'deflate');
  const before = (await engine.load('appended')).body.metadata;
  const requirements = [
    { type: 'assert-table-uuid', uuid: before['table-uuid'] },
    { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': before['current-snapshot-id'] },
  ];
  const committed = await engine.commit('appended', updates, requirements);
  expect(committed.status, committed.text).toBe(200);
  const again = await engine.commit('appended', updates, requirements);
  expect(again.body.metadata['current-snapshot-id']).toBe(committed.body.metadata['current-snapshot-id']);
  expect(await count('appended')).toEqual([100, 4_950]);
  const tables = (await client.call('GET', '/v1/tables')).body.tables;
  const table = tables.find(({ name }: { name: string }) => name === 'appended');
  expect(table).toMatchObject({ kind: 'iceberg', appendable: false, rowCount: 100 });
  const versions = await client.call('GET', `/v1/tables/${table.id}/versions`);
  expect(versions.body.items[0]).toMatchObject({
    ...{ version: committed.body.metadata['current-snapshot-id'], operation: 'append', rowsAdded: 100 },
  });
  const stale = await engine.commit('appended', await engine.snapshot(location, []), requirements);
  expect([stale.status, stale.body.error.type]).toEqual([409, 'CommitFailedException']);
});

test('rows go by their positions and with their files', async () => {
  const location = await created('deleted');
  const files = [await rowsFile(location, 0, 10), await rowsFile(location, 10, 20)];
  const first = await engine.commit(
    'deleted',
    await engine.snapshot(
      location,
      files.map((url) => added(url, 10)),
    ),
  );
  expect(first.status, first.text).toBe(200);
  const lakeFiles = await workspace.deps.lake.catalogPool.query<{ path: string }>(
    `SELECT path FROM ${(await workspace.deps.lake.catalog.get(client.organizationId)).schema}.ducklake_data_file
     WHERE path LIKE $1 ORDER BY data_file_id`,
    [
      `%${(await client.call('GET', '/v1/tables')).body.tables.find((table: { name: string }) => table.name === 'deleted').id}%`,
    ],
  );
  const [one, two] = lakeFiles.rows.map(({ path }) => path);
  const positions = await engine.parquet(
    location,
    `SELECT '${one}' AS file_path, unnest([0, 3])::BIGINT AS pos`,
    '{file_path: 2147483546, pos: 2147483545}',
  );
  const second = await engine.commit(
    'deleted',
    await engine.snapshot(location, [
      { status: 1, content: 1, url: positions, rows: 2 },
      { status: 2, content: 0, url: two!, rows: 10 },
    ]),
  );
  expect(second.status, second.text).toBe(200);
  expect(await count('deleted')).toEqual([8, 42]);
  const gone = await engine.commit(
    'deleted',
    await engine.snapshot(location, [{ status: 2, content: 0, url: two!, rows: 10 }]),
  );
  expect([gone.status, gone.body.error.type]).toEqual([409, 'CommitFailedException']);
});

test('files of others, and what the lake does not keep, are refused with a reason', async () => {
  const location = await created('refused');
  const other = await created('other');
  const foreign = await rowsFile(other, 0, 5);
  const own = await rowsFile(location, 0, 5);
  const wrongIds = await engine.parquet(
    location,
    `SELECT 'x' AS label, 1::BIGINT AS id`,
    '{id: 2, label: 1}',
  );
  const wrongColumns = await engine.parquet(location, 'SELECT 1 AS other', '{other: 7}');
  const sent: [ManifestEntry, number, RegExp][] = [
    [added(foreign, 5), 400, /isn't below the location/],
    [added(`${location}/../../x.parquet`, 5), 400, /isn't below the location/],
    [added(`${location}/data/missing.parquet`, 5), 400, /isn't there/],
    [added(wrongIds, 1), 400, /field id/],
    [added(wrongColumns, 1), 400, /field id|can't be added/],
    [{ status: 1, content: 2, url: own, rows: 5 }, 406, /equality deletes/],
  ];
  for (const [entry, status, message] of sent) {
    const refused = await engine.commit('refused', await engine.snapshot(location, [entry]));
    expect([refused.status, refused.body.error.message]).toEqual([status, expect.stringMatching(message)]);
  }
  const elsewhere = await engine.commit('refused', await engine.snapshot(other, [added(foreign, 5)]));
  expect([elsewhere.status, elsewhere.body.error.type]).toEqual([400, 'BadRequestException']);
  const parts = await engine.create('parts', fields, {
    'partition-spec': { fields: [{ 'source-id': 1, transform: 'identity', name: 'id' }] },
  });
  expect(parts.status).toBe(406);
  const typed = await engine.create('typed', [{ id: 1, name: 'x', type: 'timestamp_ns' }]);
  expect([typed.status, typed.body.error.message]).toEqual([400, expect.stringContaining('timestamp_ns')]);
  const taken = await engine.create('refused', fields);
  expect([taken.status, taken.body.error.type]).toEqual([409, 'AlreadyExistsException']);
  expect(await count('refused')).toEqual([0, null]);
});

test('tables that the service writes are read-only for engines, and grants hold', async () => {
  const columns = [{ name: 'a', data_type: 'INTEGER' }];
  await client.call('POST', '/v1/grid/tables', { body: { name: 'own', kind: 'data', columns } });
  const { location } = (await engine.load('own')).body.metadata;
  const refused = await engine.commit('own', await engine.snapshot(location, []));
  expect([refused.status, refused.body.error.type]).toEqual([406, 'UnsupportedOperationException']);
  expect((await client.call('DELETE', `${engine.tables}/own`)).status).toBe(406);

  await created('granted');
  const { tables } = (await client.call('GET', '/v1/tables')).body;
  const { id } = tables.find(({ name }: { name: string }) => name === 'granted');
  const grants = [{ principal: 'everyone', access: 'read' }];
  await client.call('PUT', `/v1/tables/${id}/grants`, { body: { grants } });
  const issued = await client.call('POST', '/v1/auth/m2m/clients', {
    body: { name: 'engine', scopes: ['agent:read', 'agent:write'] },
  });
  const token = await workspace.call('POST', '/v1/auth/m2m/token', {
    raw: {
      text: `client_id=${issued.body.data.clientId}&client_secret=${issued.body.data.clientSecret}`,
      contentType: 'application/x-www-form-urlencoded',
    },
  });
  const headers = { authorization: `Bearer ${token.body.access_token}` };
  const body = { requirements: [], updates: [] };
  const reader = await workspace.call('POST', `${engine.tables}/granted`, { headers, body });
  expect([reader.status, reader.body.error.type]).toEqual([403, 'ForbiddenException']);
  const readOnly = { authorization: `Bearer ${await client.token('agent:read')}` };
  const scoped = await workspace.call('POST', `${engine.tables}/granted`, { headers: readOnly, body });
  expect([scoped.status, scoped.body.error.type]).toEqual([403, 'ForbiddenException']);
});

test('a staged table appears with its first commit, and can be dropped', async () => {
  const staged = await engine.create('staged', fields, { 'stage-create': true });
  expect((await engine.load('staged')).status).toBe(404);
  const { location, schemas } = staged.body.metadata;
  const updates = [
    { action: 'add-schema', schema: schemas[0] },
    { action: 'set-current-schema', 'schema-id': -1 },
    { action: 'set-location', location },
    { action: 'set-properties', updates: { owner: 'spark' } },
    ...(await engine.snapshot(location, [added(await rowsFile(location, 0, 3), 3)])),
  ];
  const requirements = [{ type: 'assert-create' }];
  const made = await engine.commit('staged', updates, requirements);
  expect(made.status, made.text).toBe(200);
  expect(made.body.metadata.properties).toMatchObject({ owner: 'spark' });
  expect(await count('staged')).toEqual([3, 3]);
  const again = await engine.commit('staged', updates, requirements);
  expect(again.status, again.text).toBe(200);
  expect(await count('staged')).toEqual([3, 3]);
  expect((await client.call('DELETE', `${engine.tables}/staged`)).status).toBe(204);
  expect((await engine.load('staged')).status).toBe(404);
});

test('a commit that fails a blocking test changes nothing', async () => {
  const location = await created('tested');
  const { tables } = (await client.call('GET', '/v1/tables')).body;
  const { id } = tables.find(({ name }: { name: string }) => name === 'tested');
  const definition = await client.call('POST', '/v1/verification-tests/definitions', {
    body: {
      name: 'ids',
      kind: 'unique',
      params: { columns: ['id'] },
      target: { table_id: id },
      blocking: true,
    },
  });
  expect(definition.status, definition.text).toBe(201);
  const good = await engine.commit(
    'tested',
    await engine.snapshot(location, [added(await rowsFile(location, 0, 5), 5)]),
  );
  expect(good.status, good.text).toBe(200);
  const bad = await engine.commit(
    'tested',
    await engine.snapshot(location, [added(await rowsFile(location, 4, 6), 2)]),
  );
  expect([bad.status, bad.body.error.message]).toEqual([409, expect.stringContaining('failed these tests')]);
  expect(await count('tested')).toEqual([5, 10]);
});

test('the routes of other tables answer for a table of an engine', async () => {
  const location = await created('everywhere');
  const rows = [added(await rowsFile(location, 0, 5), 5)];
  expect((await engine.commit('everywhere', await engine.snapshot(location, rows))).status).toBe(200);
  const { tables } = (await client.call('GET', '/v1/tables')).body;
  const { id } = tables.find(({ name }: { name: string }) => name === 'everywhere');
  const column = { name: 'more', data_type: 'STRING' };
  const asked = [
    ['GET', `/v1/tables/${id}/rows`, 200],
    ['GET', `/v1/tables/${id}/catalog`, 200],
    ['GET', `/v1/tables/${id}/lineage`, 200],
    ['GET', `/v1/tables/${id}/versions`, 200],
    ['GET', `/v1/grid/tables/${id}`, 404],
    ['GET', `/v1/grid/tables/${id}/status`, 200],
    ['POST', `/v1/tables/${id}/rows`, 409, { rows: [{ s_id: 1, id: 1 }] }],
    ['POST', `/v1/tables/${id}/ingestion-batches`, 409, { mode: 'append' }],
    ['POST', `/v1/grid/tables/${id}/columns`, 409, column],
    ['DELETE', `/v1/tables/${id}?confirm=true`, 200],
  ] as const;
  for (const [method, path, status, body] of asked) {
    const answer = await client.call(method, path, body === undefined ? {} : { body });
    expect([answer.status, answer.text], `${method} ${path}`).toEqual([status, expect.anything()]);
  }
  expect((await engine.load('everywhere')).status).toBe(404);
});
