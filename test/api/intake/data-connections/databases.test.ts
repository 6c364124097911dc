import { createServer as createTcpServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasMariadb, startMariadb, type TestMariadb } from '../../../support/mariadb.ts';
import { useSourceDatabase } from '../../../support/source-database.ts';
import { connect, list, listening, tested } from '../../../support/sources.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';

/** Everything that is logged, at the most detailed level. */
const logged: string[] = [];
const logger = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
const workspace = useOwnWorkspace({ logger }, () => ({ ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8' }));
const source = useSourceDatabase();
const secrets = { password: 'a-secret-password' };

afterAll(() => {
  expect(logged.join()).not.toMatch(/a-secret-/);
});

describe('PostgreSQL', () => {
  beforeAll(async () => {
    await source.run(`
      CREATE TABLE shop.orders (id bigint, line int, amount numeric(12,2) NOT NULL, at timestamptz, PRIMARY KEY (line, id));
      INSERT INTO shop.orders SELECT n, 1, n, now() FROM generate_series(1, 500) AS n;
      CREATE VIEW shop.large AS SELECT * FROM shop.orders WHERE amount > 100;
      CREATE TABLE shop."Odd.name" (a text);
      CREATE TABLE shop.hidden (a text);
      REVOKE ALL ON shop.hidden FROM ${source.role};
      ANALYZE shop.orders`);
  });

  test('is tested, and lists what its user may read with columns, keys and estimates, a page at a time', async () => {
    const client = await workspace.organization();
    const at = await connect(client, 'postgres', source.config, { secrets });
    expect(await tested(client, at)).toEqual({ ok: true, elapsedMs: expect.any(Number), failure: null });
    const shown = await client.call('GET', at);
    expect(shown.body.data).toMatchObject({ lastTestOk: true, lastTestedAt: expect.any(String) });
    const all = await list(client, at, { prefix: 'shop.' });
    expect(all.body, all.text).toMatchObject({
      items: [
        { resource: 'shop."Odd.name"', name: 'Odd.name', kind: 'table', keyColumns: [] },
        { resource: 'shop.large', kind: 'view', estimatedRows: null },
        {
          resource: 'shop.orders',
          name: 'orders',
          kind: 'table',
          columns: [
            { name: 'id', dataType: 'bigint', nullable: false },
            { name: 'line', dataType: 'integer', nullable: false },
            { name: 'amount', dataType: 'numeric(12,2)', nullable: false },
            { name: 'at', dataType: 'timestamp with time zone', nullable: true },
          ],
          estimatedRows: 500,
          keyColumns: ['line', 'id'],
        },
      ],
      nextCursor: null,
    });
    const first = await list(client, at, { prefix: 'shop.', limit: 2 });
    const second = await list(client, at, { prefix: 'shop.', limit: 2, cursor: first.body.nextCursor });
    expect([...first.body.items, ...second.body.items]).toEqual(all.body.items);
    expect(second.body.nextCursor).toBeNull();
    const mixed = await list(client, at, { prefix: 'other.', cursor: first.body.nextCursor });
    expect([mixed.status, mixed.body.detail[0].loc]).toEqual([422, ['body', 'cursor']]);
    const reader = { authorization: `Bearer ${await client.token('agent:read')}` };
    expect((await workspace.call('POST', `${at}/resources`, { headers: reader, body: {} })).status).toBe(200);
  });

  test('each failure is told at its stage, without the password', async () => {
    const client = await workspace.organization();
    const cases: [object, object, string][] = [
      [source.config, { secrets: { password: 'a-secret-other' } }, 'login'],
      [{ ...source.config, database: 'nowhere' }, { secrets }, 'login'],
      [{ ...source.config, ssl_mode: 'require' }, { secrets }, 'tls'],
      [{ ...source.config, host: '10.1.2.3' }, { secrets }, 'address_refused'],
      [{ ...source.config, host: 'nowhere.invalid' }, { secrets }, 'resolve'],
      [{ ...source.config, port: 1 }, { secrets }, 'connect'],
    ];
    for (const [settings, more, stage] of cases) {
      const at = await connect(client, 'postgres', settings, more);
      const outcome = await tested(client, at);
      expect([outcome.ok, outcome.failure?.stage], JSON.stringify([settings, outcome])).toEqual([
        false,
        stage,
      ]);
      const refused = await list(client, at);
      expect([refused.status, refused.body.code, refused.body.stage]).toEqual([400, 'source_failed', stage]);
      expect(refused.text).not.toMatch(/a-secret-/);
    }
  });

  test('a source that takes the connection and says nothing is told within its time', {
    timeout: 30_000,
  }, async () => {
    const open = new Set<Socket>();
    const silent = createTcpServer((socket) => open.add(socket));
    const port = await listening(silent);
    onTestFinished(() => {
      for (const socket of open) socket.destroy();
      silent.close();
    });
    const client = await workspace.organization();
    const at = await connect(client, 'postgres', { ...source.config, port }, { secrets });
    const outcome = await tested(client, at);
    expect([outcome.failure.stage, outcome.failure.message]).toEqual([
      'connect',
      'The source did not answer within 10 s.',
    ]);
    expect(outcome.elapsedMs).toBeLessThan(12_000);
  });
});

describe.skipIf(!hasMariadb)('MariaDB (skipped where the machine has no mariadbd)', () => {
  let mariadb: TestMariadb;
  beforeAll(async () => {
    mariadb = await startMariadb();
    await mariadb.run(
      'shop',
      'CREATE TABLE orders (id BIGINT UNSIGNED, line INT, amount DECIMAL(12,2) NOT NULL, PRIMARY KEY (line, id))',
      'CREATE VIEW large AS SELECT * FROM orders WHERE amount > 100',
      "CREATE USER reader@'%' IDENTIFIED BY 'a-secret-password'",
      "GRANT SELECT ON shop.* TO reader@'%'",
    );
  });
  afterAll(() => mariadb?.stop());

  test('is tested, lists its tables, and tells what is in the way', async () => {
    const client = await workspace.organization();
    const config = {
      ...{ host: '127.0.0.1', port: mariadb.port, database: 'shop', user: 'reader', ssl_mode: 'disable' },
    };
    const at = await connect(client, 'mysql', config, { secrets });
    expect(await tested(client, at)).toMatchObject({ ok: true, failure: null });
    const all = await list(client, at);
    expect(all.body, all.text).toEqual({
      items: [
        {
          resource: 'large',
          name: 'large',
          kind: 'view',
          columns: expect.any(Array),
          error: null,
          estimatedRows: null,
          keyColumns: [],
        },
        {
          resource: 'orders',
          name: 'orders',
          kind: 'table',
          columns: [
            { name: 'id', dataType: 'bigint(20) unsigned', nullable: false },
            { name: 'line', dataType: 'int(11)', nullable: false },
            { name: 'amount', dataType: 'decimal(12,2)', nullable: false },
          ],
          error: null,
          estimatedRows: 0,
          keyColumns: ['line', 'id'],
        },
      ],
      nextCursor: null,
    });
    const first = await list(client, at, { limit: 1 });
    const second = await list(client, at, { limit: 1, cursor: first.body.nextCursor });
    expect([...first.body.items, ...second.body.items]).toEqual(all.body.items);
    const cases: [object, object, string][] = [
      [config, { secrets: { password: 'a-secret-other' } }, 'login'],
      [{ ...config, database: 'mysql' }, { secrets }, 'login'],
      [{ ...config, ssl_mode: 'verify_full', host: 'localhost' }, { secrets }, 'tls'],
      [{ ...config, port: 1 }, { secrets }, 'connect'],
    ];
    for (const [settings, more, stage] of cases) {
      const outcome = await tested(client, await connect(client, 'mysql', settings, more));
      expect(outcome.failure?.stage, JSON.stringify([settings, outcome])).toBe(stage);
    }
  });
});
