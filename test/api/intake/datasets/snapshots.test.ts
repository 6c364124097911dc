import { spawnSync } from 'node:child_process';
import proto from '@temporalio/proto';
import { pino } from 'pino';
import { afterAll, expect, test } from 'vitest';
import { expectEventually } from '../../../support/eventually.ts';
import { attach, rowsOf, snapshotOf, startSnapshot, untilStatus } from '../../../support/snapshots.ts';
import { useSourceDatabase } from '../../../support/source-database.ts';
import { startTlsFront } from '../../../support/tls-front.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOrganization, useOwnWorkspace } from '../../../support/workspace.ts';

const { History } = proto.temporal.api.history.v1;

/** Everything that is logged, at the most detailed level. */
const logged: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
const workspace = useOwnWorkspace({ logger }, () => ({ ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8' }));
useWorker(workspace);
const client = useOrganization(workspace);
const source = useSourceDatabase();

afterAll(() => {
  expect(logged.join()).not.toMatch(/a-secret-/);
});

const snapshotTables = async (client: TestClient) =>
  (await client.call('GET', '/v1/tables')).body.tables.filter(
    ({ kind }: { kind: string }) => kind === 'snapshot',
  );

test('a snapshot copies a table, is listed, and its rows are queried; the next one replaces them', async () => {
  const project = await client.call('POST', '/v1/projects', { body: { name: 'Shop' } });
  const projectId = project.body.data.id;
  await source.run(
    'CREATE TABLE shop.orders (id bigint PRIMARY KEY, amount numeric(12,2) NOT NULL, note text)',
    'INSERT INTO shop.orders SELECT n, n * 1.25, CASE WHEN n % 2 = 0 THEN $$a "quoted", line\nfeed$$ END FROM generate_series(1, 3000) AS n',
  );
  const connection = await source.connect(client);
  const { at, dataset } = await attach(client, connection, 'shop.orders', {
    name: 'Shop orders',
    project_id: projectId,
  });
  expect(dataset).toMatchObject({
    snapshotTableName: 'shop_orders',
    tableId: null,
    lastSnapshotAt: null,
    mode: 'full',
    guard: null,
  });
  const run = await snapshotOf(client, at);
  expect(run).toMatchObject({
    id: expect.stringMatching(/^snp_/),
    status: 'succeeded',
    rowsCopied: 3_000,
    rowsDeleted: 0,
    requestsMade: 0,
    progress: 1,
    snapshotTableName: 'shop_orders',
    schemaChanges: [],
    error: null,
  });
  expect(run.bytesCopied).toBeGreaterThan(10_000);
  const shown = (await client.call('GET', at)).body.data;
  expect(shown).toMatchObject({
    tableId: run.tableId,
    lastSnapshotAt: run.finishedAt,
    lastSnapshotRunId: run.id,
  });
  expect(
    await rowsOf(
      client,
      `SELECT count(*) AS n, sum(amount) AS total, count(note) AS notes, min(note) AS note FROM shop_orders`,
    ),
  ).toEqual([{ n: 3_000, total: '5626875.00', notes: 1_500, note: 'a "quoted", line\nfeed' }]);
  const tables = await snapshotTables(client);
  expect(tables).toMatchObject([{ id: run.tableId, kind: 'snapshot', rowCount: 3_000, projectId }]);
  const ofProject = await client.call('GET', `/v1/projects/${projectId}/runs/${run.id}`);
  expect(ofProject.body.data, ofProject.text).toMatchObject({
    kind: 'snapshot',
    status: 'succeeded',
    output: { tableId: run.tableId, rowsCopied: 3_000 },
    workflowId: `snapshot/${dataset.id}/${run.id}`,
  });
  const handle = workspace.temporal.workflow.getHandle(`snapshot/${dataset.id}/${run.id}`);
  const history = Buffer.from(History.encode(await handle.fetchHistory()).finish()).toString('latin1');
  expect(history).toContain(run.id);
  // Neither secrets, nor the source's address, nor any of its data.
  for (const word of ['a-secret-', source.config.user, source.config.database, 'amount', 'line'])
    expect(history).not.toContain(word);
  await source.run(
    'DELETE FROM shop.orders WHERE id > 10',
    'ALTER TABLE shop.orders DROP COLUMN note, ADD COLUMN tag text, ALTER amount TYPE bigint',
  );
  const second = await snapshotOf(client, at);
  expect(second).toMatchObject({
    status: 'succeeded',
    rowsCopied: 10,
    tableId: run.tableId,
    schemaChanges: [
      { column: 'amount', change: 'retyped', from: 'DECIMAL(12,2)', to: 'INTEGER' },
      { column: 'tag', change: 'added', from: null, to: 'STRING' },
      { column: 'note', change: 'removed', from: 'STRING', to: null },
    ],
  });
  expect(await rowsOf(client, 'SELECT count(*) AS n FROM shop_orders')).toEqual([{ n: 10 }]);
  for (const list of [`${at}/snapshots`, `${connection}/snapshots`])
    expect((await client.call('GET', list)).body.items.map(({ id }: { id: string }) => id)).toEqual([
      second.id,
      run.id,
    ]);
});

test('a value that no type of the lake holds names its column and row, or becomes null and is counted', async () => {
  await source.run(
    'CREATE TABLE shop.odd (code text, nr bigint PRIMARY KEY, at timestamp NOT NULL, day date)',
    "INSERT INTO shop.odd SELECT 'c' || n, n, '2026-01-01', '2026-01-02' FROM generate_series(1, 50) AS n",
    "UPDATE shop.odd SET at = '294276-12-31 23:59:59' WHERE nr = 17",
    "UPDATE shop.odd SET day = 'infinity' WHERE nr IN (18, 19)",
  );
  const { at } = await attach(client, await source.connect(client), 'shop.odd', {
    name: 'odd',
    key_columns: ['nr'],
  });
  const failed = await snapshotOf(client, at);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'source_failed', stage: 'request' } });
  expect(failed.error.message).toContain('The column "at" has a value that TIMESTAMP cannot hold');
  expect(failed.error.message).toContain('"294276-12-31 23:59:59", in the row with nr = 17.');
  await source.run("UPDATE shop.odd SET at = '2026-01-01' WHERE nr = 17");
  expect((await snapshotOf(client, at)).error?.message).toMatch(/"day".* DATE .*"infinity".*nr = 18/);
  await source.run("UPDATE shop.odd SET at = '294276-12-31 23:59:59' WHERE nr = 17");
  const changed = await client.call('PATCH', at, { body: { unreadable_values: 'null' } });
  expect(changed.body.data, changed.text).toMatchObject({ unreadableValues: 'null' });
  const copied = await snapshotOf(client, at);
  expect(copied, JSON.stringify(copied.error)).toMatchObject({
    status: 'succeeded',
    rowsCopied: 50,
    warnings: [
      { code: 'unreadable_values', column: 'at', count: 1 },
      { code: 'unreadable_values', column: 'day', count: 2 },
    ],
  });
  expect(await rowsOf(client, 'SELECT nr FROM odd WHERE "at" IS NULL OR day IS NULL ORDER BY nr')).toEqual([
    { nr: 17 },
    { nr: 18 },
    { nr: 19 },
  ]);
});

test('every type keeps its values', async () => {
  await source.run(
    "CREATE TYPE shop.mood AS ENUM ('ok', 'sad')",
    'CREATE DOMAIN shop.price AS numeric(20,4)',
    'CREATE DOMAIN shop.net_price AS shop.price CHECK (VALUE > 0)',
    'CREATE TYPE shop.pair AS (a int, b text)',
    `CREATE TABLE shop.kinds (
       big bigint, exact numeric(38,10), price shop.price, free numeric, wide numeric, special numeric(5,1), half real,
       double double precision, yes boolean, "Odd name" text, empty text, day date, clock time, at timestamp, atz timestamptz,
       doc jsonb, list int[], texts text[], mood shop.mood, id uuid, bytes bytea, span int4range, wait interval, pair shop.pair,
       ancient timestamptz, ip inet, net shop.net_price)`,
    `INSERT INTO shop.kinds VALUES (
       9223372036854775807, 1234567890123456789012345678.0123456789, 12.3456, 1.5, 1e40, 'NaN', 0.1,
       'Infinity', true, 'Zürich, "x"', '', '2024-02-29', '23:59:59.999999', '2024-01-02 03:04:05.678901',
       '2024-01-02 03:04:05.678901+02', '{"a": [1, 2.50]}', '{1,NULL,3}', '{a,"b c"}', 'sad',
       'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '\\x00ff10', '[1,5)', '1 day 02:00', ROW(1, 'x'), '0044-03-15 12:00+00 BC', '10.0.0.1',
       7.5)`,
    'INSERT INTO shop.kinds DEFAULT VALUES',
  );
  const { at } = await attach(client, await source.connect(client), 'shop.kinds', { name: 'kinds' });
  const run = await snapshotOf(client, at);
  expect(run.error).toBeNull();
  expect(run).toMatchObject({ status: 'succeeded', rowsCopied: 2 });
  const [row] = await rowsOf(
    client,
    `SELECT * REPLACE (hex(bytes) AS bytes, CAST(ancient AS VARCHAR) AS ancient, CAST(double AS VARCHAR) AS double)
     FROM kinds WHERE big IS NOT NULL`,
  );
  expect(row).toEqual({
    big: '9223372036854775807',
    exact: '1234567890123456789012345678.0123456789',
    price: '12.3456',
    free: '1.5000000000',
    wide: `1${'0'.repeat(40)}`,
    special: 'NaN',
    half: 0.1,
    double: 'inf',
    yes: true,
    'Odd name': 'Zürich, "x"',
    empty: '',
    day: '2024-02-29',
    clock: '23:59:59.999999',
    at: '2024-01-02T03:04:05.678901',
    atz: '2024-01-02T01:04:05.678901Z',
    doc: { a: [1, 2.5] },
    list: [1, null, 3],
    texts: ['a', 'b c'],
    mood: 'sad',
    id: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    bytes: '00FF10',
    span: '[1,5)',
    wait: '1 day 02:00:00',
    pair: { a: 1, b: 'x' },
    ancient: expect.stringContaining('0044-03-15 (BC) 12:00:00'),
    ip: '10.0.0.1/32',
    net: '7.5000',
  });
  const [nulls] = await rowsOf(client, 'SELECT * FROM kinds WHERE big IS NULL');
  expect(new Set(Object.values(nulls))).toEqual(new Set([null]));
});

test('a table of one column keeps its nulls and empty texts; an empty one becomes an empty table', async () => {
  await source.run(
    'CREATE TABLE shop.single (a text)',
    "INSERT INTO shop.single VALUES (NULL), (''), ('x'), (NULL)",
    'CREATE TABLE shop.nothing (a int)',
  );
  const connection = await source.connect(client);
  const single = await attach(client, connection, 'shop.single');
  expect(await snapshotOf(client, single.at)).toMatchObject({ status: 'succeeded', rowsCopied: 4 });
  expect(
    await rowsOf(
      client,
      `SELECT a, count(*) AS n FROM ${single.dataset.snapshotTableName} GROUP BY a ORDER BY a`,
    ),
  ).toEqual([
    { a: '', n: 1 },
    { a: 'x', n: 1 },
    { a: null, n: 2 },
  ]);
  const nothing = await attach(client, connection, 'shop.nothing');
  expect(await snapshotOf(client, nothing.at)).toMatchObject({ status: 'succeeded', rowsCopied: 0 });
  expect(await rowsOf(client, `SELECT a FROM ${nothing.dataset.snapshotTableName}`)).toEqual([]);
});

test('of two requests at once one is taken and one is told that a snapshot is active', async () => {
  await source.run(
    'CREATE TABLE shop.busy (a int)',
    'INSERT INTO shop.busy SELECT generate_series(1, 50000)',
  );
  const { at } = await attach(client, await source.connect(client), 'shop.busy');
  const both = await Promise.all([
    client.call('POST', `${at}/snapshots`),
    client.call('POST', `${at}/snapshots`),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
  expect(both.find(({ status }) => status === 409)!.body.code).toBe('snapshot_active');
  expect((await client.call('DELETE', at)).body.code).toBe('conflict');
  const run = both.find(({ status }) => status === 202)!.headers['location'] as string;
  await untilStatus(client, run, 'succeeded');
});

test('what is not enabled says what to enable, and either way of it is enough', async () => {
  await source.run('CREATE TABLE shop.gated (a int)');
  const connection = await source.connect(client, { snapshot_config: { enabled: false } });
  const { at } = await attach(client, connection, 'shop.gated');
  const refused = await client.call('POST', `${at}/snapshots`);
  expect([refused.status, refused.body.code]).toEqual([409, 'snapshot_not_enabled']);
  expect(refused.body.detail).toMatch(/snapshot_enabled.*snapshot_config\.enabled/);
  await client.call('PATCH', at, { body: { snapshot_enabled: true } });
  expect((await snapshotOf(client, at)).status).toBe('succeeded');
});

test('a source that refuses fails the snapshot with why, leaves no table and moves no time', async () => {
  const client = await workspace.organization();
  await source.run('CREATE TABLE shop.secret (a int)', `REVOKE ALL ON shop.secret FROM ${source.role}`);
  const connection = await source.connect(client);
  const { at } = await attach(client, connection, 'shop.secret');
  const denied = await snapshotOf(client, at);
  expect(denied).toMatchObject({ status: 'failed', error: { code: 'source_failed', stage: 'permission' } });
  const missing = await attach(client, connection, 'shop.missing');
  expect((await snapshotOf(client, missing.at)).error.message).toMatch(/no table or view shop\.missing/);
  expect(await snapshotTables(client)).toEqual([]);
  expect((await client.call('GET', at)).body.data.lastSnapshotAt).toBeNull();
});

test('a source that lost too many rows is held until somebody confirms', async () => {
  await source.run(
    'CREATE TABLE shop.guarded (a int)',
    'INSERT INTO shop.guarded SELECT generate_series(1, 100)',
  );
  const { at, dataset } = await attach(client, await source.connect(client), 'shop.guarded', {
    guard: { max_shrink_ratio: 0.5 },
  });
  expect((await snapshotOf(client, at)).status).toBe('succeeded');
  await source.run('DELETE FROM shop.guarded WHERE a > 10');
  const count = `SELECT count(*) AS n FROM ${dataset.snapshotTableName}`;
  const held = await startSnapshot(client, at);
  await untilStatus(client, held, 'awaiting_confirmation');
  expect(await rowsOf(client, count)).toEqual([{ n: 100 }]);
  const confirmed = await client.call('POST', `${held}/confirm`);
  expect(confirmed.status, confirmed.text).toBe(200);
  expect(await untilStatus(client, held, 'succeeded')).toMatchObject({ rowsCopied: 10 });
  expect(await rowsOf(client, count)).toEqual([{ n: 10 }]);
  const again = await client.call('POST', `${held}/confirm`);
  expect(again.status).toBe(200);
  await source.run('DELETE FROM shop.guarded');
  const second = await startSnapshot(client, at);
  await untilStatus(client, second, 'awaiting_confirmation');
  const cancelled = await client.call('POST', `${second}/cancel?confirm=true`);
  expect(cancelled.status, cancelled.text).toBe(202);
  await untilStatus(client, second, 'cancelled');
  expect(await rowsOf(client, count)).toEqual([{ n: 10 }]);
});

test('a snapshot that waits for the source is cancelled, and the source is let go of', async () => {
  await source.run('CREATE TABLE shop.held (a int)', 'INSERT INTO shop.held VALUES (1)');
  const { at } = await attach(client, await source.connect(client), 'shop.held');
  await source.run('BEGIN', 'LOCK TABLE shop.held');
  try {
    const run = await startSnapshot(client, at);
    await untilStatus(client, run, 'running');
    const asked = await client.call('POST', `${run}/cancel?confirm=true`);
    expect(asked.status, asked.text).toBe(202);
    await untilStatus(client, run, 'cancelled');
    expect((await client.call('POST', `${run}/cancel?confirm=true`)).status).toBe(200);
  } finally {
    await source.run('ROLLBACK');
  }
  // A server process outlives its connection briefly.
  const sessions = async () =>
    (await source.admin.query('SELECT FROM pg_stat_activity WHERE usename = $1', [source.role])).rows.length;
  await expectEventually(sessions).toBe(0);
  expect((await snapshotOf(client, at)).status).toBe('succeeded');
});

/** Needed for a certificate. */
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

test.each(hasOpenssl ? ['disable', 'require'] : ['disable'])(
  'a cancelled snapshot ends the statement at the source, which would compute on: TLS mode %s',
  async (mode) => {
    const client = await workspace.organization();
    const front = mode === 'disable' ? undefined : await startTlsFront(source.config.port);
    try {
      const port = front?.port ?? source.config.port;
      const connection = await source.connect(client, { config: { ...source.config, ssl_mode: mode, port } });
      // Nothing else than a request to cancel ends it before ten minutes.
      await source.run(`CREATE VIEW shop.computed_${mode} AS SELECT length(pg_sleep(600)::text) AS a`);
      const { at } = await attach(client, connection, `shop.computed_${mode}`);
      const run = await startSnapshot(client, at);
      const computing = async () => {
        const { rows } = await source.admin.query(
          "SELECT FROM pg_stat_activity WHERE usename = $1 AND state = 'active' AND query LIKE 'COPY%'",
          [source.role],
        );
        return rows.length;
      };
      await expectEventually(computing).toBe(1);
      expect((await client.call('POST', `${run}/cancel?confirm=true`)).status).toBe(202);
      await untilStatus(client, run, 'cancelled');
      await expectEventually(computing).toBe(0);
    } finally {
      await front?.close();
    }
  },
);

test('a source whose connection breaks in the middle is copied anew, and tells meanwhile why the last try failed', async () => {
  await source.run(
    'CREATE TABLE shop.broken (a int)',
    'INSERT INTO shop.broken SELECT generate_series(1, 1000)',
  );
  const { at, dataset } = await attach(client, await source.connect(client), 'shop.broken');
  await source.run('BEGIN', 'LOCK TABLE shop.broken');
  const run = await startSnapshot(client, at);
  try {
    const waiting = `SELECT pg_terminate_backend(pid) AS ended FROM pg_locks
      WHERE NOT granted AND relation = 'shop.broken'::regclass`;
    await expectEventually(async () => (await source.admin.query(waiting)).rows).toEqual([{ ended: true }]);
    await expectEventually(async () => (await client.call('GET', run)).body.data).toMatchObject({
      status: 'running',
      error: { code: 'source_failed', stage: 'connect' },
    });
  } finally {
    await source.run('ROLLBACK');
  }
  expect(await untilStatus(client, run, 'succeeded', 'failed')).toMatchObject({
    status: 'succeeded',
    rowsCopied: 1_000,
    error: null,
  });
  expect(await rowsOf(client, `SELECT count(*) AS n FROM ${dataset.snapshotTableName}`)).toEqual([
    { n: 1_000 },
  ]);
});
