import { gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { shaping } from '../../support/calculated.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
let client: TestClient;
let on: ReturnType<typeof shaping>;
let table: string;

beforeAll(async () => {
  client = await workspace.organization();
  on = shaping(client);
  table = await on.data('packed', { text: 'STRING' });
});

const contentType = 'application/json';
const send = (bytes: Buffer, encoding: string, path = `/v1/tables/${table}/rows`, headers = {}) =>
  client.call(path.endsWith('/rows') ? 'POST' : 'PUT', path, {
    raw: { text: bytes, contentType },
    headers: { 'content-encoding': encoding, ...headers },
  });
const rowsOf = (from: number, count: number) =>
  Buffer.from(
    JSON.stringify({
      rows: Array.from({ length: count }, (_, at) => ({ s_id: from + at, text: `text ${from + at}` })),
    }),
  );

test('rows arrive as they were before they were compressed', async () => {
  for (const [from, encoding, bytes] of [
    [1, 'gzip', gzipSync(rowsOf(1, 3_000))],
    [3_001, 'zstd', zstdCompressSync(rowsOf(3_001, 3_000))],
    [6_001, 'GZIP', gzipSync(rowsOf(6_001, 1))],
    [6_002, 'identity', rowsOf(6_002, 1)],
  ] as const) {
    const answer = await send(bytes, encoding);
    expect(answer.status, `${from}: ${answer.text}`).toBe(200);
  }
  expect(
    await on.rows(
      "SELECT count(*) AS n, min(s_id) AS least, max(s_id) AS most, count_if(text = 'text ' || s_id) AS same FROM packed",
    ),
  ).toEqual([{ n: 6_002, least: 1, most: 6_002, same: 6_002 }]);
});

test('no row is lost where a body has several parts', async () => {
  for (const [at, pack] of [gzipSync, zstdCompressSync].entries()) {
    const text = rowsOf(8_000 + at * 500, 100).toString();
    const parts = [text.slice(0, 500), text.slice(500)].map((part) => pack(part));
    const answer = await send(Buffer.concat(parts), at === 0 ? 'gzip' : 'zstd');
    expect([answer.status, answer.body.data?.rowsWritten]).toEqual([200, 100]);
  }
});

test('a key says whether the rows are the same, however they were packed', async () => {
  const headers = { 'idempotency-key': 'packed twice' };
  const path = `/v1/tables/${table}/rows`;
  const bytes = rowsOf(10_000, 2);
  const first = await send(gzipSync(bytes), 'gzip', path, headers);
  const second = await send(zstdCompressSync(bytes), 'zstd', path, headers);
  expect([first.status, second.status, second.text]).toEqual([200, 200, first.text]);
  expect(second.headers['idempotent-replayed']).toBe('true');
  expect((await send(gzipSync(rowsOf(10_002, 2)), 'gzip', path, headers)).status).toBe(422);
});

test('a page is staged from either', async () => {
  const path = `/v1/tables/${table}/ingestion-batches`;
  const batch = await on.must('POST', path, 201, { mode: 'append' });
  const page = Buffer.from(JSON.stringify({ records: [{ s_id: 20_000, text: 'a' }] }));
  const first = await send(zstdCompressSync(page), 'zstd', `${path}/${batch.id}/pages/1`);
  expect(first.body.data).toMatchObject({ replayed: false });
  const second = await send(gzipSync(page), 'gzip', `${path}/${batch.id}/pages/1`);
  expect(second.body.data).toEqual({ ...first.body.data, replayed: true });
});

test('what is not as the header says, or cut off, is refused and changes nothing', async () => {
  const packed = gzipSync(rowsOf(30_000, 2_000));
  for (const [bytes, encoding] of [
    [rowsOf(30_000, 1), 'gzip'],
    [packed, 'zstd'],
    [packed.subarray(0, packed.length / 2), 'gzip'],
    [zstdCompressSync(rowsOf(30_000, 2_000)).subarray(0, 2_000), 'zstd'],
    [Buffer.alloc(0), 'gzip'],
  ] as const) {
    const answer = await send(bytes, encoding);
    expect(answer.status, `${encoding} ${bytes.length}: ${answer.text}`).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  }
  expect(await on.rows('SELECT count(*) AS n FROM packed WHERE s_id >= 30000')).toEqual([{ n: 0 }]);
});

test('a few bytes do not become many: the limit is that of what they unpack to', async () => {
  for (const [bytes, encoding] of [
    [gzipSync(Buffer.alloc(134_217_728, ' ')), 'gzip'],
    [zstdCompressSync(Buffer.alloc(134_217_728, ' ')), 'zstd'],
  ] as const) {
    expect(bytes.length).toBeLessThan(200_000);
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(bytes, encoding)));
    for (const { status, body, text } of answers)
      expect(['body_too_large', 'overloaded'], `${status} ${text}`).toContain(body.code);
    expect(answers.map(({ body }) => body.code)).toContain('body_too_large');
  }
});

test('other encodings, and other routes, say what they take', async () => {
  const bytes = gzipSync(rowsOf(40_000, 1));
  for (const encoding of ['br', 'gzip, gzip', 'constructor', 'deflate'])
    expect((await send(bytes, encoding)).body).toMatchObject({
      ...{ status: 400, code: 'unsupported_media_type', detail: expect.stringContaining('gzip or zstd') },
    });
  const other = await client.call('POST', '/v1/projects', {
    raw: { text: gzipSync(Buffer.from('{"name": "a"}')), contentType },
    headers: { 'content-encoding': 'gzip' },
  });
  expect(other.body.code).toBe('unsupported_media_type');
});
