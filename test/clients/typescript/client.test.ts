import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import * as client from '../../../clients/typescript/src/index.ts';
import { browserOf } from '../../support/browser.ts';
import { expectEventually } from '../../support/eventually.ts';
import { useWorker } from '../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const workspace = useOwnWorkspace();
useWorker(workspace);

/** Breaks or answers a request in place of the service, if it returns true. */
type Fault = (request: IncomingMessage, response: ServerResponse, count: number) => boolean;

let account: TestClient;
let baseUrl: string;
let own: client.Workspace;
let fault: Fault | undefined;
let seen: string[] = [];
const closers: (() => void)[] = [];

/** A proxy before the service that a test may let misbehave. */
beforeAll(async () => {
  await workspace.listen();
  const { port } = workspace.app.server.address() as AddressInfo;
  const proxy = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    const { method, headers, url: path } = incoming;
    const onward = httpRequest({ host: '127.0.0.1', port, method, headers, path }, (answer) => {
      if (fault?.(incoming, outgoing, seen.length) === true) return answer.resume();
      outgoing.writeHead(answer.statusCode!, answer.headers);
      return answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  account = await workspace.organization();
  const { clientId, clientSecret } = account;
  own = client.createWorkspace({ baseUrl, auth: client.clientCredentials({ clientId, clientSecret }) });
});
afterEach(() => {
  fault = undefined;
  seen = [];
});
afterAll(() => {
  for (const close of closers) close();
});

const project = async () => (await own.post('/v1/projects', { body: { name: 'Sales' } })).data.id;
const table = async (name: string) => {
  const columns = [{ name: 'v', data_type: 'INTEGER' }];
  const body = { name, kind: 'data', columns } as const;
  return (await own.post('/v1/grid/tables', { body })).data.tableId;
};
const counted = async (name: string) =>
  (await client.query(own, { sql: `SELECT count(*) AS n, count(DISTINCT s_id) AS d FROM ${name}` })).rows;
const rowsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ s_id: from + at, v: at }));

test('answers are typed, lists are walked, and refusals are thrown with code and request', async () => {
  for (const name of ['a', 'b', 'c']) await own.post('/v1/projects', { body: { name } });
  const names: string[] = [];
  const page = (cursor?: string) =>
    own.get('/v1/projects', { params: { query: { limit: 2, ...(cursor === undefined ? {} : { cursor }) } } });
  for await (const { name } of client.items(page)) names.push(name);
  expect(names).toEqual(['c', 'b', 'a']);
  const missing = own.get('/v1/projects/{project_id}', { params: { path: { project_id: 'prj_none' } } });
  await expect(missing).rejects.toMatchObject({
    code: 'not_found',
    status: 404,
    requestId: expect.any(String),
  });
  const wrong = own.post('/v1/projects', { body: { name: '' } });
  await expect(wrong).rejects.toMatchObject({
    code: 'validation_error',
    faults: [expect.objectContaining({ loc: ['body', 'name'] })],
    message: expect.stringContaining('body.name'),
  });
});

describe('a connection that breaks', () => {
  test('after a write was done writes it once', async () => {
    const tableId = await table('once');
    // Each answer is lost, once.
    const lost = new Set<string>();
    fault = ({ method, url, headers }, response) => {
      const key = `${method} ${url} ${headers['idempotency-key']}`;
      if (method === 'GET' || lost.has(key)) return false;
      lost.add(key);
      response.destroy();
      return true;
    };
    const written = await client.appendRows(own, tableId, rowsOf(2_500));
    expect(written.rowsWritten).toBe(2_500);
    expect(lost.size).toBe(3);
    fault = undefined;
    expect(await counted('once')).toEqual([{ n: 2_500, d: 2_500 }]);
  });

  test('in the middle of a batch applies it once, also for a program that starts again', async () => {
    const tableId = await table('batched');
    const records = rowsOf(12_000);
    fault = ({ method }, response, count) => {
      const breaks = method === 'PUT' && count % 2 === 0;
      if (breaks) response.destroy();
      return breaks;
    };
    const options = { mode: 'append', name: 'load-1' } as const;
    const impatient = async function* () {
      yield* records.slice(0, 7_000);
      throw new Error('killed');
    };
    await expect(client.ingest(own, tableId, impatient(), options)).rejects.toThrow('killed');
    const staged: number[] = [];
    const batch = await client.ingest(own, tableId, records, { ...options, onStaged: (n) => staged.push(n) });
    expect([batch.status, batch.rowsInserted, staged.at(-1)]).toEqual(['applied', 12_000, 12_000]);
    expect((await client.ingest(own, tableId, records, options)).id).toBe(batch.id);
    const others = client.ingest(own, tableId, rowsOf(3), options);
    await expect(others).rejects.toMatchObject({ status: 409 });
    fault = undefined;
    expect(await counted('batched')).toEqual([{ n: 12_000, d: 12_000 }]);
  });

  test('in the middle of pages in columns applies them once', async () => {
    const tableId = await table('columns');
    const pages = [0, 1, 2].map((page) => {
      const ids = BigInt64Array.from({ length: 9_000 }, (_, index) => BigInt(page * 9_000 + index));
      return {
        format: 'arrow',
        bytes: new Uint8Array(tableToIPC(tableFromArrays({ s_id: ids }), 'stream')),
      } as const;
    });
    fault = ({ method }, response, count) => {
      const breaks = method === 'PUT' && count % 2 === 0;
      if (breaks) response.destroy();
      return breaks;
    };
    const options = { mode: 'append', name: 'load-1' } as const;
    const batch = await client.ingestColumns(own, tableId, pages, options);
    expect([batch.status, batch.rowsInserted]).toEqual(['applied', 27_000]);
    expect((await client.ingestColumns(own, tableId, pages, options)).id).toBe(batch.id);
    await expect(client.ingestColumns(own, tableId, [], options)).rejects.toMatchObject({ status: 409 });
    fault = undefined;
    expect(await counted('columns')).toEqual([{ n: 27_000, d: 27_000 }]);
  });

  test('a page that is refused ends the batch, whatever else is under way', async () => {
    const tableId = await table('refused');
    const slow = async function* () {
      yield* rowsOf(5_000);
      yield* rowsOf(5_000, 5_000).map((row) => ({ ...row, v: 'no number' }));
      // The source goes on after the refusal is known.
      await new Promise<void>((resolve) => {
        const look = setInterval(() => {
          if (seen.filter((one) => one.startsWith('PUT')).length < 2) return;
          clearInterval(look);
          setTimeout(resolve, 500);
        }, 50);
      });
      yield* rowsOf(1, 10_000);
    };
    const ingested = client.ingest(own, tableId, slow(), { mode: 'append', name: 'half' });
    await expect(ingested).rejects.toMatchObject({ status: 422 });
    expect(seen.filter((one) => one.endsWith('/complete'))).toEqual([]);
    expect(await counted('refused')).toEqual([{ n: 0, d: 0 }]);
  });

  test('before any answer is told, with the number of attempts', async () => {
    const { clientId, clientSecret } = account;
    const auth = client.clientCredentials({ clientId, clientSecret });
    const nobody = client.createWorkspace({ baseUrl: 'http://127.0.0.1:9', auth, retryForMs: 500 });
    await expect(nobody.get('/v1/me')).rejects.toThrow(client.ConnectionError);
  });

  test('in the middle of a stream is an error, never a shorter answer', async () => {
    fault = ({ url }, response) => {
      if (url !== '/v1/query-executions') return false;
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"n":1}\n{"n":');
      setTimeout(() => response.destroy(), 100);
      return true;
    };
    const rows: unknown[] = [];
    const read = async () => {
      for await (const row of client.queryRows(own, { sql: 'SELECT 1 AS n' })) rows.push(row);
    };
    await expect(read()).rejects.toThrow();
    expect(rows).toEqual([{ n: 1 }]);
    fault = undefined;
    await read();
    expect(rows).toEqual([{ n: 1 }, { n: 1 }]);
  });
});

test('numbers that JavaScript cannot hold are sent as text, or refused', async () => {
  const tableId = await table('exact');
  const wrong = client.appendRows(own, tableId, [{ s_id: 2 ** 53, v: 1 }]);
  await expect(wrong).rejects.toThrow(RangeError);
  const text = '{"s_id":9007199254740993,"v":9007199254740995}';
  expect((await client.appendRows(own, tableId, [text])).rowsWritten).toBe(1);
  expect((await client.query(own, { sql: 'SELECT s_id::TEXT AS s, v::TEXT AS v FROM exact' })).rows).toEqual([
    { s: '9007199254740993', v: '9007199254740995' },
  ]);
});

test('rows have the names of the statement, as a whole and as they come', async () => {
  const sql = 'SELECT 1 AS user_id, 2 AS "userId"';
  const named = { user_id: 1, userId: 2 };
  const { rows, notices, ...answer } = await client.query(own, { sql });
  expect([rows, notices, answer]).toEqual([[named], undefined, expect.objectContaining({ rowCount: 1 })]);
  const streamed: unknown[] = [];
  for await (const row of client.queryRows(own, { sql })) streamed.push(row);
  expect(streamed).toEqual([named]);
  const asked = await client.query(own, { sql, rowFormat: 'rows' });
  expect([asked.rows, asked.notices?.[0]?.names]).toEqual([[{ userId: 2 }], ['user_id', 'userId']]);
});

test('an abort reaches what is sent, also when nobody holds the request', async () => {
  const stop = new AbortController();
  const sql = 'SELECT range AS n FROM range(1000000)';
  const body = await client.queryStream(own, { sql, format: 'ndjson', signal: stop.signal });
  const reader = body.getReader();
  await reader.read();
  collectGarbage();
  stop.abort(new Error('enough'));
  const rest = async () => {
    while (!(await reader.read()).done);
  };
  await expect(rest()).rejects.toThrow();
});

test('rows beyond the limit of a stream are an error at its end, except where a limit was asked for', async () => {
  const sql = 'FROM range(1000001)';
  let count = 0;
  const read = async (limit?: number) => {
    count = 0;
    for await (const _ of client.queryRows(own, { sql, ...(limit === undefined ? {} : { limit }) }))
      count += 1;
  };
  await expect(read()).rejects.toMatchObject({ name: 'TruncatedError', rowCount: 1_000_000 });
  expect(count).toBe(1_000_000);
  await read(1_000);
  expect(count).toBe(1_000);
});

test('an address without its scheme is told at once', () => {
  const wrong = () => client.createWorkspace({ baseUrl: 'localhost:8080', auth: client.accessToken('x') });
  expect(wrong).toThrow("localhost:8080 isn't an address");
});

test('transient failures are tried again as the service asks', async () => {
  let refusals = 0;
  fault = ({ url }, response) => {
    if (url !== '/v1/me' || refusals === 2) return false;
    refusals += 1;
    response.writeHead(refusals === 1 ? 429 : 503, {
      'retry-after': '0',
      'content-type': 'application/problem+json',
    });
    response.end('{"code":"rate_limited","detail":"Slow down."}');
    return true;
  };
  expect((await own.get('/v1/me')).data.type).toBe('client');
  expect(refusals).toBe(2);
});

test('an expired token is exchanged once for all requests that met it', async () => {
  const pool = workspace.deps.lake.catalogPool;
  await own.get('/v1/me');
  await pool.query(
    "UPDATE access_tokens SET expires_at = now() - interval '1 hour' WHERE organization_id = $1",
    [account.organizationId],
  );
  // The API knows the token for a second.
  await expectEventually(async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => own.get('/v1/me')));
    return [answers.length, seen.filter((one) => one === 'POST /v1/auth/m2m/token').length];
  }).toEqual([8, 1]);
});

test('a person logs in on a page, and programs that share the login renew it one after the other', async () => {
  const { ownerToken } = account;
  const browser = browserOf(workspace);
  await browser.open(`/owner/${ownerToken}`);
  const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
  expect((await browser.post(`/owner/${ownerToken}`, person)).status).toBe(303);
  let kept: client.LoginTokens | undefined = await client.deviceLogin({
    baseUrl,
    onCode: ({ userCode, completeUrl }) => {
      expect(completeUrl).toContain(userCode);
      // What is polled before is answered as pending.
      setTimeout(async () => {
        await browser.open(`/device?user_code=${userCode}`);
        await browser.post('/device', { decision: 'approve' });
      }, 6_000);
    },
  });
  let turn: Promise<unknown> = Promise.resolve();
  const store: client.TokenStore = {
    load: () => kept,
    save: (tokens) => {
      kept = tokens;
    },
    exclusively(work) {
      const result = turn.then(work);
      turn = result.catch(() => undefined);
      return result;
    },
  };
  const program = () => client.createWorkspace({ baseUrl, auth: client.login(store, 'cli') });
  expect((await program().get('/v1/me')).data).toMatchObject({ type: 'user', email: person.email });
  const first = kept.accessToken;
  kept = { ...kept, expiresAt: 0 };
  seen = [];
  const answers = await Promise.all(Array.from({ length: 5 }, () => program().get('/v1/me')));
  expect(answers.map(({ data }) => data.type)).toEqual(Array(5).fill('user'));
  expect(seen.filter((one) => one === 'POST /v1/auth/token')).toHaveLength(1);
  expect(kept.accessToken).not.toBe(first);
  kept = { ...kept, refreshToken: 'wrt_none', expiresAt: 0 };
  await expect(program().get('/v1/me')).rejects.toMatchObject({ code: 'invalid_grant' });
});

test('a file of any size is uploaded with its progress, and imported', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'workspace-upload-'));
  closers.push(() => void rm(folder, { recursive: true, force: true }));
  const lines = Array.from({ length: 200_000 }, (_, at) => `${at},${randomBytes(6).toString('hex')}`);
  await writeFile(join(folder, 'big.csv'), `n,code\n${lines.join('\n')}\n`);
  const content = await openAsBlob(join(folder, 'big.csv'), { type: 'text/csv' });
  const progress: number[] = [];
  const projectId = await project();
  const onProgress = (sent: number) => progress.push(sent);
  const file = await client.uploadFile(own, { projectId, path: 'in/big.csv', content, onProgress });
  expect([file.path, file.sizeBytes, progress[0], progress.at(-1)]).toEqual([
    'in/big.csv',
    content.size,
    0,
    content.size,
  ]);
  expect(progress.length).toBeGreaterThan(5);
  expect(progress).toEqual([...progress].sort((one, other) => one - other));
  const { data: begun } = await own.post('/v1/projects/{project_id}/files/{file_id}/imports', {
    params: { path: { project_id: projectId, file_id: file.id } },
    body: { table_name: 'big' },
  });
  const states: string[] = [];
  const ended = await client.wait(
    async () =>
      (await own.get('/v1/table-imports/{import_id}', { params: { path: { import_id: begun.id } } })).data,
    { onProgress: ({ status }) => states.push(status) },
  );
  expect([ended.status, ended.rowsImported, states.at(-1)]).toEqual(['succeeded', 200_000, 'succeeded']);
  const over = AbortSignal.abort(new Error('enough'));
  await expect(client.uploadFile(own, { projectId, path: 'x.csv', content, signal: over })).rejects.toThrow(
    'enough',
  );
});

test('a conversation is followed through broken connections, without loss or repeat', async () => {
  const projectId = await project();
  await table('facts');
  let broken = 0;
  fault = ({ url }, response) => {
    if (!url!.endsWith('/events') || broken === 3) return false;
    broken += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\nid: 1\nevent: text.delta\nda');
    response.destroy();
    return true;
  };
  const events: client.ConversationEvent[] = [];
  const onEvent = (event: client.ConversationEvent) => events.push(event);
  const { conversationId, reply } = await client.ask(own, projectId, 'how many rows are in facts?', {
    onEvent,
  });
  expect([reply.status, broken]).toEqual(['complete', 3]);
  const text = events.flatMap((event) => (event.event === 'text.delta' ? [event.data.text] : [])).join('');
  expect(text).toBe(reply.content);
  const ids = events.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
  const again = await client.ask(own, projectId, 'and now?', { conversationId });
  expect(again.conversationId).toBe(conversationId);
  const stop = new AbortController();
  const following = (async () => {
    for await (const _ of client.follow(own, { projectId, conversationId }, { signal: stop.signal }));
  })();
  stop.abort(new Error('enough'));
  await expect(following).rejects.toThrow('enough');
});
