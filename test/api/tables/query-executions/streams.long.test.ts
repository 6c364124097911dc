import { beforeAll, expect, test } from 'vitest';
import { expectEventually } from '../../../support/eventually.ts';
import { streaming } from '../../../support/streams.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';

const csv = 'text/csv';

const workspace = useWorkspace();
let client: TestClient;
let streams: Awaited<ReturnType<typeof streaming>>;

beforeAll(async () => {
  client = await workspace.organization();
  streams = await streaming(workspace, client);
});

const text = async (accept: string, sql: string, more: object = {}) => {
  const answer = await streams.fetched(accept, { sql, ...more });
  const body = await answer.text();
  expect(answer.status, body).toBe(200);
  return body;
};

const endless = 'SELECT i, repeat(chr(65 + (i % 26)::INTEGER), 100) AS t FROM range(100000000) t(i)';

interface Item {
  sql: string;
  status: string;
  rowCount: number | null;
  error: { code: string; detail: string } | null;
}

async function history(): Promise<Item[]> {
  return (await client.call('GET', '/v1/query-executions?limit=50')).body.items;
}

test('readers that take nothing hold no more than the share of their organization, and not for ever', async () => {
  const sql = `${endless} -- unread`;
  const readers = Array.from({ length: 20 }, () => {
    const reader = streams.raw(csv, { sql, timeout_ms: 120_000 });
    reader.socket.pause();
    return reader;
  });
  const other = await workspace.organization('another');
  for (let turn = 0; turn < 5; turn += 1) {
    const answer = await other.call('POST', '/v1/query-executions', { body: { sql: 'SELECT 1 AS a' } });
    expect(answer.status, answer.text).toBe(200);
  }
  const ended = async () => (await history()).filter((item) => item.sql === sql);
  await expectEventually(async () => (await ended()).length, { timeoutMs: 100_000 }).toBeGreaterThan(1);
  for (const { error, rowCount } of await ended()) {
    expect(error).toEqual({ code: 'query_failed', detail: expect.stringContaining('read to its end') });
    expect(rowCount).toBeLessThan(200_000);
  }
  for (const { socket } of readers) socket.destroy();
  await expectEventually(() => text(csv, 'SELECT 1 AS a').catch(String)).toBe('a\r\n1\r\n');
});
