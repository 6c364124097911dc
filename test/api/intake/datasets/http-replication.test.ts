import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { expectEventually } from '../../../support/eventually.ts';
import { type Misdeed, pageOf, recordPolicy, recordSource } from '../../../support/replication-source.ts';
import { attach, rowsOf, snapshotOf, startSnapshot, untilStatus } from '../../../support/snapshots.ts';
import { connect, httpServer } from '../../../support/sources.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOrganization, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);
const client = useOrganization(workspace);

async function dataset(
  client: TestClient,
  base: string,
  policy: object,
  more: object = {},
  path = '/records',
) {
  const at = await connect(
    client,
    'http',
    { base_url: base, auth_type: 'bearer' },
    { secrets: { token: 'a-secret-token' }, snapshot_config: { enabled: true, http_replication: policy } },
  );
  const made = await attach(client, at, path, { name: `d ${randomUUID()}`, ...more });
  const table = `"${made.dataset.snapshotTableName}"`;
  return { ...made, connection: at, table };
}

async function succeeded(client: TestClient, at: string) {
  const run = await snapshotOf(client, at);
  expect(run.error).toBeNull();
  expect(run.status).toBe('succeeded');
  return run;
}

const day = (number: number) => `2026-03-0${number}T00:00:00Z`;

test('a second snapshot reads from the cursor on: late, changed and re-read records come once', async () => {
  const source = await recordSource([
    { id: 1, at: day(1), name: 'one', size: 12345678901234567890n.toString() },
    { id: 2, at: day(2), name: 'two' },
    { id: 4, at: day(3), name: 'four' },
  ]);
  const { at, table } = await dataset(client, source.base, recordPolicy());
  const first = await succeeded(client, at);
  expect(first).toMatchObject({ rowsCopied: 3, requestsMade: 2, cursor: day(3), progress: 1 });
  expect(source.asked.map(({ search }) => search)).toEqual(['?limit=2', '?limit=2&skip=2']);

  source.records[0] = { id: 1, at: day(4), name: 'uno', note: 'new field' };
  source.records.push({ id: 3, at: day(3), name: 'late' });
  const second = await succeeded(client, at);
  expect(source.asked[2]!.search).toBe('?limit=2&since=2026-03-03T00%3A00%3A00Z&after=4');
  expect(second).toMatchObject({ rowsCopied: 3, cursor: day(4), tableId: first.tableId });
  expect(second.schemaChanges).toEqual([{ column: 'note', change: 'added', from: null, to: 'STRING' }]);
  expect(second.tableVersion).toBeGreaterThan(first.tableVersion);
  expect(await rowsOf(client, `SELECT id, name, note FROM ${table} ORDER BY id`)).toEqual([
    { id: 1, name: 'uno', note: 'new field' },
    { id: 2, name: 'two', note: null },
    { id: 3, name: 'late', note: null },
    { id: 4, name: 'four', note: null },
  ]);

  source.records.length = 0;
  const third = await succeeded(client, at);
  expect(third).toMatchObject({ rowsCopied: 0, cursor: day(4), tableVersion: second.tableVersion });
  expect(await idsOf(client, table)).toEqual([1, 2, 3, 4]);
});

const records = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => ({
    id: from + index,
    at: `2026-03-01T00:00:${String(from + index).padStart(2, '0')}Z`,
  }));
const cutOff: Misdeed = (_, response) => response.end('{"items": [{"id": 1, "at": "2026-0');
const broken: Misdeed = (request) => request.socket.destroy();
const undecodable: Misdeed = (_, response) =>
  response.writeHead(200, { 'content-encoding': 'gzip' }).end('this is no gzip at all');
const wrongLength: Misdeed = (_, response) => {
  response.writeHead(200, { 'content-length': '5000' });
  response.write('{"items": []}');
  response.socket?.end();
};
const status =
  (code: number, headers: Record<string, string> = {}): Misdeed =>
  (_, response) =>
    response.writeHead(code, headers).end('no');

test('what may pass is tried again, and heeds what the source asks for', async () => {
  const source = await recordSource(records(7), [
    status(429, { 'retry-after': '1' }),
    undefined,
    status(503),
    cutOff,
    wrongLength,
    undefined,
    broken,
    status(429),
    status(503, { 'retry-after': new Date(Date.now() + 4_000).toUTCString() }),
  ]);
  const { at, table } = await dataset(client, source.base, recordPolicy());
  const run = await succeeded(client, at);
  expect(run).toMatchObject({ rowsCopied: 7, requestsMade: 11 });
  expect(source.times[1]! - source.times[0]!).toBeGreaterThanOrEqual(990);
  expect(await idsOf(client, table)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test.each([
  ['401', status(401), 'login', /401/],
  ['403', status(403), 'permission', /403/],
  ['400', status(400), 'request', /answered 400/],
  ['no JSON', (_: unknown, response) => response.end('<html>'), 'request', /readable/],
  [
    'no list',
    (_: unknown, response) => response.end('{"items": 5}'),
    'request',
    /no list of records at \/items/,
  ],
  ['no records', (_: unknown, response) => response.end('{"items": [5]}'), 'request', /aren't records/],
  [
    'no cursor',
    (_: unknown, response) => response.end('{"items": [{"id": 1}]}'),
    'request',
    /field at is missing/,
  ],
  [
    'no time',
    (_: unknown, response) => response.end('{"items": [{"id": 1, "at": "soon"}]}'),
    'request',
    /"soon".* the format iso8601/,
  ],
  [
    'no key',
    (_: unknown, response) => response.end(`{"items": [{"at": "${day(1)}"}]}`),
    'request',
    /no tie breaker/,
  ],
  [
    'a link elsewhere',
    (_: unknown, response) => response.end('{"items": [], "links": {"next": "http://10.0.0.1/"}}'),
    'request',
    /different server/,
  ],
  [
    'a redirect inside',
    status(302, { location: 'http://169.254.169.254/latest' }),
    'address_refused',
    /ALLOWED_PRIVATE_ADDRESSES/,
  ],
  ['nothing that can be unpacked', undecodable, 'request', /cannot be unpacked/],
  ['a bomb', bomb, 'request', /larger than 1 MiB/],
] as [string, Misdeed, string, RegExp][])(
  'a source that answers %s fails the snapshot, and says so',
  async (_, misdeed, stage, message) => {
    const client = await workspace.organization();
    const source = await recordSource(
      [],
      Array.from({ length: 30 }, () => misdeed),
    );
    const { at } = await dataset(
      client,
      source.base,
      recordPolicy({}, { max_response_bytes_per_request: 1_048_576 }),
    );
    const run = await snapshotOf(client, at);
    expect(run.status).toBe('failed');
    expect(run.error).toMatchObject({ code: 'source_failed', stage });
    expect(run.error.message).toMatch(message);
    // Permanent failures are not retried.
    expect(run.requestsMade).toBeLessThanOrEqual(2);
    expect(JSON.stringify(run)).not.toContain('a-secret-token');
    expect((await client.call('GET', at)).body.data).toMatchObject({ lastSnapshotAt: null, tableId: null });
  },
);

function bomb(_: unknown, response: ServerResponse): void {
  response.writeHead(200, { 'content-encoding': 'gzip' });
  response.end(gzipSync(Buffer.alloc(50_000_000, ' ')));
}

test('pages that shift, come twice or are empty in the middle double and lose nothing', async () => {
  const pages = [[1, 2], [2, 3], [], [1, 2], [4]];
  const source = await httpServer((request, response) => {
    const token = Number(new URL(request.url!, 'http://x').searchParams.get('after_page') ?? 0);
    const items = pages[token]!.map((id) => ({ id, at: day(5 - token > 0 ? 5 - token : 1), read: token }));
    response.end(JSON.stringify({ items, next: token + 1 < pages.length ? token + 1 : null }));
  });
  const { at, table } = await dataset(
    client,
    source.base,
    recordPolicy({
      pagination: {
        mode: 'next_token',
        data_pointer: '/items',
        next_pointer: '/next',
        token_parameter: 'after_page',
      },
    }),
  );
  // The cursor goes backwards with every page; the position reached does not.
  expect(await succeeded(client, at)).toMatchObject({ rowsCopied: 4, cursor: day(5), requestsMade: 5 });
  expect(await rowsOf(client, `SELECT id, read FROM ${table} ORDER BY id`)).toEqual([
    { id: 1, read: 3 },
    { id: 2, read: 3 },
    { id: 3, read: 1 },
    { id: 4, read: 4 },
  ]);
});

test.each([
  ['page', { mode: 'page', data_pointer: '/items' }, ['', '?page=2', '?page=3', '?page=4']],
  [
    'offset',
    { mode: 'offset', data_pointer: '/items', offset_parameter: 'from' },
    ['?from=0', '?from=2', '?from=4', '?from=5'],
  ],
])('pages by %s end at an empty one', async (mode, pagination, searches) => {
  const all = records(5);
  const source = await httpServer((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://x');
    const skip =
      mode === 'page' ? (Number(searchParams.get('page')) - 1) * 2 : Number(searchParams.get('from'));
    if (skip >= 6) response.writeHead(404);
    response.end(JSON.stringify({ items: all.slice(skip, skip + 2) }));
  });
  const { at, table } = await dataset(client, source.base, {
    resources: [{ request_path: '/records', pagination, query_parameters: {} }],
  });
  await succeeded(client, at);
  expect(await idsOf(client, table)).toEqual([1, 2, 3, 4, 5]);
  expect(source.requests.map(({ url }) => url!.replace('/records', '').replace('?page=1', ''))).toEqual(
    searches,
  );
  // Without a cursor the next snapshot reads everything again.
  all.splice(0, 4);
  await succeeded(client, at);
  expect(await idsOf(client, table)).toEqual([5]);
});

test.each([
  ['null', { items: null, next: null }],
  ['absent', { kind: 'list' }],
])('a later page whose list is %s is an empty one; the first has to have one', async (_, last) => {
  let isFirst = true;
  const source = await httpServer((_request, response) => {
    response.end(JSON.stringify(isFirst ? { items: [{ id: 1 }, { id: 2 }], next: 'p2' } : last));
    isFirst = false;
  });
  const pagination = {
    ...{ mode: 'next_token', data_pointer: '/items', next_pointer: '/next', token_parameter: 'token' },
  };
  const { at, table } = await dataset(client, source.base, {
    resources: [{ request_path: '/records', pagination, query_parameters: {} }],
  });
  isFirst = true;
  await succeeded(client, at);
  expect(await idsOf(client, table)).toEqual([1, 2]);
  const failed = await snapshotOf(client, at);
  expect([failed.status, JSON.stringify(failed.error)]).toEqual([
    'failed',
    expect.stringContaining('no list of records'),
  ]);
  expect(await idsOf(client, table)).toEqual([1, 2]);
});

test('a source that does not heed what leads on is not asked for ever', async () => {
  const source = await httpServer((_, response) => response.end('{"items": [{"id": 1}]}'));
  const { at } = await dataset(client, source.base, {
    resources: [{ request_path: '/records', pagination: { mode: 'page', data_pointer: '/items' } }],
  });
  const run = await snapshotOf(client, at);
  expect(run.error.message).toMatch(/same page 3 times/);
  expect(source.requests).toHaveLength(3);
});

test('a source that shows more pages than its policy reads is warned of, and asked about where rows would go', async () => {
  let count = 3;
  let more = false;
  const source = await httpServer((_, response) => {
    if (more) response.setHeader('link', '</records?page=2>; rel="next"');
    response.end(JSON.stringify({ items: records(count), has_more: false }));
  });
  const { at, table } = await dataset(client, source.base, {
    resources: [{ request_path: '/records', pagination: { mode: 'none', data_pointer: '/items' } }],
  });
  expect(await succeeded(client, at)).toMatchObject({ rowsCopied: 3, warnings: [] });
  more = true;
  expect(await succeeded(client, at)).toMatchObject({
    rowsCopied: 3,
    warnings: [{ code: 'more_pages', message: expect.stringContaining('pagination'), count: 1 }],
  });
  count = 2;
  const run = await startSnapshot(client, at);
  const held = await untilStatus(client, run, 'awaiting_confirmation', 'succeeded', 'failed');
  expect(held).toMatchObject({ status: 'awaiting_confirmation', warnings: [{ code: 'more_pages' }] });
  expect(await idsOf(client, table)).toEqual([1, 2, 3]);
  expect((await client.call('POST', `${run}/confirm?confirm=true`)).status).toBe(200);
  expect(await untilStatus(client, run, 'succeeded', 'failed')).toMatchObject({ status: 'succeeded' });
  expect(await idsOf(client, table)).toEqual([1, 2]);
});

test('a snapshot that meets its bound of pages succeeds, and the next one goes on', async () => {
  const source = await recordSource(records(7));
  const policy = recordPolicy();
  Object.assign(policy.resources[0]!.pagination, { max_pages_per_run: 2 });
  const { at, table } = await dataset(client, source.base, policy);
  expect(await succeeded(client, at)).toMatchObject({ rowsCopied: 4, requestsMade: 2 });
  expect(await idsOf(client, table)).toEqual([1, 2, 3, 4]);
  expect(await succeeded(client, at)).toMatchObject({ rowsCopied: 3, requestsMade: 2 });
  expect(await idsOf(client, table)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(source.asked.slice(2).map(({ search }) => search)).toEqual(['?limit=2&skip=4', '?limit=2&skip=6']);
  // The cursor moves only once everything has been read.
  await succeeded(client, at);
  expect(source.asked[4]!.searchParams.get('since')).toBe('2026-03-01T00:00:07Z');

  // If the position to continue from is gone, it starts again from the cursor.
  source.records.push(...records(6, 11));
  await succeeded(client, at);
  source.misdeeds.push(status(410));
  await succeeded(client, at);
  await succeeded(client, at);
  await succeeded(client, at);
  expect(await idsOf(client, table)).toEqual([1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15, 16]);
});

test('without a key what is read again is not added again, and equal records are each a row', async () => {
  const source = await recordSource([
    { id: 1, at: day(1) },
    { id: 2, at: day(2) },
    { id: 2, at: day(2) },
  ]);
  const policy = recordPolicy({ cursor: { field: 'at', format: 'iso8601', literal_style: 'single_quoted' } });
  policy.resources[0]!.query_parameters = { filter: 'at ge ${cursor}' } as never;
  const { at, table } = await dataset(client, source.base, policy);
  await succeeded(client, at);
  expect(await idsOf(client, table)).toEqual([1, 2, 2]);
  source.records.push({ id: 2, at: day(2) }, { id: 3, at: day(3) });
  source.records.shift();
  await succeeded(client, at);
  expect(source.asked.at(-1)!.searchParams.get('filter')).toBe(`at ge '${day(2)}'`);
  expect(await idsOf(client, table)).toEqual([1, 2, 2, 2, 3]);
  // Only what is already there.
  const before = (await client.call('GET', at)).body.data.lastSnapshotAt;
  expect(await succeeded(client, at)).toMatchObject({ rowsCopied: 4, cursor: day(3) });
  expect((await client.call('GET', at)).body.data.lastSnapshotAt > before).toBe(true);
  expect(await idsOf(client, table)).toEqual([1, 2, 2, 2, 3]);
});

test('fields become columns as they are mapped, JSON in texts is parsed, and types hold what comes later', async () => {
  const source = await recordSource([
    { id: 1, at: day(1), size: 5, address: { city: 'Oslo' }, more: '{"a": [12345678901234567890]}' },
  ]);
  const { at, table } = await dataset(
    client,
    source.base,
    recordPolicy({
      field_mappings: { 'address.city': 'city', at: 'changed at' },
      json_string_fields: ['more'],
    }),
  );
  await succeeded(client, at);
  expect(
    await rowsOf(
      client,
      `SELECT size, city, more->>'a' AS a, "changed at" IS NOT NULL AS known FROM ${table}`,
    ),
  ).toEqual([{ size: 5, city: 'Oslo', a: '[12345678901234567890]', known: true }]);
  source.records.push({ id: 2, at: day(2), size: 5.5 }, { id: 3, at: day(2), size: 2 ** 60 });
  expect((await succeeded(client, at)).schemaChanges).toEqual([
    { column: 'size', change: 'retyped', from: 'INTEGER', to: expect.any(String) },
  ]);
  source.records.push({ id: 4, at: day(3), size: 'large' });
  expect((await succeeded(client, at)).schemaChanges).toEqual([
    { column: 'size', change: 'retyped', from: expect.any(String), to: 'STRING' },
  ]);
  expect(
    await rowsOf(
      client,
      `SELECT id, city FROM ${table} WHERE size = 'large' OR city IS NOT NULL ORDER BY id`,
    ),
  ).toEqual([
    { id: 1, city: 'Oslo' },
    { id: 4, city: null },
  ]);
});

test('from_now begins with what comes, and an empty source has a table all the same', async () => {
  const source = await recordSource(records(3));
  const { at, table } = await dataset(
    client,
    source.base,
    recordPolicy({
      cursor: {
        field: 'at',
        format: 'iso8601',
        bootstrap_mode: 'from_now',
        tie_breaker_field: 'id',
        tie_breaker_format: 'integer',
      },
    }),
  );
  await succeeded(client, at);
  expect(source.asked[0]!.searchParams.get('since')! > '2026-11-01').toBe(true);
  expect(await idsOf(client, table)).toEqual([]);
  source.records.push({ id: 9, at: '2999-01-01T00:00:00Z' });
  await succeeded(client, at);
  expect(await rowsOf(client, `SELECT id, typeof(id) AS type FROM ${table}`)).toEqual([
    { id: 9, type: 'BIGINT' },
  ]);
});

test('large answers are read beside everything else, with every digit', async () => {
  const all = Array.from({ length: 6_000 }, (_, id) => ({
    id,
    at: day(1),
    exact: 'N',
    text: 'ü'.repeat(20),
  }));
  const source = await httpServer((_, response) =>
    response.end(JSON.stringify({ items: all }).replaceAll('"N"', '12345678901234567.89')),
  );
  const single = { mode: 'none', data_pointer: '/items' };
  const { at, table } = await dataset(client, source.base, recordPolicy({ pagination: single }));
  expect(await succeeded(client, at)).toMatchObject({ rowsCopied: 6_000, requestsMade: 1, cursor: day(1) });
  expect(
    await rowsOf(
      client,
      `SELECT count(DISTINCT id) AS ids, CAST(min(exact) AS VARCHAR) AS exact FROM ${table}`,
    ),
  ).toEqual([{ ids: 6_000, exact: '12345678901234567.89' }]);
  all[5_999]!.at = 'never';
  expect((await snapshotOf(client, at)).error).toMatchObject({
    message: expect.stringMatching(/"never" doesn't have the format/),
  });
});

test('other settings of the resource have it read anew', async () => {
  const source = await recordSource(records(3));
  const { at, table, connection } = await dataset(client, source.base, recordPolicy());
  await succeeded(client, at);
  source.records.shift();
  const httpReplication = recordPolicy({ field_mappings: { id: 'id', at: 'changed' } });
  const changed = await client.call('PATCH', connection, {
    body: { snapshot_config: { enabled: true, http_replication: httpReplication } },
  });
  expect(changed.status, changed.text).toBe(200);
  const run = await succeeded(client, at);
  expect(run.schemaChanges.map(({ column, change }: never) => [column, change])).toEqual([
    ['changed', 'added'],
    ['at', 'removed'],
  ]);
  expect(await idsOf(client, table)).toEqual([2, 3]);

  const gone = recordPolicy({ request_path: '/others' });
  await client.call('PATCH', connection, {
    body: { snapshot_config: { enabled: true, http_replication: gone } },
  });
  expect((await snapshotOf(client, at)).error.message).toMatch(
    /no longer has a resource with the request_path \/records/,
  );
});

test('the limits hold over two datasets of one connection, in every second', async () => {
  let open = 0;
  let most = 0;
  const all = records(30);
  const times: number[] = [];
  const source = await httpServer((request, response) => {
    times.push(performance.now());
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      response.end(JSON.stringify(pageOf(all, new URL(request.url!, 'http://x'))));
    }, 20);
  });
  const policy = recordPolicy({}, { requests_per_second: 10, max_concurrency: 1 });
  policy.resources.push({ ...policy.resources[0]!, request_path: '/others' });
  const { at, connection } = await dataset(client, source.base, policy);
  const other = await attach(client, connection, '/others', { name: 'others' });
  await Promise.all([succeeded(client, at), succeeded(client, other.at)]);
  expect(times).toHaveLength(30);
  expect(most).toBe(1);
  // One more than ten: the first of them may have been in flight for long.
  for (const [index, time] of times.entries())
    expect((times[index + 11] ?? Infinity) - time).toBeGreaterThan(1_000);
});

test('a snapshot whose limit is used up waits in its process, lets others copy, and can be cancelled', async () => {
  const source = await recordSource(records(9));
  const { at } = await dataset(client, source.base, recordPolicy({}, { requests_per_day: 2 }));
  const run = await startSnapshot(client, at);
  await expectEventually(async () => (await client.call('GET', run)).body.data).toMatchObject({
    status: 'running',
    requestsMade: 2,
    rowsCopied: 4,
    waitsFor: 'limits',
    waitsUntil: expect.any(String),
  });
  const others = await Promise.all([1, 2].map(async () => dataset(client, source.base, recordPolicy())));
  for (const other of others) await succeeded(client, other.at);
  const cancelled = await client.call('POST', `${run}/cancel?confirm=true`);
  expect(cancelled.status, cancelled.text).toBe(202);
  await untilStatus(client, run, 'cancelled');
  expect((await client.call('GET', at)).body.data.tableId).toBeNull();
});

test('one that its source asks to be patient says until when, and that the source asked for it', async () => {
  const source = await recordSource(records(3), [status(429, { 'retry-after': '7200' })]);
  const project = (await client.call('POST', '/v1/projects', { body: { name: `p ${randomUUID()}` } })).body
    .data.id;
  const { at } = await dataset(client, source.base, recordPolicy(), { project_id: project });
  const askedAt = Date.now();
  const run = await startSnapshot(client, at);
  await expectEventually(async () => (await client.call('GET', run)).body.data.waitsFor).toBe('source');
  const { waitsUntil, id } = (await client.call('GET', run)).body.data;
  expect(Date.parse(waitsUntil) - askedAt).toBeGreaterThan(7_100_000);
  const { steps } = (await client.call('GET', `/v1/projects/${project}/runs/${id}`)).body.data;
  expect(steps[0].detail).toMatch(/^Waits until \S+Z: the source asked/);
  await client.call('POST', `${run}/cancel?confirm=true`);
  await untilStatus(client, run, 'cancelled');
});

test('two sources whose answers never end hold up nobody else', async () => {
  const endless: Misdeed = (_, response) => response.writeHead(200).write('{"items": [');
  const bad = await Promise.all(
    [1, 2].map(() =>
      recordSource(
        [],
        Array.from({ length: 9 }, () => endless),
      ),
    ),
  );
  const held = await Promise.all(bad.map(({ base }) => dataset(client, base, recordPolicy())));
  const runs = await Promise.all(held.map(({ at }) => startSnapshot(client, at)));
  for (const run of runs)
    await expectEventually(async () => (await client.call('GET', run)).body.data.requestsMade).toBe(1);
  const good = await dataset(client, (await recordSource(records(5))).base, recordPolicy());
  await succeeded(client, good.at);
  for (const run of runs) {
    expect((await client.call('GET', run)).body.data.status).toBe('running');
    await client.call('POST', `${run}/cancel?confirm=true`);
    await untilStatus(client, run, 'cancelled');
  }
});

test('a source that echoes the token of its connection has nothing copied of that page', async () => {
  const source = await recordSource([
    { id: 1, at: day(1), request: { authorization: 'Bearer a-secret-token' } },
  ]);
  const { at } = await dataset(client, source.base, recordPolicy());
  const run = await snapshotOf(client, at);
  expect(run).toMatchObject({ status: 'failed', error: { code: 'source_failed' } });
  expect(run.error.message).toContain('record 1 of the page, at /request/authorization)');
  expect(JSON.stringify(run)).not.toContain('a-secret-token');
});

test('the bytes of an hour are never overrun', async () => {
  const source = await recordSource(records(60));
  const limits = { response_bytes_per_hour: 1_200 };
  const { at } = await dataset(client, source.base, recordPolicy({}, limits));
  const run = await startSnapshot(client, at);
  await expectEventually(async () => (await client.call('GET', run)).body.data).toMatchObject({
    status: 'running',
    bytesCopied: expect.toSatisfy((bytes: number) => bytes > 600 && bytes <= 1_200),
  });
  await client.call('POST', `${run}/cancel?confirm=true`);
  await untilStatus(client, run, 'cancelled');
});

async function idsOf(client: TestClient, table: string): Promise<number[]> {
  const rows = await rowsOf(client, `SELECT id FROM ${table} ORDER BY id`);
  return rows.map(({ id }: { id: number }) => id);
}
