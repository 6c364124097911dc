import { beforeAll, describe, expect, test } from 'vitest';
import { piecesOf } from '../../../domain/publishing/saved-queries/placeholders.ts';
import { projectOf } from '../../support/conversations.ts';
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
  url = `/v1/projects/${project}/queries`;
});

const minimal = { name: 'One', sql: 'SELECT 1 AS a' };
const post = (body: object) => client.call('POST', url, { body });
const made = async (body: object = minimal) => {
  const answer = await post(body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body.data;
};
const run = (id: string, body?: object, as: Pick<TestClient, 'call'> = client) =>
  as.call('POST', `${url}/${id}/executions`, body === undefined ? {} : { body });
const faults = (answer: { body: { detail: { loc: unknown[]; type: string }[] } }) =>
  answer.body.detail.map(({ loc, type }) => [loc, type]);

describe('a saved query', () => {
  test('is kept as it was written, and its defaults are shown', async () => {
    const query = await made();
    expect(query).toEqual({
      id: expect.stringMatching(/^sqy_/),
      projectId: project,
      ...minimal,
      description: '',
      parameters: {},
      chart: null,
      createdByUserId: client.clientId,
      revision: 1,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await client.call('GET', `${url}/${query.id}`)).body.data).toEqual(query);
    expect((await client.call('GET', `${url}?limit=1`)).body.items).toEqual([query]);
  });

  test('keeps the keys of its maps, and the digits of its numbers', async () => {
    const body = {
      ...minimal,
      sql: 'SELECT {{some_city}} AS a',
      parameters: { some_city: { type: 'string', default: null, choices_sql: 'SELECT 1 AS a' } },
      chart: { type: 'bar', x: 'a', y: ['b_c'], series: 'd', options: { bar_width: 1, nested: { a_b: [] } } },
    };
    const query = await made(body);
    expect(query.parameters).toEqual(body.parameters);
    expect(query.chart).toEqual(body.chart);
    const text = JSON.stringify({
      ...minimal,
      sql: 'SELECT {{n}} AS n',
      parameters: { n: { type: 'number', default: 0 } },
    });
    const raw = {
      text: text.replace('"default":0', '"default":9007199254740993'),
      contentType: 'application/json',
    };
    const exact = await client.call('POST', url, { raw });
    expect(exact.text).toContain('"default":9007199254740993');
    expect((await run(exact.body.data.id)).text).toContain('9007199254740993');
  });

  test('is saved once under an idempotency key', async () => {
    const options = { body: minimal, headers: { 'idempotency-key': 'query-1' } };
    const [first, second] = [
      await client.call('POST', url, options),
      await client.call('POST', url, options),
    ];
    expect([first.status, second.text]).toEqual([201, first.text]);
    expect(first.headers['location']).toBe(`${url}/${first.body.data.id}`);
  });

  test('is changed by revisions, and a stale change is refused with the present one', async () => {
    const { id } = await made({ ...minimal, chart: { type: 'table' } });
    const change = (body: object) => client.call('PATCH', `${url}/${id}`, { body });
    const changed = await change({ name: 'Two', chart: null, expected_revision: 1 });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.body.data).toMatchObject({ name: 'Two', sql: minimal.sql, chart: null, revision: 2 });
    const stale = await change({ name: 'Late', expected_revision: 1 });
    expect([stale.status, stale.body.code, stale.body.current_revision]).toEqual([
      409,
      'revision_conflict',
      2,
    ]);
  });

  test('is listed by pages, newest first', async () => {
    const other = await projectOf(client);
    const at = `/v1/projects/${other}/queries`;
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c'])
      ids.unshift((await client.call('POST', at, { body: { ...minimal, name } })).body.data.id);
    const first = (await client.call('GET', `${at}?limit=2`)).body;
    const second = (await client.call('GET', `${at}?limit=2&cursor=${first.nextCursor}`)).body;
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(second.nextCursor).toBeNull();
  });

  test('is shown as it was when it is deleted, and then not found', async () => {
    const query = await made();
    const deleted = await client.call('DELETE', `${url}/${query.id}?confirm=true`);
    expect([deleted.status, deleted.body.data]).toEqual([200, query]);
    for (const method of ['GET', 'DELETE'] as const)
      expect((await client.call(method, `${url}/${query.id}`)).status).toBe(404);
  });

  test("isn't found in another project or by another organization", async () => {
    const { id } = await made();
    const stranger = await workspace.organization();
    const elsewhere = `/v1/projects/${await projectOf(client)}/queries/${id}`;
    for (const [as, at] of [[client, elsewhere] as const, [stranger, `${url}/${id}`] as const]) {
      expect((await as.call('GET', at)).status).toBe(404);
      expect((await as.call('PATCH', at, { body: { name: 'x' } })).status).toBe(404);
      expect((await as.call('POST', `${at}/executions`)).status).toBe(404);
      expect((await as.call('DELETE', at)).status).toBe(404);
    }
  });

  test("isn't added to an archived project", async () => {
    const archived = await projectOf(client);
    expect((await client.call('DELETE', `/v1/projects/${archived}`)).status).toBe(200);
    const answer = await client.call('POST', `/v1/projects/${archived}/queries`, { body: minimal });
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
  });

  test.each([
    [{ ...minimal, extra: 1 }, ['body', 'extra'], 'extra_forbidden'],
    [{ name: 'x' }, ['body', 'sql'], 'missing'],
    [{ ...minimal, sql: 'SELECT {{a}}' }, ['body', 'sql'], 'value_error'],
    [
      { ...minimal, sql: "SELECT '{{a}}'", parameters: { a: { type: 'string' } } },
      ['body', 'sql'],
      'value_error',
    ],
    [{ ...minimal, parameters: { a: { type: 'text' } } }, ['body', 'parameters', 'a', 'type'], 'enum'],
    [{ ...minimal, parameters: { a: {} } }, ['body', 'parameters', 'a', 'type'], 'missing'],
    [
      { ...minimal, parameters: { a: { type: 'string', unknown: 1 } } },
      ['body', 'parameters', 'a', 'unknown'],
      'extra_forbidden',
    ],
    [
      { ...minimal, parameters: { a: { type: 'number', default: 'x' } } },
      ['body', 'parameters', 'a', 'default'],
      'float_type',
    ],
    [
      { ...minimal, parameters: { a: { type: 'date', default: '2026-02-30' } } },
      ['body', 'parameters', 'a', 'default'],
      'date_from_datetime_parsing',
    ],
    [
      { ...minimal, parameters: { a: { type: 'string' }, A: { type: 'string' } } },
      ['body', 'parameters', 'A'],
      'value_error',
    ],
    [{ ...minimal, chart: { type: 'donut' } }, ['body', 'chart', 'type'], 'enum'],
    [{ ...minimal, chart: { type: 'bar', z: 1 } }, ['body', 'chart', 'z'], 'extra_forbidden'],
    [{ ...minimal, chart: { type: 'bar', y: 'a' } }, ['body', 'chart', 'y'], 'list_type'],
  ])('is refused as %j', async (body, loc, type) => {
    const answer = await post(body);
    expect(answer.status, answer.text).toBe(422);
    expect(faults(answer)).toContainEqual([loc, type]);
  });
});

describe('an execution', () => {
  const typed = {
    name: 'Typed',
    sql: `SELECT {{text}} AS text, {{n}} + 1 AS n, {{flag}} AS flag, typeof({{day}}) AS day,
      7 IN {{ids}} AS found, 'x' IN {{none}} AS in_none, 'x' NOT IN {{none}} AS not_in_none -- {{unused}}
      /* {{also_unused}} */`,
    parameters: {
      text: { type: 'string' },
      n: { type: 'number', default: 1 },
      flag: { type: 'boolean', default: true },
      day: { type: 'date', default: '2026-01-01' },
      ids: { type: 'list', default: [7, 8] },
      ids_1: { type: 'number', default: 0 },
      none: { type: 'list', default: [] },
    },
  };

  test('answers as a query execution does, with values bound by their types', async () => {
    const { id } = await made(typed);
    const answer = await run(id, { params: { text: "'; DROP TABLE x --", n: 41 } });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toEqual({
      id: expect.stringMatching(/^qry_/),
      columns: expect.arrayContaining([{ name: 'flag', dataType: 'BOOLEAN' }]),
      rows: [
        {
          text: "'; DROP TABLE x --",
          n: 42,
          flag: true,
          day: 'DATE',
          found: true,
          inNone: false,
          notInNone: true,
        },
      ],
      rows_with_column_order: [expect.any(Array)],
      rowCount: 1,
      truncated: false,
      elapsedMs: expect.any(Number),
      scanned: { tables: [] },
    });
    const shown = await client.call('GET', `/v1/query-executions/${answer.body.data.id}`);
    expect(shown.body.data.sql).toContain('$text');
  });

  test('takes a limit, versions and other formats', async () => {
    const tableId = await madeTable(client, 'versioned');
    const { id } = await made({ name: 'V', sql: 'SELECT a FROM versioned ORDER BY a' });
    const before = (await run(id)).body.data.scanned.tables[0].version;
    await client.call('POST', `/v1/tables/${tableId}/rows`, { body: { rows: [{ s_id: 2, a: 8 }] } });
    expect((await run(id)).body.data.rowCount).toBe(2);
    const limited = await run(id, { limit: 1 });
    expect(limited.body.data).toMatchObject({ rowCount: 1, truncated: true });
    const pinned = await run(id, { at_versions: { versioned: before } });
    expect(pinned.body.data.rows).toEqual([{ a: 7 }]);
    const csv = await client.call('POST', `${url}/${id}/executions`, { headers: { accept: 'text/csv' } });
    expect([csv.status, csv.text]).toEqual([200, 'a\r\n7\r\n8\r\n']);
    const many = await run(id, { limit: 10_001 });
    expect(faults(many as never)).toEqual([[['body', 'limit'], 'less_than_equal']]);
  });

  test('refuses values that are unknown, missing or of another type, each at its place', async () => {
    const { id } = await made(typed);
    const params = { other: 1, n: '1', flag: 'yes', day: '01.02.2026', ids: 7, none: [{}] };
    const answer = await run(id, { params });
    expect(answer.status).toBe(422);
    expect(faults(answer as never)).toEqual([
      [['body', 'params', 'other'], 'extra_forbidden'],
      [['body', 'params', 'text'], 'missing'],
      [['body', 'params', 'n'], 'float_type'],
      [['body', 'params', 'flag'], 'bool_type'],
      [['body', 'params', 'day'], 'date_from_datetime_parsing'],
      [['body', 'params', 'ids'], 'list_type'],
      [['body', 'params', 'none', 0], 'value_error'],
    ]);
    const long = await run(id, { params: { text: 'x', ids: Array.from({ length: 101 }, () => 1) } });
    expect(faults(long as never)).toEqual([[['body', 'params', 'ids'], 'too_long']]);
    const extra = await run(id, { params: { text: 'x' }, timeout: 1 });
    expect(faults(extra as never)).toEqual([[['body', 'timeout'], 'extra_forbidden']]);
  });

  test('reads with the rights of the caller, and says why a statement fails', async () => {
    const tableId = await madeTable(client, 'granted');
    const { id } = await made({ name: 'G', sql: 'SELECT a FROM granted' });
    const [ada, bob] = [
      await personOf(workspace, client, 'member'),
      await personOf(workspace, client, 'member'),
    ];
    await replaceGrants(client, tableId, only(ada, 'read'));
    expect((await run(id, undefined, ada)).body.data.rows).toEqual([{ a: 7 }]);
    const refused = await run(id, undefined, bob);
    expect([refused.status, refused.body.code]).toEqual([400, 'query_failed']);
    const writing = await made({ name: 'W', sql: 'DELETE FROM granted' });
    expect((await run(writing.id)).body.code).toBe('query_not_read_only');
  });

  test('needs agent:read, and no more', async () => {
    const { id } = await made();
    const reader = await personOf(workspace, client, 'member', ['agent:read']);
    expect((await run(id, undefined, reader)).status).toBe(200);
    expect((await reader.call('POST', url, { body: minimal })).body.missing_scope).toBe('agent:write');
  });
});

test.each([
  ["SELECT 'it''s {{a}}'", ['a'], []],
  ['SELECT "{{a}}"', ['a'], []],
  ["SELECT E'\\'{{a}}'", ['a'], []],
  ["SELECT $$ it's {{a}} $$", ['a'], []],
  ['SELECT $t$ $$ {{a}} $t$, {{b}}', ['a'], ['b']],
  ["SELECT 'x' || {{b}} || 'y'", [], ['b']],
  ["SELECT 'x' -- it's {{a}}\n, {{b}}", [], ['b']],
  ["SELECT /* /* ' */ {{a}} */ {{b}}", [], ['b']],
  ['SELECT a$b$ {{b}}, $c', [], ['b']],
  ["SELECT {'a': {'b': {{ b }}}}", [], ['b']],
  ["SELECT 'unclosed {{a}}", ['a'], []],
  ['SELECT /* {{a}}', [], []],
])('in %s placeholders are found where they are values', (sql, quoted, names) => {
  const found = piecesOf(sql);
  expect(found.quoted).toEqual(quoted);
  expect(found.pieces.flatMap((piece) => ('name' in piece ? [piece.name] : []))).toEqual(names);
});
