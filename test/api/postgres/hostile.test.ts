import { connect, type Socket } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../support/calculated.ts';
import { expectEventually } from '../../support/eventually.ts';
import { usePostgres } from '../../support/postgres.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const door = usePostgres(workspace, { checkIntervalMs: 200 });
let client: TestClient;
let other: TestClient;

beforeAll(async () => {
  client = await workspace.organization();
  other = await workspace.organization('Another');
  await shaping(other).data('secrets', { word: 'STRING' });
});

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const framed = (kind: string, body: Buffer) =>
  Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);
const startup = () => {
  const { clientId, organizationId } = client;
  const text = `user\0${clientId}\0database\0${organizationId}\0\0`;
  return framed('', Buffer.concat([int32(196_608), Buffer.from(text)]));
};
const password = () => framed('p', Buffer.from(`${client.clientSecret}\0`));

/** Sends bytes, and gives what came back when the server has closed the connection, or said it is ready. */
async function converse(...sent: Buffer[]): Promise<string> {
  const socket = connect(door.port, '127.0.0.1');
  const parts: Buffer[] = [];
  const ended = new Promise<void>((resolve) => {
    socket.on('error', () => undefined).on('close', () => resolve());
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      if (Buffer.concat(parts).toString('latin1').split('Z\0\0\0\x05').length > 2) resolve();
    });
  });
  for (const bytes of sent) socket.write(bytes);
  await ended;
  socket.destroy();
  return Buffer.concat(parts).toString('latin1');
}

const stillServes = async () => {
  const { status } = await other.call('GET', '/v1/me');
  expect(status).toBe(200);
  const sql = await door.connect(client);
  expect((await sql.query('SELECT 1 AS a')).rows).toEqual([{ a: 1 }]);
  await sql.end();
};

test('lengths that lie and messages of no kind end the session with a reason', async () => {
  expect(await converse(Buffer.from('GET / HTTP/1.1\r\n\r\n'))).toContain('54000');
  expect(await converse(framed('', int32(131_072)))).toContain('0A000');
  expect(await converse(startup(), framed('Q', Buffer.from('SELECT 1\0')))).toContain('08P01');
  expect(await converse(startup(), password(), Buffer.concat([Buffer.from('B'), int32(2 ** 30)]))).toContain(
    '54000',
  );
  expect(await converse(startup(), password(), framed('y', Buffer.alloc(3)))).toContain('08P01');
  await stillServes();
});

test('mutated conversations end or go on, and nobody else feels it', async () => {
  let state = 42;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  const text = (value: string) => Buffer.from(`${value}\0`);
  const parts = [
    framed('Q', text('SELECT 1')),
    framed('P', Buffer.concat([text(''), text('SELECT $1::int'), Buffer.from([0, 0])])),
    framed('B', Buffer.concat([text(''), text(''), Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 49, 0, 0])])),
    framed('D', Buffer.concat([Buffer.from('P'), text('')])),
    framed('E', Buffer.concat([text(''), int32(0)])),
    framed('S', Buffer.alloc(0)),
  ];
  const one = async () => {
    const bytes = Buffer.concat(Array.from({ length: 6 }, () => parts[random(parts.length)]!));
    for (let change = random(4); change > 0; change -= 1) bytes[random(bytes.length)] = random(256);
    // Whatever became of it, the client goes.
    const end = framed('X', Buffer.alloc(0));
    const socket = connect(door.port, '127.0.0.1').on('error', () => undefined);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.resume();
    for (const each of [startup(), password(), bytes, end]) socket.write(each);
    socket.end();
    await closed;
  };
  for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 10 }, one));
  await expectEventually(async () => door.sessions(), { timeoutMs: 60_000 }).toBe(0);
  await stillServes();
});

test('connections that say nothing make room for others', async () => {
  const silent: Socket[] = Array.from({ length: 150 }, () =>
    connect(door.port, '127.0.0.1').on('error', () => undefined),
  );
  await stillServes();
  for (const socket of silent) socket.destroy();
});

test('a guessed key cancels nothing, and the right one cancels the statement', async () => {
  const sql = await door.connect(client);
  const { processID, secretKey } = sql as unknown as { processID: number; secretKey: number };
  const cancel = (secret: number) =>
    converse(framed('', Buffer.concat([int32(80_877_102), int32(processID), int32(secret)])));
  let outcome = 'running';
  const running = sql.query('SELECT count(*) FROM range(100000000000) t(i) WHERE i % 7 = 3').then(
    () => {
      outcome = 'finished';
    },
    (error) => {
      outcome = error.code;
    },
  );
  await cancel(secretKey ^ 1);
  expect((await other.call('GET', '/v1/me')).status).toBe(200);
  expect(outcome).toBe('running');
  await expectEventually(
    async () => {
      if (outcome === 'running') await cancel(secretKey);
      return outcome;
    },
    { timeoutMs: 60_000 },
  ).toBe('57014');
  await running;
  expect((await sql.query('SELECT 1 AS a')).rows).toEqual([{ a: 1 }]);
});

test('a table of another organization is answered as one that does not exist', async () => {
  const sql = await door.connect(client);
  const said = (name: string) =>
    sql
      .query(`SELECT * FROM ${name}`)
      .then(String, ({ code, message }) => [code, message.replace(name, 'x')]);
  expect(await said('secrets')).toEqual(await said('nothing'));
  expect(
    (await sql.query(`SELECT * FROM information_schema.tables WHERE table_name = 'secrets'`)).rows,
  ).toEqual([]);
});

test('the end of a token ends the session', async () => {
  const token = await client.token('agent:read');
  const sql = await door.connect(client, { password: token });
  const ended = new Promise<void>((resolve) => sql.once('end', () => resolve()));
  await client.call('POST', '/v1/auth/logout', { headers: { authorization: `Bearer ${token}` } });
  await ended;
});

test('busy sessions leave another organization served', async () => {
  const clients = await Promise.all(Array.from({ length: 30 }, () => door.connect(client)));
  const busy = clients.map((sql) =>
    sql.query('SELECT sum(i) FROM range(300000000) t(i)').then(
      () => 'done',
      (error) => error.code,
    ),
  );
  for (let turn = 0; turn < 10; turn += 1) expect((await other.call('GET', '/v1/me')).status).toBe(200);
  for (const outcome of await Promise.all(busy)) expect(['done', '53400']).toContain(outcome);
  await Promise.all(clients.map((sql) => sql.end()));
});

test('an organization has no more sessions than allowed', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 55 }, () =>
      door.connect(client).then(
        () => 'open',
        (error) => error.code,
      ),
    ),
  );
  expect(outcomes).toContain('open');
  expect(outcomes).toContain('53300');
});
