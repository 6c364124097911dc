import { expect, test, vi } from 'vitest';
import { problems } from '../../data/errors.ts';
import { expectEventually } from '../support/eventually.ts';
import { useOwnWorkspace, useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
const limited = useOwnWorkspace({ rateLimitPerMinute: 5 });

test('a problem has all six members, its type resolves, and the request id is echoed', async () => {
  const client = await workspace.organization();
  const answer = await client.call('GET', '/v1/projects/prj_nothing', {
    headers: { 'x-request-id': 'my-request-1' },
  });
  expect(answer.status).toBe(404);
  expect(answer.headers['content-type']).toContain('application/problem+json');
  expect(answer.body).toEqual({
    type: '/problems/not_found',
    title: expect.any(String),
    status: 404,
    detail: expect.any(String),
    code: 'not_found',
    request_id: 'my-request-1',
  });
  expect(answer.headers['x-request-id']).toBe('my-request-1');
  for (const code of Object.keys(problems))
    expect((await workspace.call('GET', `/problems/${code}`)).status, code).toBe(200);
  const unsafe = await client.call('GET', '/v1/me', { headers: { 'x-request-id': 'a b' } });
  expect(unsafe.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  ['malformed JSON', '{"name": ', 'application/json', 422, 'json_invalid'],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'application/json', 422, 'json_invalid'],
  ['an unknown field', '{"name": "x", "nmae": 1}', 'application/json', 422, 'extra_forbidden'],
  ['a missing field', '{}', 'application/json', 422, 'missing'],
  ['a wrong type', '{"name": 5}', 'application/json', 422, 'string_type'],
  ['too short a string', '{"name": ""}', 'application/json', 422, 'string_too_short'],
  ['a body that is no object', '[1]', 'application/json', 422, 'dict_type'],
  ['a NUL character', '{"name": "a\\u0000b"}', 'application/json', 422, 'value_error'],
  ['no body at all', '', 'application/json', 422, 'missing'],
])(
  '%s is a validation error in the vocabulary of pydantic',
  async (_what, text, contentType, status, type) => {
    const client = await workspace.organization();
    const answer = await client.call('POST', '/v1/projects', { raw: { text, contentType } });
    expect(answer.status, answer.text).toBe(status);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body.detail[0]).toMatchObject({
      loc: expect.arrayContaining(['body']),
      msg: expect.any(String),
      type,
    });
  },
);

test('an integer beyond 2^53 is a number that is too large or too small', async () => {
  const client = await workspace.organization();
  for (const [limit, type] of [
    ['149096084595943968000', 'less_than_equal'],
    ['-149096084595943968000', 'greater_than_equal'],
    ['1.00000000000000000001', 'int_type'],
  ]) {
    const raw = { text: `{"sql":"SELECT 1","limit":${limit}}`, contentType: 'application/json' };
    const answer = await client.call('POST', '/v1/query-executions', { raw });
    expect(answer.body.detail, limit).toMatchObject([{ loc: ['body', 'limit'], type }]);
  }
});

test('an oversized body and a wrong content type are told as such', async () => {
  const client = await workspace.organization();
  const large = await client.call('POST', '/v1/projects', { body: { name: 'x'.repeat(1_100_000) } });
  expect([large.status, large.body.code]).toEqual([400, 'body_too_large']);
  const xml = await client.call('POST', '/v1/projects', { raw: { text: '<a/>', contentType: 'text/xml' } });
  expect([xml.status, xml.body.code]).toEqual([400, 'unsupported_media_type']);
});

test('tokens: unknown, malformed, revoked and expired are told apart, with a challenge', async () => {
  const client = await workspace.organization();
  const codeOf = async (authorization: string) =>
    (await workspace.call('GET', '/v1/me', { headers: { authorization } })).body.code;
  expect(await codeOf('Bearer wat_nothing')).toBe('invalid_token');
  expect(await codeOf('Basic abc')).toBe('invalid_token');
  const token = await client.token('agent:read');
  expect(
    (await client.call('POST', '/v1/auth/logout', { headers: { authorization: `Bearer ${token}` } })).body,
  ).toEqual({ data: { revoked: true } });
  const after = await workspace.call('GET', '/v1/me', { headers: { authorization: `Bearer ${token}` } });
  expect(after.body.code).toBe('invalid_token');
  expect(after.headers['www-authenticate']).toContain('invalid_token');
  const old = await client.token('agent:write');
  await workspace.deps.lake.catalogPool.query(
    `UPDATE access_tokens SET expires_at = now() - interval '1 second'`,
  );
  expect(await codeOf(`Bearer ${old}`)).toBe('token_expired');
});

test('the token route takes form and Basic credentials, grants subsets, and answers errors of OAuth as problems', async () => {
  const client = await workspace.organization();
  const form = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    workspace.call('POST', '/v1/auth/m2m/token', {
      raw: { text: new URLSearchParams(fields).toString(), contentType: 'application/x-www-form-urlencoded' },
      headers,
    });
  const { clientId, clientSecret } = client;
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const granted = await form({ scope: 'agent:read' }, { authorization: basic });
  expect(granted.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'agent:read' });
  expect(granted.headers['cache-control']).toBe('no-store');
  const bare = (authorization: string) =>
    workspace.call('POST', '/v1/auth/m2m/token', { headers: { authorization } });
  expect((await bare(basic)).body).toMatchObject({ token_type: 'Bearer' });
  const stranger = await bare(`Basic ${Buffer.from(`${clientId}:no`).toString('base64')}`);
  expect([stranger.status, stranger.body.code]).toEqual([401, 'invalid_client']);
  const all = await form({
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: 'client_credentials',
  });
  expect(all.body.scope.split(' ').sort()).toEqual(['agent:read', 'agent:write', 'tables:append']);
  const wrong = await form({ client_id: clientId, client_secret: 'no' });
  expect([wrong.status, wrong.body.code, wrong.body.error]).toEqual([
    401,
    'invalid_client',
    'invalid_client',
  ]);
  const scope = await form({ client_id: clientId, client_secret: clientSecret, scope: 'agent:read root' });
  expect([scope.status, scope.body.code, scope.body.error]).toEqual([400, 'invalid_scope', 'invalid_scope']);
  const grant = await form({ client_id: clientId, client_secret: clientSecret, grant_type: 'password' });
  expect(grant.body.code).toBe('unsupported_grant_type');
  const json = await workspace.call('POST', '/v1/auth/m2m/token', { body: { client_id: clientId } });
  expect(json.body.code).toBe('unsupported_media_type');
});

test('a repeated write under one key creates once and answers byte for byte, also after an unanswered first try', async () => {
  const client = await workspace.organization();
  const post = (name: string, key: string) =>
    client.call('POST', '/v1/projects', { body: { name }, headers: { 'idempotency-key': key } });
  const first = await post('Once', 'key-1');
  const second = await post('Once', 'key-1');
  expect(first.status).toBe(201);
  expect(second.text).toBe(first.text);
  expect(second.headers['location']).toBe(first.headers['location']);
  expect(second.headers['idempotent-replayed']).toBe('true');
  expect((await post('Other', 'key-1')).body.detail[0].loc).toEqual(['header', 'idempotency-key']);
  // A crash between the effect and storing the answer: the row says running, its lease has expired.
  await workspace.deps.lake.catalogPool.query(
    `UPDATE idempotency_keys SET response_status = NULL, response = NULL, lease_until = now()`,
  );
  const third = await post('Once', 'key-1');
  expect(third.body.data.id).toBe(first.body.data.id);
  expect((await client.call('GET', '/v1/projects')).body.items).toHaveLength(1);
  // While the lease is valid, the first request is assumed to be running.
  await workspace.deps.lake.catalogPool.query(
    `UPDATE idempotency_keys SET response_status = NULL, response = NULL, lease_until = now() + interval '1 minute'`,
  );
  expect((await post('Once', 'key-1')).body.code).toBe('idempotency_in_flight');
  // Its process died: it has not renewed its lease for some seconds.
  await workspace.deps.lake.catalogPool.query('UPDATE idempotency_keys SET alive_until = now()');
  expect((await post('Once', 'key-1')).body.data.id).toBe(first.body.data.id);
});

test('a request that takes long says that it runs', async () => {
  const client = await workspace.organization();
  const { objects, lake } = workspace.deps;
  const made = await client.call('POST', '/v1/projects', { body: { name: 'Slow' } });
  const held = Promise.withResolvers<void>();
  const put = objects.put.bind(objects);
  const spy = vi.spyOn(objects, 'put').mockImplementationOnce(async (...given) => {
    await held.promise;
    return put(...given);
  });
  const url = `/v1/projects/${made.body.data.id}/files/content?path=a.txt`;
  const headers = { 'idempotency-key': 'slow' };
  const answer = client.call('PUT', url, { body: { content: 'x' }, headers });
  const aliveUntil = async () => {
    const { rows } = await lake.catalogPool.query(
      `SELECT alive_until FROM idempotency_keys WHERE key = 'slow'`,
    );
    return rows[0]?.alive_until.getTime() ?? 0;
  };
  await expectEventually(aliveUntil).toBeGreaterThan(0);
  const first = await aliveUntil();
  await expectEventually(aliveUntil).toBeGreaterThan(first);
  held.resolve();
  expect((await answer).status).toBe(201);
  spy.mockRestore();
});

test.each([
  ['', 'string_too_short'],
  ['k'.repeat(256), 'string_too_long'],
])('a key of the wrong length is refused at its place', async (key, type) => {
  const client = await workspace.organization();
  const answer = await client.call('POST', '/v1/projects', {
    body: { name: 'x' },
    headers: { 'idempotency-key': key },
  });
  expect(answer.status).toBe(422);
  expect(answer.body.detail[0]).toMatchObject({ loc: ['header', 'idempotency-key'], type });
});

test('the OpenAPI document is 3.1, with the key as a parameter of every write and an example in every body', async () => {
  const { body } = await workspace.call('GET', '/openapi.json');
  expect([body.openapi, body.info.version]).toEqual(['3.1.0', '0.1.0']);
  const post = body.paths['/v1/projects'].post;
  expect(post.parameters).toMatchObject([{ in: 'header', name: 'idempotency-key', required: false }]);
  const parameter = (path: string, method: string, name: string) =>
    body.paths[path][method].parameters.find((one: { name: string }) => one.name === name);
  expect(parameter('/v1/projects', 'get', 'limit')).toMatchObject({
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  });
  const page = '/v1/tables/{table_id}/ingestion-batches/{batch_id}/pages/{page_number}';
  expect(parameter(page, 'put', 'page_number')).toMatchObject({
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: 100_000 },
  });
  for (const [path, methods] of Object.entries(
    body.paths as Record<string, Record<string, { requestBody?: object }>>,
  )) {
    for (const [method, { requestBody }] of Object.entries(methods)) {
      if (requestBody !== undefined)
        expect(JSON.stringify(requestBody), `${method} ${path}`).toMatch(/"examples?"/);
    }
  }
});

test('an error is not kept: the same key may succeed later', async () => {
  const client = await workspace.organization();
  const body = { name: 'k', kind: 'data', columns: [{ name: 'a' }] };
  const first = (await client.call('POST', '/v1/grid/tables', { body })).body.data.tableId;
  const headers = { 'idempotency-key': 'again' };
  expect((await client.call('POST', '/v1/grid/tables', { body, headers })).body.code).toBe('name_taken');
  await client.call('DELETE', `/v1/tables/${first}?confirm=true`);
  expect((await client.call('POST', '/v1/grid/tables', { body, headers })).status).toBe(201);
});

test('kept answers are encrypted at rest', async () => {
  const client = await workspace.organization();
  await client.call('POST', '/v1/projects', {
    body: { name: 'Very visible name' },
    headers: { 'idempotency-key': 'e' },
  });
  const { rows } = await workspace.deps.lake.catalogPool.query(
    'SELECT response FROM idempotency_keys WHERE key = $1',
    ['e'],
  );
  expect(rows[0].response.toString('latin1')).not.toContain('Very visible name');
});

test('a cursor belongs to its list, its table and its filters', async () => {
  const client = await workspace.organization();
  for (const name of ['a', 'b']) await client.call('POST', '/v1/projects', { body: { name } });
  const { nextCursor } = (await client.call('GET', '/v1/projects?limit=1')).body;
  const follow = (path: string) => client.call('GET', `${path}cursor=${nextCursor}`);
  expect((await follow('/v1/projects?limit=2&')).status).toBe(200);
  // Parameters that the list does not know are no filters.
  expect((await follow('/v1/projects?limit=1&_=7&')).body.items).toHaveLength(1);
  for (const path of ['/v1/query-executions?', '/v1/projects?include_archived=true&']) {
    const answer = await follow(path);
    expect([answer.status, answer.body.detail?.[0]]).toMatchObject([
      422,
      { loc: ['query', 'cursor'], type: 'value_error' },
    ]);
  }
});

test('lists are paged by opaque cursors; a foreign cursor is refused', async () => {
  const client = await workspace.organization();
  for (const name of ['a', 'b', 'c']) await client.call('POST', '/v1/projects', { body: { name } });
  const first = await client.call('GET', '/v1/projects?limit=2');
  expect(first.body.items.map((item: { name: string }) => item.name)).toEqual(['c', 'b']);
  const second = await client.call('GET', `/v1/projects?limit=2&cursor=${first.body.nextCursor}`);
  expect(second.body.items.map((item: { name: string }) => item.name)).toEqual(['a']);
  expect(second.body.nextCursor).toBeNull();
  for (const [query, type] of [
    ['limit=0', 'greater_than_equal'],
    ['limit=201', 'less_than_equal'],
    ['limit=x', 'int_parsing'],
    ['limit=', 'int_parsing'],
    ['limit=0x10', 'int_parsing'],
    ['limit=1.5', 'int_parsing'],
    ['cursor=%20', 'value_error'],
  ]) {
    const refused = await client.call('GET', `/v1/projects?${query}`);
    expect([refused.status, refused.body.detail[0].type], query).toEqual([422, type]);
  }
  const unclear = await client.call('GET', '/v1/projects?include_archived=maybe');
  expect(unclear.body.detail).toMatchObject([{ loc: ['query', 'include_archived'], type: 'bool_parsing' }]);
  expect((await client.call('GET', '/v1/projects?unknown=1')).status).toBe(200);
});

test('the rate limit is told in headers and enforced with Retry-After', async () => {
  const client = await limited.organization();
  const answers = [];
  for (let index = 0; index < 7; index += 1) answers.push(await client.call('GET', '/v1/me'));
  expect(answers[0]!.headers['ratelimit-policy']).toBe('"default";q=5;w=60');
  expect(answers[0]!.headers['ratelimit']).toMatch(/^"default";r=\d+;t=\d+$/);
  const last = answers.at(-1)!;
  expect([last.status, last.body.code]).toEqual([429, 'rate_limited']);
  expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
});

test('an archived project is still shown and takes nothing new', async () => {
  const client = await workspace.organization();
  const id = (await client.call('POST', '/v1/projects', { body: { name: 'Old' } })).body.data.id;
  const archived = await client.call('DELETE', `/v1/projects/${id}`);
  expect(archived.body.data.archivedAt).not.toBeNull();
  expect((await client.call('DELETE', `/v1/projects/${id}`)).body).toEqual(archived.body);
  expect((await client.call('GET', '/v1/projects')).body.items).toHaveLength(0);
  const write = await client.call('PUT', `/v1/projects/${id}/files/content?path=a.txt`, {
    body: { content: 'x' },
  });
  expect(write.body.code).toBe('conflict');
});

test('every operation has a name of its own in the document, and every named schema is used', async () => {
  const { body, text } = await workspace.call('GET', '/openapi.json');
  const operations = Object.values(body.paths as Record<string, Record<string, { operationId?: string }>>);
  const ids = operations.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  expect(ids).toEqual(expect.arrayContaining(['createProject', 'listFiles', 'getTableCatalog', 'runQuery']));
  for (const name of Object.keys(body.components.schemas))
    expect(text).toContain(`"#/components/schemas/${name}"`);
});

test('every tag that an operation has is described, and every description has operations', async () => {
  const { body } = await workspace.call('GET', '/openapi.json');
  const operations = Object.values(body.paths as Record<string, Record<string, { tags?: string[] }>>);
  const used = new Set(operations.flatMap((path) => Object.values(path).flatMap(({ tags = [] }) => tags)));
  const described = (body.tags as { name: string }[]).map(({ name }) => name);
  expect([...used].sort()).toEqual(described.sort());
});
