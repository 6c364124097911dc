import { readdir } from 'node:fs/promises';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectEventually } from '../../../support/eventually.ts';
import { hasMariadb, startMariadb, type TestMariadb } from '../../../support/mariadb.ts';
import { attach, rowsOf, snapshotOf, startSnapshot, untilStatus } from '../../../support/snapshots.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();
useWorker(workspace);

describe.skipIf(!hasMariadb)('MariaDB (skipped where the machine has no mariadbd)', () => {
  let mariadb: TestMariadb;
  beforeAll(async () => {
    mariadb = await startMariadb();
  });
  afterAll(() => mariadb?.stop());

  async function connect(client: TestClient): Promise<string> {
    const config = {
      host: '127.0.0.1',
      port: mariadb.port,
      database: 'shop',
      user: 'root',
      ssl_mode: 'disable',
    };
    const body = {
      ...{ name: 'Shop', type: 'mysql', config, secrets: { password: mariadb.password } },
      snapshot_config: { enabled: true },
    };
    const made = await client.call('POST', '/v1/connections/data', { body });
    expect(made.status, made.text).toBe(201);
    return `/v1/connections/data/${made.body.data.id}`;
  }

  test.each([
    [
      'changed',
      'DATETIME(6)',
      (n: number) => `TIMESTAMP '2026-01-01 00:00:00' + INTERVAL ${n} HOUR`,
      '2026-01-02 04:00:00.000000',
    ],
    [
      'stamped',
      'TIMESTAMP',
      (n: number) => `TIMESTAMP '2026-01-01 00:00:00' + INTERVAL ${n} HOUR`,
      '2026-01-02 04:00:00',
    ],
    [
      'counted',
      'BIGINT UNSIGNED',
      (n: number) => String(18446744073709100000n + BigInt(n) * 15_000n),
      '18446744073709520000',
    ],
    ['day', 'DATE', (n: number) => `DATE '2026-01-01' + INTERVAL ${n * 3} DAY`, '2026-03-26'],
  ])('a cursor %s of %s has what came since copied', async (column, type, value, reached) => {
    const client = await workspace.organization();
    await mariadb.run(
      'shop',
      `CREATE TABLE by_${column} (id INT, name TEXT, ${column} ${type}, PRIMARY KEY (id))`,
      `INSERT INTO by_${column} VALUES (1, 'a', ${value(1)}), (2, 'b', ${value(2)})`,
    );
    const { at } = await attach(client, await connect(client), `by_${column}`, {
      mode: 'incremental',
      cursor: column,
      key_columns: ['id'],
    });
    expect(await snapshotOf(client, at)).toMatchObject({ status: 'succeeded', rowsCopied: 2 });
    await mariadb.run(
      'shop',
      `REPLACE INTO by_${column} VALUES (1, 'c', ${value(28)}), (3, 'd', ${value(27)})`,
    );
    expect(await snapshotOf(client, at)).toMatchObject({
      status: 'succeeded',
      rowsCopied: 3,
      cursor: reached,
    });
    expect(await rowsOf(client, `SELECT id, name FROM by_${column} ORDER BY id`)).toEqual([
      { id: 1, name: 'c' },
      { id: 2, name: 'b' },
      { id: 3, name: 'd' },
    ]);
  });

  test('every type keeps its values, unsigned ones and days that are none included', async () => {
    const client = await workspace.organization();
    await mariadb.run(
      'shop',
      "SET SESSION sql_mode = '', time_zone = '+02:00'",
      `CREATE TABLE kinds (big BIGINT, unsigned_big BIGINT UNSIGNED, tiny TINYINT(1), exact DECIMAL(38,10), wide DECIMAL(65,0),
         real4 FLOAT, real8 DOUBLE, text_ TEXT, empty_ VARCHAR(9), day DATE, no_day DATE, clock TIME(6), at DATETIME(6),
         atz TIMESTAMP(6) NULL, doc JSON, mood ENUM('ok','sad'), tags SET('a','b'), bytes VARBINARY(9), bits BIT(64),
         \`odd \`\`name\` INT, yr YEAR)`,
      `INSERT INTO kinds VALUES (-9223372036854775808, 18446744073709551615, 2, 1234567890123456789012345678.0123456789,
         ${'9'.repeat(65)}, 0.1, 1e300, 'Zürich 😀, "x"\\n\\\\\\t\\\\N\\r', '', '2024-02-29', '0000-00-00', '-838:59:59.5',
         '2024-01-02 03:04:05.678901', '2024-01-02 03:04:05.678901', '{"a": [1, 2.50]}', 'sad', 'a,b', x'00ff10',
         b'1111111111111111111111111111111111111111111111111111111111111111', 7, 2024)`,
      'INSERT INTO kinds () VALUES ()',
    );
    const { at } = await attach(client, await connect(client), 'kinds');
    const run = await snapshotOf(client, at);
    expect(run.error).toBeNull();
    expect(run).toMatchObject({ status: 'succeeded', rowsCopied: 2 });
    const [row] = await rowsOf(
      client,
      'SELECT * REPLACE (hex(bytes) AS bytes) FROM kinds WHERE big IS NOT NULL',
    );
    expect(row).toEqual({
      big: '-9223372036854775808',
      unsignedBig: '18446744073709551615',
      tiny: 2,
      exact: '1234567890123456789012345678.0123456789',
      wide: '9'.repeat(65),
      real4: Math.fround(0.1),
      real8: 1e300,
      text_: 'Zürich 😀, "x"\n\\\t\\N\r',
      empty_: '',
      day: '2024-02-29',
      noDay: '0000-00-00',
      clock: '-838:59:59.500000',
      at: '2024-01-02T03:04:05.678901',
      atz: '2024-01-02T01:04:05.678901Z',
      doc: '{"a": [1, 2.50]}',
      mood: 'sad',
      tags: 'a,b',
      bytes: '00FF10',
      bits: '18446744073709551615',
      'odd `name': 7,
      yr: 2024,
    });
    const [nulls] = await rowsOf(client, 'SELECT * FROM kinds WHERE big IS NULL');
    expect(new Set(Object.values(nulls))).toEqual(new Set([null]));
  });

  test('many rows are copied from one moment, and what is missing is told', async () => {
    const client = await workspace.organization();
    await mariadb.run(
      'shop',
      'CREATE TABLE many (a INT)',
      'INSERT INTO many SELECT seq FROM seq_1_to_100000',
      'INSERT INTO many VALUES (NULL)',
    );
    const connection = await connect(client);
    const { at } = await attach(client, connection, 'many');
    expect(await snapshotOf(client, at)).toMatchObject({ status: 'succeeded', rowsCopied: 100_001 });
    expect(await rowsOf(client, 'SELECT count(*) AS n, sum(a) AS total, count(a) AS some FROM many')).toEqual(
      [{ n: 100_001, total: 5_000_050_000, some: 100_000 }],
    );
    const missing = await attach(client, connection, 'nothing');
    expect((await snapshotOf(client, missing.at)).error).toMatchObject({
      code: 'source_failed',
      stage: 'request',
      message: expect.stringContaining('no table or view nothing'),
    });
  });

  test('one that waits for the source is cancelled, and leaves nothing on the disk', async () => {
    const client = await workspace.organization();
    await mariadb.run('shop', 'CREATE TABLE held (a INT)', 'INSERT INTO held VALUES (1)');
    const { at } = await attach(client, await connect(client), 'held');
    const holder = await createConnection({
      ...{
        host: '127.0.0.1',
        port: mariadb.port,
        user: 'root',
        password: mariadb.password,
        database: 'shop',
      },
    });
    const folders = async () =>
      (await readdir(process.env['WORK_DIR']!)).filter((name) => name.startsWith('snapshot-'));
    try {
      await holder.query('LOCK TABLES held WRITE');
      const run = await startSnapshot(client, at);
      await expectEventually(folders).toHaveLength(1);
      await client.call('POST', `${run}/cancel?confirm=true`);
      await untilStatus(client, run, 'cancelled');
      await expectEventually(folders).toEqual([]);
    } finally {
      await holder.end();
    }
    expect((await snapshotOf(client, at)).status).toBe('succeeded');
  });

  test('a cancelled snapshot ends the statement at the source, which would compute on', async () => {
    const client = await workspace.organization();
    const numbers = 'seq_1_to_1000000';
    await mariadb.run(
      'shop',
      `CREATE VIEW computed AS SELECT sum(a.seq * b.seq % 7) AS a FROM ${numbers} a, ${numbers} b`,
    );
    const { at } = await attach(client, await connect(client), 'computed');
    const admin = await createConnection({
      ...{ host: '127.0.0.1', port: mariadb.port, user: 'root', password: mariadb.password },
    });
    const computing = async () => {
      const [rows] = await admin.query(
        `SELECT id FROM information_schema.processlist
         WHERE command = 'Query' AND info LIKE '%computed%' AND id <> connection_id()`,
      );
      return rows;
    };
    try {
      const run = await startSnapshot(client, at);
      await expectEventually(computing).toHaveLength(1);
      expect((await client.call('POST', `${run}/cancel?confirm=true`)).status).toBe(202);
      await untilStatus(client, run, 'cancelled');
      await expectEventually(computing).toEqual([]);
    } finally {
      await admin.end();
    }
  });
});
