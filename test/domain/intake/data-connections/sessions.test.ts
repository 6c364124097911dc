import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOutgoing } from '../../../../data/outgoing/outgoing.ts';
import { withMysql } from '../../../../domain/intake/data-connections/sources/mysql.ts';
import { withPostgres } from '../../../../domain/intake/data-connections/sources/postgres-session.ts';
import type { SourceTarget } from '../../../../domain/intake/data-connections/sources/source.ts';
import { hasMariadb, startMariadb, type TestMariadb } from '../../../support/mariadb.ts';
import { useSourceDatabase } from '../../../support/source-database.ts';

const outgoing = createOutgoing({ allowedPrivate: 'any' });
afterAll(() => outgoing.close());

/** What a session with a database uses of a target. */
function targetOf(config: SourceTarget['config'], password: string): SourceTarget {
  const setting = (key: string) => config[key];
  return { config, setting, secrets: { password }, outgoing } as unknown as SourceTarget;
}

const source = useSourceDatabase();

test('an aborted session ends although the server does not answer the request to stop its statement', async () => {
  const open = new Set<Socket>();
  const firsts: Buffer[] = [];
  const silent = createServer((socket) => {
    const isFirst = open.size === 0;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (first) => firsts.push(first));
    if (!isFirst) return;
    const behind = connect(source.config.port, '127.0.0.1');
    open.add(behind);
    behind.on('error', () => undefined);
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = silent.address() as AddressInfo;
    const abort = new AbortController();
    const reason = new Error('Enough.');
    const target = targetOf({ ...source.config, port }, source.password);
    const session = withPostgres(target, abort.signal, async (client) => {
      const sleeping = client.query('SELECT pg_sleep(600)');
      abort.abort(reason);
      await sleeping;
    });
    await expect(session).rejects.toBe(reason);
    // CancelRequest: its length, its code, and the session's process and key.
    expect(firsts[1]?.subarray(0, 8).toString('hex')).toBe('0000001004d2162e');
    expect(firsts[1]).toHaveLength(16);
  } finally {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  }
});

test('a statement that the server itself failed needs no request to stop it', async () => {
  let connections = 0;
  const front = createServer((socket) => {
    connections += 1;
    const behind = connect(source.config.port, '127.0.0.1');
    for (const one of [socket, behind]) one.on('error', () => undefined);
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = front.address() as AddressInfo;
    const target = targetOf({ ...source.config, port }, source.password);
    const session = withPostgres(target, new AbortController().signal, (client) =>
      client.query('SELECT nothing'),
    );
    await expect(session).rejects.toThrow(/"nothing" does not exist/);
    expect(connections).toBe(1);
  } finally {
    await new Promise((resolve) => front.close(resolve));
  }
});

describe.skipIf(!hasMariadb)('MariaDB (skipped where the machine has no mariadbd)', () => {
  let mariadb: TestMariadb;
  beforeAll(async () => {
    mariadb = await startMariadb();
    await mariadb.run('shop');
  });
  afterAll(() => mariadb?.stop());

  test('the source itself ends a statement that takes longer than a session allows', async () => {
    const config = {
      host: '127.0.0.1',
      port: mariadb.port,
      database: 'shop',
      user: 'root',
      ssl_mode: 'disable',
    };
    const numbers = 'seq_1_to_1000000';
    const session = withMysql(
      targetOf(config, mariadb.password),
      new AbortController().signal,
      (connection) => connection.query(`SELECT sum(a.seq * b.seq % 7) FROM ${numbers} a, ${numbers} b`),
      { statementTimeoutMs: 500 },
    );
    await expect(session).rejects.toMatchObject({ errno: 1969 });
  });
});
