import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { connect, httpServer, list, tested } from '../../../support/sources.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';

/** Everything that is logged, at the most detailed level. */
const logged: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
const workspace = useOwnWorkspace({ logger }, () => ({ ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8' }));

afterAll(() => {
  expect(logged.join()).not.toMatch(/a-secret-/);
});

describe('HTTP', () => {
  const resources = [
    {
      request_path: '/contacts',
      field_mappings: { 'address.city': 'city' },
      json_string_fields: ['extra'],
      pagination: { mode: 'next_link', data_pointer: '/data/items', next_pointer: '/next' },
    },
  ];
  const answer = JSON.stringify({
    data: {
      items: [
        { id: 1, address: { city: 'Oslo' }, extra: '{"a":1}' },
        { id: 2, name: 'B' },
      ],
    },
  });

  test('a list of many resources asks for the columns of the first ten', async () => {
    const client = await workspace.organization();
    const { base, requests } = await httpServer((_, response) => response.end(answer));
    const many = Array.from({ length: 30 }, (_, index) => ({
      ...resources[0]!,
      request_path: `/r${index + 10}`,
    }));
    const at = await connect(
      client,
      'http',
      { base_url: `${base}/v1` },
      { snapshot_config: { http_replication: { resources: many } } },
    );
    const listed = await list(client, at);
    expect(listed.status, listed.text).toBe(200);
    const { items } = listed.body;
    expect(items).toHaveLength(30);
    expect(items.filter(({ columns }: { columns: unknown[] }) => columns.length > 0)).toHaveLength(10);
    expect(requests).toHaveLength(10);
  });

  test('a resource that is at fault is listed with why, among the others', async () => {
    const client = await workspace.organization();
    const { base } = await httpServer((request, response) => {
      if (request.url!.startsWith('/v1/broken')) response.writeHead(500).end('{"token": "a-secret-token"}');
      else if (request.url!.startsWith('/v1/admin')) response.writeHead(401).end('{}');
      else response.end(request.url!.startsWith('/v1/odd') ? '{"rows": 1}' : answer);
    });
    const named = ['/admin', '/broken', '/contacts', '/odd'].map((request_path) => ({
      ...resources[0]!,
      request_path,
    }));
    const at = await connect(
      client,
      'http',
      { base_url: `${base}/v1` },
      { snapshot_config: { http_replication: { resources: named } } },
    );
    const listed = await list(client, at);
    expect(listed.status, listed.text).toBe(200);
    expect(listed.body.items).toMatchObject([
      { resource: '/admin', columns: [], error: expect.stringMatching(/^\/admin: .*401/) },
      { resource: '/broken', columns: [], error: expect.stringMatching(/^\/broken: .*500/) },
      { resource: '/contacts', error: null },
      { resource: '/odd', columns: [], error: expect.stringMatching(/^\/odd: /) },
    ]);
    expect(listed.body.items[2].columns).toHaveLength(5);
  });

  test('a test and a list keep to the limits of the policy', async () => {
    const client = await workspace.organization();
    const { base, requests } = await httpServer((request, response) =>
      request.url!.startsWith('/v1')
        ? response.writeHead(302, { location: '/v2/contacts' }).end()
        : response.end(answer),
    );
    const http_replication = { resources, limits: { requests_per_day: 3 } };
    const at = await connect(
      client,
      'http',
      { base_url: `${base}/v1` },
      { snapshot_config: { http_replication } },
    );
    expect(await tested(client, at)).toMatchObject({ ok: true });
    // The redirect would be a fourth request.
    expect((await tested(client, at)).failure).toMatchObject({
      stage: 'request',
      message: expect.stringMatching(/limits in http_replication allow no request for the next \d+ s/),
    });
    const listed = await list(client, at);
    expect(listed.body.items, listed.text).toMatchObject([{ resource: '/contacts', columns: [] }]);
    expect(requests).toHaveLength(3);
  });

  test('its resources are asked for with the credentials, and tell their columns', async () => {
    const client = await workspace.organization();
    const { base, requests } = await httpServer((_, response) => response.end(answer));
    const at = await connect(
      client,
      'http',
      { base_url: `${base}/v1`, auth_type: 'basic', username: 'u' },
      { secrets: { password: 'a-secret-password' }, snapshot_config: { http_replication: { resources } } },
    );
    expect(await tested(client, at)).toMatchObject({ ok: true });
    expect(requests[0]).toMatchObject({
      url: '/v1/contacts',
      headers: { authorization: `Basic ${Buffer.from('u:a-secret-password').toString('base64')}` },
    });
    const listed = await list(client, at);
    expect(listed.body.items, listed.text).toEqual([
      {
        resource: '/contacts',
        name: 'contacts',
        kind: 'endpoint',
        columns: [
          { name: 'id', dataType: 'number', nullable: false },
          { name: 'address', dataType: 'json', nullable: true },
          { name: 'extra', dataType: 'json', nullable: true },
          { name: 'city', dataType: 'string', nullable: true },
          { name: 'name', dataType: 'string', nullable: true },
        ],
        estimatedRows: null,
        keyColumns: [],
        error: null,
      },
    ]);
  });

  test('the key that a resource tells is a column, also where its field has another name', async () => {
    const client = await workspace.organization();
    const { base } = await httpServer((_, response) => response.end(answer));
    const query = { since: '${cursor}', after: '${tie_breaker}' };
    for (const [field, mappings, key] of [
      ['id', {}, 'id'],
      ['id', { id: 'contact_id' }, 'contact_id'],
      ['constructor', {}, 'constructor'],
    ] as const) {
      const cursor = {
        field: 'name',
        format: 'string',
        tie_breaker_field: field,
        tie_breaker_format: 'integer',
      };
      const resource = { ...resources[0]!, query_parameters: query, cursor };
      const policy = { resources: [{ ...resource, field_mappings: mappings }] };
      const at = await connect(
        client,
        'http',
        { base_url: `${base}/v1` },
        {
          snapshot_config: { http_replication: policy },
        },
      );
      const { items } = (await list(client, at)).body;
      expect(items[0].keyColumns, JSON.stringify(items)).toEqual([key]);
      const names = items[0].columns.map(({ name }: { name: string }) => name);
      if (field === 'id') expect(names).toContain(key);
    }
  });

  test('credentials do not follow a redirect to another origin, and a redirect to a private address is refused', async () => {
    const client = await workspace.organization();
    const other = await httpServer((_, response) => response.end(answer));
    const { base } = await httpServer((_, response) => {
      response.writeHead(302, { location: `${other.base}/elsewhere` }).end();
    });
    const more = {
      secrets: { token: 'a-secret-token' },
      snapshot_config: { http_replication: { resources } },
    };
    const at = await connect(client, 'http', { base_url: base, auth_type: 'bearer' }, more);
    expect(await tested(client, at)).toMatchObject({ ok: true });
    expect(other.requests[0]!.headers.authorization).toBeUndefined();
    const { base: inward } = await httpServer((_, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    });
    const refused = await connect(client, 'http', { base_url: inward, auth_type: 'bearer' }, more);
    expect((await tested(client, refused)).failure.stage).toBe('address_refused');
  });

  test.each([
    ['login', 401, '{}'],
    ['permission', 403, '{}'],
    ['request', 500, '{"token": "a-secret-token"}'],
    ['request', 200, '{"data": {"items": '],
    ['request', 200, '{"data": {}}'],
    ['request', 200, '<html>'],
  ])('a failure of the stage %s is told of an answer %i %s', async (stage, status, body) => {
    const client = await workspace.organization();
    const { base } = await httpServer((_, response) => {
      response.writeHead(status).end(body);
    });
    const at = await connect(
      client,
      'http',
      { base_url: base, auth_type: 'bearer' },
      { secrets: { token: 'a-secret-token' }, snapshot_config: { http_replication: { resources } } },
    );
    expect((await tested(client, at)).failure?.stage).toBe(stage);
    expect(await list(client, at)).toMatchObject({ status: 400, body: { code: 'source_failed', stage } });
  });

  test('an access token is asked for by client credentials', async () => {
    const client = await workspace.organization();
    const { base, requests } = await httpServer((request, response) => {
      if (request.url === '/token')
        response.end('{"access_token": "a-secret-access-token", "expires_in": 600}');
      else response.end(answer);
    });
    const at = await connect(
      client,
      'http',
      {
        ...{ base_url: base, auth_type: 'oauth_client_credentials' },
        ...{ token_url: `${base}/token`, client_id: 'c' },
      },
      { secrets: { client_secret: 'a-secret-client' }, snapshot_config: { http_replication: { resources } } },
    );
    expect(await tested(client, at)).toMatchObject({ ok: true });
    expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/token', `Basic ${Buffer.from('c:a-secret-client').toString('base64')}`],
      ['/contacts', 'Bearer a-secret-access-token'],
    ]);
  });
});
