import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

/** Everything that is logged, at the most detailed level. */
const logged: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
const workspace = useOwnWorkspace({ logger });
const url = '/v1/connections/data';

const shop = {
  name: 'Shop',
  type: 'postgres',
  config: { host: 'db.example.com', database: 'shop', user: 'readonly' },
  secrets: { password: 'a-secret-password' },
};
const crm = {
  name: 'CRM',
  type: 'http',
  config: { base_url: 'https://api.example.com/v1', auth_type: 'bearer' },
  secrets: { token: 'a-secret-token' },
};
const policy = {
  version: 1,
  limits: { requests_per_second: 5 },
  resources: [
    {
      request_path: '/contacts',
      query_parameters: { since: '${cursor}', after_id: '${tie_breaker}' },
      field_mappings: { 'address.City': 'city' },
      cursor: {
        field: 'updated_at',
        format: 'iso8601',
        tie_breaker_field: 'id',
        tie_breaker_format: 'integer',
      },
      pagination: { mode: 'next_link', data_pointer: '/items', next_pointer: '/links/next' },
    },
  ],
};

// biome-ignore lint/suspicious/noExplicitAny: a connection as in answers.
async function connect(client: TestClient, body: object): Promise<any> {
  const made = await client.call('POST', url, { body });
  expect(made.status, made.text).toBe(201);
  return made.body.data;
}

test('a connection is made, listed, shown, changed and deleted; its secrets are in no answer and no log', async () => {
  const client = await workspace.organization();
  const made = await client.call('POST', url, { body: { ...shop, name: ' Shop ', description: 'Orders.' } });
  const { id } = made.body.data;
  expect([made.status, made.headers['location']]).toEqual([201, `${url}/${id}`]);
  expect(made.body.data).toEqual({
    id: expect.stringMatching(/^con_/),
    name: 'Shop',
    type: 'postgres',
    description: 'Orders.',
    config: shop.config,
    secretKeys: ['password'],
    snapshotConfig: { enabled: false, httpReplication: null },
    createdByUserId: client.clientId,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    lastTestedAt: null,
    lastTestOk: null,
  });
  const other = await connect(client, crm);
  expect((await client.call('GET', `${url}/${id}`)).body.data).toEqual(made.body.data);
  const first = await client.call('GET', `${url}?limit=1`);
  const second = await client.call('GET', `${url}?limit=1&cursor=${first.body.nextCursor}`);
  expect([...first.body.items, ...second.body.items]).toEqual([other, made.body.data]);
  const deleted = await client.call('DELETE', `${url}/${id}`);
  expect([deleted.status, deleted.body.data]).toEqual([200, made.body.data]);
  expect((await client.call('GET', `${url}/${id}`)).status).toBe(404);
  const answers = [made, first, second, deleted].map(({ text }) => text).join();
  expect(`${answers}${logged.join()}`).not.toMatch(/a-secret-/);
});

test('the types tell of every key, its label, and when it applies and is required', async () => {
  const client = await workspace.organization();
  const { status, body } = await client.call('GET', `${url}/types`);
  expect([status, Object.keys(body), body.undocumented_types]).toEqual([
    200,
    ['types', 'undocumented_types'],
    [],
  ]);
  type Listed = { type: string; config: { key: string }[]; secrets: { key: string }[] };
  const types = body.types as Listed[];
  const keys = Object.fromEntries(
    types.map((type) => [type.type, [...type.config, ...type.secrets].map(({ key }) => key)]),
  );
  expect(keys).toMatchObject({
    postgres: ['host', 'port', 'database', 'user', 'ssl_mode', 'password'],
    mysql: ['host', 'port', 'database', 'user', 'ssl_mode', 'password'],
    http: [
      ...['base_url', 'auth_type', 'username', 'header_name', 'token_url', 'client_id'],
      ...['password', 'token', 'header_value', 'client_secret'],
    ],
    s3: [
      ...['endpoint', 'region', 'bucket', 'prefix', 'format', 'path_style'],
      ...['access_key_id', 'secret_access_key'],
    ],
  });
  const http = types.find(({ type }) => type === 'http');
  expect(http?.secrets[1]).toEqual({
    key: 'token',
    label: 'Bearer token',
    required: false,
    type: 'string',
    applies_when: { auth_type: ['bearer'] },
    required_when: { auth_type: ['bearer'] },
  });
});

test('what is left out of a change stays; config and secrets are merged by key and checked as a whole', async () => {
  const client = await workspace.organization();
  const { id, ...made } = await connect(client, shop);
  const change = (body: object) => client.call('PATCH', `${url}/${id}`, { body });
  const untouched = await change({});
  expect(untouched.body.data).toEqual({ id, ...made, updatedAt: expect.any(String) });
  const moved = await change({
    config: { port: 5_433, ssl_mode: 'disable' },
    secrets: shop.secrets,
    description: 'x',
  });
  expect(moved.body.data).toMatchObject({
    name: 'Shop',
    description: 'x',
    config: { ...shop.config, port: 5_433, ssl_mode: 'disable' },
    secretKeys: ['password'],
  });
  const removed = await change({ config: { port: null }, secrets: { password: null } });
  expect(removed.body.data).toMatchObject({
    config: { ...shop.config, ssl_mode: 'disable' },
    secretKeys: [],
  });
  const refused = await change({ config: { host: null, prot: 1 } });
  expect([refused.status, refused.body.detail]).toEqual([
    422,
    [
      { loc: ['body', 'config', 'prot'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' },
      { loc: ['body', 'config', 'host'], msg: 'Host is required.', type: 'missing' },
    ],
  ]);
  const asOther = await change({ type: 'mysql' });
  expect([asOther.status, asOther.body.code]).toEqual([400, 'unsupported_option']);
  expect((await change({ type: 'postgres', name: 'Shop 2' })).body.data.name).toBe('Shop 2');
});

test('another way of signing in needs its own fields, and that those of the last one are removed', async () => {
  const client = await workspace.organization();
  const { id } = await connect(client, crm);
  const change = (body: object) => client.call('PATCH', `${url}/${id}`, { body });
  const half = await change({ config: { auth_type: 'basic' } });
  expect(half.body.detail).toEqual([
    {
      loc: ['body', 'config', 'username'],
      msg: 'User name is required if Authentication is basic.',
      type: 'missing',
    },
    {
      loc: ['body', 'secrets', 'token'],
      msg: 'Bearer token only applies if Authentication is bearer. Omit it, or send null to remove it.',
      type: 'value_error',
    },
  ]);
  const whole = await change({
    config: { auth_type: 'basic', username: 'u' },
    secrets: { token: null, password: 'a-secret-password' },
  });
  expect(whole.body.data).toMatchObject({
    config: { base_url: crm.config.base_url, auth_type: 'basic', username: 'u' },
    secretKeys: ['password'],
  });
});

test('a present snapshot policy replaces the stored one, a left out http_replication stays', async () => {
  const client = await workspace.organization();
  const { id, snapshotConfig } = await connect(client, {
    ...crm,
    snapshot_config: { enabled: true, http_replication: policy },
  });
  expect(snapshotConfig).toEqual({ enabled: true, httpReplication: policy });
  const change = async (snapshot_config: object) =>
    (await client.call('PATCH', `${url}/${id}`, { body: { snapshot_config } })).body.data.snapshotConfig;
  expect(await change({})).toEqual({ enabled: false, httpReplication: policy });
  const other = { resources: [{ request_path: '/deals' }] };
  expect(await change({ enabled: true, http_replication: other })).toEqual({
    enabled: true,
    httpReplication: other,
  });
  expect(await change({ enabled: true, http_replication: null })).toEqual({
    enabled: true,
    httpReplication: null,
  });
  const renamed = await client.call('PATCH', `${url}/${id}`, { body: { name: 'CRM 2' } });
  expect(renamed.body.data.snapshotConfig).toEqual({ enabled: true, httpReplication: null });
});

const at = (change: object) => ({ ...policy, resources: [{ ...policy.resources[0], ...change }] });
const place = ['body', 'snapshot_config', 'http_replication'];

test.each([
  [{ ...policy, retries: 3 }, [...place, 'retries'], 'extra_forbidden'],
  [
    { ...policy, limits: { requests_per_second: 0 } },
    [...place, 'limits', 'requests_per_second'],
    'greater_than_equal',
  ],
  [
    { ...policy, limits: { max_concurrency: 33 } },
    [...place, 'limits', 'max_concurrency'],
    'less_than_equal',
  ],
  [
    at({ request_path: 'https://elsewhere.example.com' }),
    [...place, 'resources', 0, 'request_path'],
    'value_error',
  ],
  [at({ request_path: '/../admin' }), [...place, 'resources', 0, 'request_path'], 'value_error'],
  [
    at({ pagination: { mode: 'next_token' } }),
    [...place, 'resources', 0, 'pagination', 'next_pointer'],
    'missing',
  ],
  [at({ pagination: { mode: 'all' } }), [...place, 'resources', 0, 'pagination', 'mode'], 'enum'],
  [
    at({ pagination: { mode: 'page', data_pointer: 'items' } }),
    [...place, 'resources', 0, 'pagination', 'data_pointer'],
    'string_pattern_mismatch',
  ],
  [
    at({ query_parameters: { since: '${cusror}' } }),
    [...place, 'resources', 0, 'query_parameters', 'since'],
    'value_error',
  ],
  [
    at({ initial_query_parameters: { since: '${cursor}' } }),
    [...place, 'resources', 0, 'initial_query_parameters', 'since'],
    'value_error',
  ],
  [
    at({ cursor: { field: 'f', format: 'iso8601', tie_breaker_field: 'id' }, query_parameters: {} }),
    [...place, 'resources', 0, 'cursor', 'tie_breaker_format'],
    'missing',
  ],
  [at({ cursor: { field: 'f', format: 'rfc822' } }), [...place, 'resources', 0, 'cursor', 'format'], 'enum'],
  [at({ field_mappings: { a: 'x', b: 'x' } }), [...place, 'resources', 0, 'field_mappings'], 'value_error'],
  [
    at({ field_mappings: { a: '__place_of_record__' } }),
    [...place, 'resources', 0, 'field_mappings'],
    'value_error',
  ],
  [
    { resources: [{ request_path: '/a' }, { request_path: '/a' }] },
    [...place, 'resources', 1, 'request_path'],
    'value_error',
  ],
])('the policy %o is refused at %o as %s', async (http_replication, loc, type) => {
  const client = await workspace.organization();
  const body = { ...crm, snapshot_config: { http_replication } };
  const { status, body: answer } = await client.call('POST', url, { body });
  expect([
    status,
    answer.detail?.map((fault: { loc: unknown; type: unknown }) => [fault.loc, fault.type]),
  ]).toEqual([422, [[loc, type]]]);
});

test('what is no HTTP source has no http_replication, and addresses are checked unless the operator lets go', async () => {
  const client = await workspace.organization();
  const database = await client.call('POST', url, {
    body: { ...shop, snapshot_config: { http_replication: policy } },
  });
  expect([database.status, database.body.detail[0].loc]).toEqual([422, place]);
  const body = {
    ...crm,
    snapshot_config: { http_replication: { ...policy, validate_server_address: false } },
  };
  const refused = await client.call('POST', url, { body });
  expect([refused.status, refused.body.code]).toEqual([400, 'unsupported_option']);
});

test('names are unique in the organization, and what was made under a key is found again', async () => {
  const [client, stranger] = [await workspace.organization(), await workspace.organization()];
  const headers = { 'idempotency-key': 'once' };
  const made = await client.call('POST', url, { body: shop, headers });
  const again = await client.call('POST', url, { body: shop, headers });
  expect([made.status, again.status, again.text]).toEqual([201, 201, made.text]);
  const taken = await client.call('POST', url, { body: shop });
  expect([taken.status, taken.body.code]).toEqual([409, 'name_taken']);
  const { id } = await connect(client, crm);
  const renamed = await client.call('PATCH', `${url}/${id}`, { body: { name: 'Shop' } });
  expect([renamed.status, renamed.body.code]).toEqual([409, 'name_taken']);
  await connect(stranger, shop);
});
