import { beforeAll, describe, expect, test } from 'vitest';
import { projectOf } from '../../support/conversations.ts';
import { readPdf } from '../../support/documents.ts';
import { madeTable, only, replaceGrants } from '../../support/grants.ts';
import { personOf } from '../../support/people.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();

let client: TestClient;
let project: string;
let url: string;

beforeAll(async () => {
  client = await workspace.organization();
  project = await projectOf(client);
  url = `/v1/projects/${project}/dashboards`;
});

const made = async (body: object) => {
  const answer = await client.call('POST', url, { body: { name: 'Sales', ...body } });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
};
const queryOf = async (sql: string, more: object = {}): Promise<string> => {
  const body = { name: 'Q', sql, ...more };
  const answer = await client.call('POST', `/v1/projects/${project}/queries`, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data.id;
};
const read = (id: string, body: object = {}, as: Pick<TestClient, 'call'> = client) =>
  as.call('POST', `${url}/${id}/data`, { body });
const faults = (answer: { body: { detail: { loc: unknown[]; type: string }[] } }) =>
  answer.body.detail.map(({ loc, type }) => [loc, type]);

describe('a dashboard', () => {
  test('is kept as it was written, with ids of its tiles and the defaults of the rest', async () => {
    const query = await queryOf('SELECT {{some_day}} AS a', { parameters: { some_day: { type: 'date' } } });
    const dashboard = await made({
      tiles: [
        {
          id: 'mine',
          kind: 'query',
          query_id: query,
          title: 'Orders',
          chart: { type: 'bar', x: 'a', y: ['b'], options: { bar_width: 1 } },
          x: 12,
          y: 3,
          width: 12,
          height: 4,
          bindings: { some_day: 'first_day' },
        },
        { kind: 'text', text: '# Hello' },
      ],
      filters: [{ name: 'first_day', type: 'date', default: '2026-01-01' }],
    });
    expect(dashboard).toEqual({
      id: expect.stringMatching(/^dsh_/),
      projectId: project,
      name: 'Sales',
      description: '',
      tiles: [
        {
          id: 'mine',
          kind: 'query',
          queryId: query,
          title: 'Orders',
          text: null,
          chart: { type: 'bar', x: 'a', y: ['b'], series: null, options: { bar_width: 1 } },
          x: 12,
          y: 3,
          width: 12,
          height: 4,
          bindings: { some_day: 'first_day' },
        },
        {
          id: expect.stringMatching(/^til_/),
          kind: 'text',
          queryId: null,
          title: '',
          text: '# Hello',
          chart: null,
          x: 0,
          y: 0,
          width: 12,
          height: 8,
          bindings: {},
        },
      ],
      filters: [{ name: 'first_day', label: 'first_day', type: 'date', default: '2026-01-01' }],
      createdByUserId: client.clientId,
      revision: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await client.call('GET', `${url}/${dashboard.id}`)).body.data).toEqual(dashboard);
    expect((await client.call('GET', `${url}?limit=1`)).body.items).toEqual([dashboard]);
  });

  test('is changed by revisions, listed by pages, and shown when it is deleted', async () => {
    const { id } = await made({ tiles: [{ kind: 'text', text: 'a' }] });
    const change = (body: object) => client.call('PATCH', `${url}/${id}`, { body });
    const changed = await change({ name: 'More', expected_revision: 1 });
    expect(changed.body.data).toMatchObject({ name: 'More', revision: 2, tiles: [{ text: 'a' }] });
    const stale = await change({ tiles: [], expected_revision: 1 });
    expect([stale.status, stale.body.code, stale.body.current_revision]).toEqual([
      409,
      'revision_conflict',
      2,
    ]);
    const listed = (await client.call('GET', `${url}?limit=1`)).body;
    expect([listed.items[0].id, typeof listed.nextCursor]).toEqual([id, 'string']);
    const deleted = await client.call('DELETE', `${url}/${id}?confirm=true`);
    expect([deleted.status, deleted.body.data]).toEqual([200, changed.body.data]);
    expect((await client.call('GET', `${url}/${id}`)).status).toBe(404);
  });

  test("isn't found in another project or by another organization", async () => {
    const { id } = await made({});
    const stranger = await workspace.organization();
    const elsewhere = `/v1/projects/${await projectOf(client)}/dashboards/${id}`;
    for (const [as, at] of [[client, elsewhere] as const, [stranger, `${url}/${id}`] as const])
      for (const [method, path] of [
        ['GET', at],
        ['PATCH', at],
        ['DELETE', at],
        ['POST', `${at}/data`],
      ] as const)
        expect((await as.call(method, path)).status, `${method} ${path}`).toBe(404);
  });

  test('takes no query of another project, and keeps one that was deleted', async () => {
    const other = await projectOf(client);
    const made404 = await client.call('POST', `/v1/projects/${other}/dashboards`, {
      body: { name: 'x', tiles: [{ kind: 'query', query_id: await queryOf('SELECT 1 AS a') }] },
    });
    expect([made404.status, made404.body.code]).toEqual([404, 'not_found']);
    const query = await queryOf('SELECT 1 AS a');
    const { id } = await made({ tiles: [{ id: 'q', kind: 'query', query_id: query }] });
    await client.call('DELETE', `/v1/projects/${project}/queries/${query}`);
    const moved = await client.call('PATCH', `${url}/${id}`, {
      body: { tiles: [{ id: 'q', kind: 'query', query_id: query, x: 3 }] },
    });
    expect(moved.status, moved.text).toBe(200);
    expect((await read(id)).body.data.tiles).toEqual([
      { tileId: 'q', error: { code: 'not_found', detail: expect.any(String) }, cached: false },
    ]);
  });

  test.each([
    [{ tiles: [{ kind: 'query' }] }, ['body', 'tiles', 0, 'query_id'], 'missing'],
    [{ tiles: [{ kind: 'text' }] }, ['body', 'tiles', 0, 'text'], 'missing'],
    [{ tiles: [{ kind: 'picture' }] }, ['body', 'tiles', 0, 'kind'], 'enum'],
    [{ tiles: [{ kind: 'text', text: '', x: 20, width: 5 }] }, ['body', 'tiles', 0, 'width'], 'value_error'],
    [{ tiles: [{ kind: 'text', text: '', x: 24 }] }, ['body', 'tiles', 0, 'x'], 'less_than_equal'],
    [{ tiles: [{ kind: 'text', text: '', width: 0 }] }, ['body', 'tiles', 0, 'width'], 'greater_than_equal'],
    [{ tiles: [{ kind: 'text', text: '', color: 1 }] }, ['body', 'tiles', 0, 'color'], 'extra_forbidden'],
    [
      {
        tiles: [
          { id: 'a', kind: 'text', text: '' },
          { id: 'a', kind: 'text', text: '' },
        ],
      },
      ['body', 'tiles', 1, 'id'],
      'value_error',
    ],
    [
      { tiles: Array.from({ length: 51 }, () => ({ kind: 'text', text: '' })) },
      ['body', 'tiles'],
      'too_long',
    ],
    [
      { filters: [{ name: 'a', type: 'number', default: 'x' }] },
      ['body', 'filters', 0, 'default'],
      'float_type',
    ],
    [{ filters: [{ name: 'a' }] }, ['body', 'filters', 0, 'type'], 'missing'],
    [
      {
        filters: [
          { name: 'a', type: 'string' },
          { name: 'a', type: 'string' },
        ],
      },
      ['body', 'filters', 1, 'name'],
      'value_error',
    ],
    [{ extra: 1 }, ['body', 'extra'], 'extra_forbidden'],
  ])('is refused as %j', async (body, loc, type) => {
    const answer = await client.call('POST', url, { body: { name: 'x', ...body } });
    expect(answer.status, answer.text).toBe(422);
    expect(faults(answer)).toContainEqual([loc, type]);
  });

  test('is refused with bindings of what there is not', async () => {
    const query = await queryOf('SELECT {{a}} AS a', { parameters: { a: { type: 'string' } } });
    const tile = { kind: 'query', query_id: query, bindings: { a: 'none', b: 'city' } };
    const body = { name: 'x', tiles: [tile], filters: [{ name: 'city', type: 'string' }] };
    expect(faults(await client.call('POST', url, { body }))).toEqual([
      [['body', 'tiles', 0, 'bindings', 'a'], 'value_error'],
      [['body', 'tiles', 0, 'bindings', 'b'], 'value_error'],
    ]);
  });
});

describe('the data of a dashboard', () => {
  const rowsOf = (answer: { body: { data: { tiles: { execution?: { rows: object[] } }[] } } }) =>
    answer.body.data.tiles.map(({ execution }) => execution?.rows);

  test('has the rows of all queries from one snapshot, and leaves those that work if one fails', async () => {
    const tableId = await madeTable(client, 'tiles');
    const good = await queryOf('SELECT a FROM tiles');
    const bad = await queryOf('SELECT a FROM nothing_like_this');
    const { id } = await made({
      tiles: [
        { id: 'good', kind: 'query', query_id: good },
        { id: 'bad', kind: 'query', query_id: bad },
        { id: 'note', kind: 'text', text: 'x' },
      ],
    });
    const answer = await read(id);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toEqual({
      snapshot: expect.any(Number),
      tiles: [
        {
          tileId: 'good',
          execution: expect.objectContaining({
            id: expect.stringMatching(/^qry_/),
            columns: [{ name: 'a', dataType: 'INTEGER' }],
            rows: [{ a: 7 }],
            rowCount: 1,
            truncated: false,
            scanned: { tables: [{ tableId, version: expect.any(Number) }] },
          }),
          cached: false,
        },
        { tileId: 'bad', error: { code: 'query_failed', detail: expect.any(String) }, cached: false },
      ],
    });
    expect(answer.body.data.snapshot).toBeGreaterThan(0);
    const again = await read(id, { tile_ids: ['good'] });
    expect(again.body.data.tiles).toMatchObject([{ tileId: 'good', cached: true }]);
    const unknown = await read(id, { tile_ids: ['good', 'other'] });
    expect(faults(unknown)).toEqual([[['body', 'tile_ids', 1], 'value_error']]);
  });

  test('takes values of filters, which become parameters', async () => {
    const query = await queryOf('SELECT {{city}} AS city, {{n}} AS n', {
      parameters: { city: { type: 'string', default: 'Faro' }, n: { type: 'number', default: 1 } },
    });
    const needy = await queryOf('SELECT {{x}} AS x', { parameters: { x: { type: 'string' } } });
    const { id } = await made({
      tiles: [
        { id: 'a', kind: 'query', query_id: query, bindings: { city: 'town', n: 'count' } },
        { id: 'b', kind: 'query', query_id: needy },
      ],
      filters: [
        { name: 'town', type: 'string' },
        { name: 'count', type: 'number', default: 2 },
      ],
    });
    const plain = await read(id);
    expect(rowsOf(plain)).toEqual([[{ city: 'Faro', n: 2 }], undefined]);
    expect(plain.body.data.tiles[1].error).toEqual({
      code: 'invalid_request',
      detail: expect.stringContaining('x'),
    });
    expect(rowsOf(await read(id, { filters: { town: 'Braga', count: 3 } }))[0]).toEqual([
      { city: 'Braga', n: 3 },
    ]);
    const wrong = await read(id, { filters: { town: 1, other: 2 } });
    expect(faults(wrong)).toEqual([
      [['body', 'filters', 'other'], 'extra_forbidden'],
      [['body', 'filters', 'town'], 'string_type'],
    ]);
  });

  test('is read with the rights of the caller', async () => {
    const tableId = await madeTable(client, 'granted');
    const query = await queryOf('SELECT a FROM granted');
    const { id } = await made({ tiles: [{ kind: 'query', query_id: query }] });
    const [ada, bob] = [
      await personOf(workspace, client, 'member', ['agent:read']),
      await personOf(workspace, client, 'member'),
    ];
    await replaceGrants(client, tableId, only(ada, 'read'));
    expect(rowsOf(await read(id, {}, ada))).toEqual([[{ a: 7 }]]);
    expect((await read(id, {}, bob)).body.data.tiles[0].error.code).toBe('query_failed');
  });
});

describe('the content of a dashboard', () => {
  const content = async (id: string, format: string) => {
    const { headers, statusCode, rawPayload } = await workspace.app.inject({
      url: `${url}/${id}/content?format=${format}`,
      headers: { authorization: `Bearer ${await client.token('agent:read')}` },
    });
    return { status: statusCode, type: String(headers['content-type']), headers, bytes: rawPayload };
  };

  test('is a page, a document or a picture', async () => {
    const sql = "SELECT * FROM (VALUES ('Porto & <b>', 3, 4), ('Faro', 1, 2)) t(city, orders, returns)";
    const query = await queryOf(sql, { chart: { type: 'bar', x: 'city', y: ['orders', 'returns'] } });
    const tile = { kind: 'query', query_id: query, width: 8 };
    const { id } = await made({
      name: 'Sales & <more>',
      tiles: [
        { kind: 'text', title: 'Notes', text: '**Read** me\n\n- one', width: 24, height: 2 },
        { ...tile, y: 2 },
        { ...tile, x: 8, y: 2, title: 'As a *table*', chart: { type: 'table' } },
        { ...tile, x: 16, y: 2, chart: { type: 'number', y: ['orders'] } },
        { kind: 'query', query_id: await queryOf('SELECT a FROM not_there'), y: 10, title: 'Broken' },
      ],
    });
    const page = await content(id, 'html');
    expect([page.status, page.type]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    const text = page.bytes.toString();
    expect(text).toContain('<h1>Sales &amp; &lt;more&gt;</h1>');
    expect(text).toContain('Porto &amp; &lt;b&gt;');
    const pdf = await content(id, 'pdf');
    expect([pdf.status, pdf.type]).toEqual([200, 'application/pdf']);
    const told = (await readPdf(pdf.bytes)).map((each) => each.text).join('\n');
    for (const shown of ['Sales & <more>', 'As a *table*', 'Porto & <b>', 'Read me', 'Broken'])
      expect(told).toContain(shown);
    const png = await content(id, 'png');
    expect([png.status, png.type]).toEqual([200, 'image/png']);
    expect(png.bytes.subarray(1, 4).toString()).toBe('PNG');
    const other = await client.call('GET', `${url}/${id}/content?format=docx`);
    expect(faults(other)).toEqual([[['query', 'format'], 'enum']]);
  });

  test('without tiles is a page too', async () => {
    const { id } = await made({});
    for (const format of ['html', 'pdf', 'png']) expect((await content(id, format)).status).toBe(200);
  });
});
