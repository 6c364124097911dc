import { beforeAll, describe, expect, test } from 'vitest';
import { projectOf } from '../../support/conversations.ts';
import { madeTable, only, replaceGrants } from '../../support/grants.ts';
import { type Person, personOf, tokenOf } from '../../support/people.ts';
import { type Answer, type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();

let client: TestClient;
let project: string;
beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
});

type As = Pick<TestClient, 'call'>;
const post = async (url: string, body: object, as: As = client) => {
  const answer = await as.call('POST', url, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
};
const queryOf = (sql: string, more: object = {}, of = project) =>
  post(`/v1/projects/${of}/queries`, { name: 'A query', sql, ...more });
const dashboardOf = (tiles: object[], more: object = {}, of = project) =>
  post(`/v1/projects/${of}/dashboards`, { name: 'A dashboard', tiles, ...more });
const noteOf = (text: string, of = project) => dashboardOf([{ kind: 'text', text }], {}, of);
const share = (type: string, id: string, more: object = {}, as: As = client) =>
  post('/v1/shares', { resource: { type, id }, ...more }, as);
/** As a browser without any session. */
const look = ({ url }: { url: string }, query = ''): Promise<Answer> =>
  workspace.call('GET', `${new URL(url).pathname}${query}`);
const policyOf = ({ headers }: Answer) => String(headers['content-security-policy']);
const isGone = (answer: Answer) => {
  expect(answer.status).toBe(404);
  expect(answer.text).toContain('This link doesn&#39;t work');
};

describe('a share', () => {
  test('shows its link once, and nothing of it is stored', async () => {
    const { id } = await noteOf('Hello');
    const made = await share('dashboard', id, { embed_origins: ['https://a.example.com'] });
    expect(made).toEqual({
      id: expect.stringMatching(/^shr_/),
      resource: { type: 'dashboard', id },
      url: expect.stringMatching(/^https?:\/\/[^/]+\/shared\/wsh_[\w-]{43}$/),
      expiresAt: expect.any(String),
      embedOrigins: ['https://a.example.com'],
      createdByUserId: client.clientId,
      createdAt: expect.any(String),
      lastUsedAt: null,
      revokedAt: null,
    });
    const { url, ...shown } = made;
    const listed = await client.call('GET', '/v1/shares?limit=1');
    expect(listed.body.items).toEqual([shown]);
    const { rows } = await workspace.deps.lake.catalogPool.query(
      'SELECT s::text FROM shares s WHERE id = $1',
      [made.id],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(url.split('/').at(-1));
    expect((await look(made)).status).toBe(200);
    const used = (await client.call('GET', '/v1/shares?limit=1')).body.items[0];
    expect(used.lastUsedAt).toEqual(expect.any(String));
  });

  test('is made once under an idempotency key', async () => {
    const { id } = await noteOf('Once');
    const options = {
      body: { resource: { type: 'dashboard', id } },
      headers: { 'idempotency-key': 'share-1' },
    };
    const [first, second] = [
      await client.call('POST', '/v1/shares', options),
      await client.call('POST', '/v1/shares', options),
    ];
    expect([first.status, second.text]).toEqual([201, first.text]);
    expect(first.headers['cache-control']).toBe('no-store');
  });

  test('ends at once when it is revoked', async () => {
    const made = await share('dashboard', (await noteOf('Hello')).id);
    expect((await look(made)).status).toBe(200);
    const ended = await client.call('DELETE', `/v1/shares/${made.id}?confirm=true`);
    expect([ended.status, ended.body.data.revokedAt]).toEqual([200, expect.any(String)]);
    expect(ended.body.data.url ?? null).toBeNull();
    isGone(await look(made));
    const again = await client.call('DELETE', `/v1/shares/${made.id}`);
    expect(again.body.data).toEqual(ended.body.data);
  });

  test('ends with its time, and within a year', async () => {
    const { id } = await noteOf('Hello');
    const made = await share('dashboard', id, { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect((await look(made)).status).toBe(200);
    await workspace.deps.lake.catalogPool.query('UPDATE shares SET expires_at = now() WHERE id = $1', [
      made.id,
    ]);
    isGone(await look(made));
    for (const expires_at of [
      '2020-01-01T00:00:00Z',
      new Date(Date.now() + 367 * 86_400_000).toISOString(),
    ]) {
      const refused = await client.call('POST', '/v1/shares', {
        body: { resource: { type: 'dashboard', id }, expires_at },
      });
      expect(refused.body.detail).toMatchObject([{ loc: ['body', 'expires_at'], type: 'value_error' }]);
    }
    const within = new Date(made.createdAt);
    within.setUTCFullYear(within.getUTCFullYear() + 1);
    const { expiresAt } = await share('dashboard', id);
    expect(Math.abs(Date.parse(expiresAt) - within.getTime())).toBeLessThan(600_000);
  });

  test('ends with its maker, what it shows, and its project', async () => {
    const other = await projectOf(client);
    const leaver = await personOf(workspace, client, 'member');
    const { id } = await noteOf('Hello');
    const of = {
      leaver: await share('dashboard', id, {}, leaver),
      resource: await share('dashboard', (await noteOf('Hello')).id),
      query: await share('query', (await queryOf('SELECT 1 AS a')).id),
      project: await share('dashboard', (await noteOf('Hello', other)).id),
    };
    for (const made of Object.values(of)) expect((await look(made)).status).toBe(200);
    const owner = await personOf(workspace, client, 'owner');
    expect((await owner.call('DELETE', `/v1/members/${leaver.id}`)).status).toBe(200);
    await client.call('DELETE', `/v1/projects/${project}/dashboards/${of.resource.resource.id}`);
    await client.call('DELETE', `/v1/projects/${project}/queries/${of.query.resource.id}`);
    await client.call('DELETE', `/v1/projects/${other}`);
    for (const made of Object.values(of)) isGone(await look(made));
    const { items } = (await client.call('GET', '/v1/shares?limit=200')).body;
    for (const made of Object.values(of)) {
      const shown = items.find((one: { id: string }) => one.id === made.id);
      expect(shown.revokedAt, made.id).toEqual(expect.any(String));
    }
  });

  test('of an API client ends when it is revoked or expires', async () => {
    const { id } = await noteOf('Hello');
    for (const end of ['revoke', 'expire'] as const) {
      const issued = await client.call('POST', '/v1/auth/m2m/clients', {
        body: { name: end, scopes: ['agent:read', 'agent:write'] },
      });
      const { clientId: client_id, clientSecret: client_secret } = issued.body.data;
      const exchanged = await workspace.call('POST', '/v1/auth/m2m/token', {
        raw: {
          text: new URLSearchParams({ client_id, client_secret }).toString(),
          contentType: 'application/x-www-form-urlencoded',
        },
      });
      const headers = { authorization: `Bearer ${exchanged.body.access_token}` };
      const as: As = { call: (method, url, options) => workspace.call(method, url, { ...options, headers }) };
      const made = await share('dashboard', id, {}, as);
      expect((await look(made)).status).toBe(200);
      if (end === 'revoke') await client.call('DELETE', `/v1/auth/m2m/clients/${client_id}`);
      else
        await workspace.deps.lake.catalogPool.query(
          'UPDATE api_clients SET expires_at = now() WHERE id = $1',
          [client_id],
        );
      isGone(await look(made));
    }
  });

  test('shows nothing while its organization is suspended', async () => {
    const other = await workspace.organization();
    const at = (await other.call('POST', '/v1/projects', { body: { name: 'x' } })).body.data.id;
    const board = await post(`/v1/projects/${at}/dashboards`, { name: 'x' }, other);
    const made = await share('dashboard', board.id, {}, other);
    const suspend = (value: string) =>
      workspace.deps.lake.catalogPool.query(
        `UPDATE organizations SET suspended_at = ${value} WHERE id = $1`,
        [other.organizationId],
      );
    await suspend('now()');
    isGone(await look(made));
    await suspend('NULL');
    expect((await look(made)).status).toBe(200);
  });

  test('is one of as many as an organization can have', async () => {
    const other = await workspace.organization();
    const at = (await other.call('POST', '/v1/projects', { body: { name: 'x' } })).body.data.id;
    const board = await post(`/v1/projects/${at}/dashboards`, { name: 'x' }, other);
    await workspace.deps.lake.catalogPool.query(
      `INSERT INTO shares (organization_id, id, token_hash, resource_type, resource_id, project_id, expires_at,
         embed_origins, open_filters, created_by)
       SELECT $1, 'shr_' || n, decode(md5($1 || n), 'hex'), 'dashboard', $2, $3, now() + interval '1 day', '{}',
         false, 'x' FROM generate_series(1, 1000) n`,
      [other.organizationId, board.id, at],
    );
    const refused = await other.call('POST', '/v1/shares', {
      body: { resource: { type: 'dashboard', id: board.id } },
    });
    expect([refused.status, refused.body.code, refused.body.limit, refused.body.current]).toEqual([
      409,
      'limit_reached',
      1_000,
      1_000,
    ]);
  });

  test('needs agent:read in the token besides agent:write', async () => {
    const { id } = await noteOf('Hello');
    const person = await personOf(workspace, client, 'member');
    const narrow = await tokenOf(workspace, client.organizationId, person.id, ['agent:write']);
    const answer = await narrow.call('POST', '/v1/shares', { body: { resource: { type: 'dashboard', id } } });
    expect([answer.status, answer.body.code, answer.body.missing_scope]).toEqual([
      403,
      'missing_scope',
      'agent:read',
    ]);
  });

  test("isn't made or revoked by another organization", async () => {
    const stranger = await workspace.organization();
    const { id } = await noteOf('Hello');
    const made = await share('dashboard', id);
    expect((await stranger.call('DELETE', `/v1/shares/${made.id}`)).status).toBe(404);
    expect((await stranger.call('GET', '/v1/shares')).body.items).toEqual([]);
    for (const type of ['dashboard', 'report', 'query']) {
      const answer = await stranger.call('POST', '/v1/shares', { body: { resource: { type, id } } });
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
  });

  test.each([
    [{}, ['body', 'resource'], 'missing'],
    [{ resource: { type: 'table', id: 'x' } }, ['body', 'resource', 'type'], 'enum'],
    [{ resource: { type: 'query', id: 'x', a: 1 } }, ['body', 'resource', 'a'], 'extra_forbidden'],
    [{ extra: 1 }, ['body', 'extra'], 'extra_forbidden'],
    [{ embed_origins: ['https://a.example.com/x'] }, ['body', 'embed_origins', 0], 'string_pattern_mismatch'],
    [
      { embed_origins: ["https://a.example.com; script-src 'unsafe-inline'"] },
      ['body', 'embed_origins', 0],
      'string_pattern_mismatch',
    ],
    [{ embed_origins: ['*'] }, ['body', 'embed_origins', 0], 'string_pattern_mismatch'],
    [
      { embed_origins: Array.from({ length: 11 }, (_, n) => `https://${n}.example.com`) },
      ['body', 'embed_origins'],
      'too_long',
    ],
  ])('is refused as %j', async (more, loc, type) => {
    const { id } = await noteOf('Hello');
    const isEmpty = Object.keys(more).length === 0;
    const body = isEmpty ? {} : { resource: { type: 'dashboard', id }, ...more };
    const answer = await client.call('POST', '/v1/shares', { body });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toContainEqual({ loc, type, msg: expect.any(String) });
  });
});

describe('the page of a share', () => {
  test.each(['nothing', 'wsh_short', `wsh_${'a'.repeat(43)}`, '%00', 'wsh_x%2F..'])(
    'is not found as %s, without a session',
    async (token) => {
      const answer = await workspace.call('GET', `/shared/${token}`);
      isGone(answer);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(policyOf(answer)).toContain("frame-ancestors 'none'");
    },
  );

  test('has no session and no script, and is framed by its origins alone', async () => {
    const { id } = await noteOf('Hello');
    const open = await look(
      await share('dashboard', id, {
        embed_origins: ['https://a.example.com', 'https://b.example.com:8443'],
      }),
    );
    expect(open.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(open.headers['set-cookie']).toBeUndefined();
    expect(open.headers['cache-control']).toBe('no-store');
    expect(open.headers['ratelimit']).toEqual(expect.any(String));
    expect(open.headers['referrer-policy']).toBe('no-referrer');
    expect(open.headers['x-frame-options']).toBeUndefined();
    expect(policyOf(open)).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors https:\/\/a\.example\.com https:\/\/b\.example\.com:8443$/,
    );
    expect(open.text).not.toMatch(/<script|\son\w+=|style=|src="(?!data:)/i);
    const closed = await look(await share('dashboard', id));
    expect(policyOf(closed)).toContain("frame-ancestors 'none'");
    expect(closed.headers['x-frame-options']).toBe('DENY');
  });

  test('shows texts, tables, numbers and charts of a dashboard', async () => {
    await madeTable(client, 'shown');
    const sql = "SELECT * FROM (VALUES ('Porto', 3, 4), ('Faro', 1, 2)) t(city, orders, returns)";
    const { id: query } = await queryOf(sql, { chart: { type: 'bar', x: 'city', y: ['orders'] } });
    const tile = { kind: 'query', query_id: query };
    const { id } = await dashboardOf([
      { kind: 'text', title: 'Read me', text: '# Sales\n\n**All** of [them](https://example.com)' },
      tile,
      { ...tile, title: 'Both', chart: { type: 'line', x: 'city', y: ['orders', 'returns'] } },
      { ...tile, title: 'As a table', chart: { type: 'table' } },
      { ...tile, title: 'One', chart: { type: 'number', y: ['orders'] } },
      { ...tile, title: 'Pivot', chart: { type: 'pivot', x: 'orders', series: 'city', y: ['returns'] } },
      { ...tile, title: 'Undrawable', chart: { type: 'bar', x: 'town', y: ['orders'] } },
      { kind: 'query', query_id: (await queryOf('SELECT a FROM shown')).id },
    ]);
    const { status, text } = await look(await share('dashboard', id));
    expect(status, text).toBe(200);
    expect(text.match(/<img alt="[^"]*" src="data:image\/svg\+xml;base64,/g)).toHaveLength(2);
    expect(text).toContain('<h2>Sales</h2>');
    expect(text).toContain('<strong>All</strong>');
    expect(text).toContain('<td>Porto</td><td class="right">3</td>');
    expect(text).toContain('<p class="number">3</p>');
    expect(text).toContain('<th class="right">orders</th><th class="right">Porto</th>');
    expect(text).toContain('The result has no column “town”');
    expect(text).toContain('<td class="right">7</td>');
    expect(text).toContain('#tile-0{grid-column:1/span 12;');
  });

  test('escapes every name and value', async () => {
    const evil = '</script></style><script>alert(1)</script>"\'&';
    const { id: query } = await queryOf(`SELECT {{x}} AS "${'<b>column</b>'}"`, {
      name: evil,
      description: evil,
      parameters: { x: { type: 'string', default: evil } },
    });
    const { id } = await dashboardOf(
      [
        { kind: 'query', query_id: query, title: evil, id: evil },
        { kind: 'text', text: `${evil}\n\n<img src=x onerror=alert(1)>\n\n[x](javascript:alert(1))` },
      ],
      {
        name: evil,
        description: evil,
        filters: [{ name: 'f', label: evil, type: 'string', default: evil }],
      },
    );
    const report = await post(`/v1/projects/${project}/reports`, { title: evil, content: evil });
    for (const made of [
      await share('dashboard', id, { open_filters: true }),
      await share('query', query, { open_filters: true }),
      await share('report', report.id),
    ]) {
      const { status, text } = await look(made);
      expect(status).toBe(200);
      expect(text).toContain('&lt;/script&gt;');
      expect(text).not.toMatch(/<script|<b>column|<img src=x|<\/style><|"javascript:/);
      expect(text.match(/<\/style>/g)).toHaveLength(1);
    }
  });

  test('shows a report with its tables, and what is in its Markdown as text', async () => {
    const content =
      '## Orders\n\n| City | Orders |\n|---|--:|\n| Porto | 3 |\n\n- one\n- two\n\n> quoted\n\n`code`';
    const report = await post(`/v1/projects/${project}/reports`, { title: 'A report', content });
    const { status, text } = await look(await share('report', report.id));
    expect(status).toBe(200);
    expect(text).toContain('<h1>A report</h1>');
    expect(text).toContain('<td class="left">Porto</td><td class="right">3</td>');
    expect(text).toContain('<ul><li>one</li><li>two</li></ul>');
    expect(text).toContain('<blockquote><p>quoted</p></blockquote>');
    expect(text).toContain('<code>code</code>');
  });

  test('takes filters of its address only if they are open', async () => {
    const { id: query } = await queryOf(
      "SELECT 'City: ' || {{city}} AS city, {{n}} + 1 AS n, 'a' IN {{ids}} AS found",
      {
        parameters: {
          city: { type: 'string', default: 'Faro' },
          n: { type: 'number', default: 1 },
          ids: { type: 'list', default: [] },
        },
      },
    );
    const { id } = await dashboardOf(
      [{ kind: 'query', query_id: query, bindings: { city: 'town', n: 'count', ids: 'list' } }],
      {
        filters: [
          { name: 'town', label: 'Town', type: 'string' },
          { name: 'count', type: 'number' },
          { name: 'list', type: 'list' },
        ],
      },
    );
    const wanted = '?town=Braga&count=41&list=a,b&utm_source=x';
    const closed = await look(await share('dashboard', id), wanted);
    expect(closed.text).toContain('City: Faro');
    expect(closed.text).not.toContain('<form');
    const made = await share('dashboard', id, { open_filters: true });
    const open = await look(made, wanted);
    for (const shown of ['City: Braga', '>42<', '>true<', 'value="Braga"', '<form method="get">'])
      expect(open.text).toContain(shown);
    expect(policyOf(open)).toContain("form-action 'self'");
    const wrong = await look(made, '?count=many');
    expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('count')]);
    const ofQuery = await look(await share('query', query, { open_filters: true }), '?city=Lisboa');
    expect(ofQuery.text).toContain('City: Lisboa');
  });

  describe('has the rights of its maker', () => {
    let maker: Person;
    let table: string;
    let made: { url: string };
    beforeAll(async () => {
      maker = await personOf(workspace, client, 'member');
      table = await madeTable(client, 'rights');
      const { id: query } = await queryOf('SELECT a + 5000 AS a FROM rights');
      const tiles = [
        { kind: 'query', query_id: query },
        { kind: 'text', text: 'Still here' },
      ];
      made = await share('dashboard', (await dashboardOf(tiles)).id, {}, maker);
    });

    test('at each look: a table that is withdrawn makes its tile an error', async () => {
      await replaceGrants(client, table, only(maker, 'read'));
      expect((await look(made)).text).toContain('>5007<');
      await replaceGrants(client, table, []);
      const without = await look(made);
      expect(without.status).toBe(200);
      expect(without.text).not.toContain('5007');
      expect(without.text).toContain('class="fault"');
      expect(without.text).toContain('Still here');
    });

    test('at each look: a report that was made from a table that is withdrawn is gone', async () => {
      const report = await post(`/v1/projects/${project}/reports`, { title: 'Made from it', content: 'x' });
      const shared = await share('report', report.id, {}, maker);
      expect((await look(shared)).status).toBe(200);
      for (const [name, id] of [
        ['reports', 'id'],
        ['report_versions', 'report_id'],
      ])
        await workspace.deps.lake.catalogPool.query(
          `UPDATE ${name} SET data_versions = $1 WHERE ${id} = $2`,
          [JSON.stringify([{ tableId: table, version: 1 }]), report.id],
        );
      isGone(await look(shared));
      const refused = await maker.call('POST', '/v1/shares', {
        body: { resource: { type: 'report', id: report.id } },
      });
      expect(refused.status).toBe(404);
    });
  });
});
