import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { expectEventually } from '../../support/eventually.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();

async function newProject(client: TestClient): Promise<string> {
  return (await client.call('POST', '/v1/projects', { body: { name: 'Files' } })).body.data.id;
}

test('CSV is written as the bytes that are sent, and other routes do not take it', async () => {
  const client = await workspace.organization();
  const url = `/v1/projects/${await newProject(client)}/files/content?path=latin.csv`;
  // Not UTF-8: it is kept as it is.
  const text = Buffer.concat([Buffer.from('s_id,city\n1,'), Buffer.from([0xe9]), Buffer.from('\n')]);
  const headers = { 'idempotency-key': 'csv-once' };
  const write = (bytes: Buffer) =>
    client.call('PUT', url, { raw: { text: bytes, contentType: 'text/csv' }, headers });
  const written = await write(text);
  expect(written.status, written.text).toBe(201);
  expect(written.body.data).toMatchObject({
    sizeBytes: text.length,
    sha256: createHash('sha256').update(text).digest('hex'),
  });
  expect((await write(text)).body.data.version).toBe(1);
  const other = await write(Buffer.from('other'));
  expect(other.status).toBe(422);
  expect(other.body.detail).toMatchObject([{ loc: ['header', 'idempotency-key'] }]);
  const large = await client.call('PUT', url, {
    raw: { text: Buffer.alloc(12 * 1_048_576 + 1, 'a'), contentType: 'text/csv' },
  });
  expect([large.status, large.body.code]).toEqual([400, 'body_too_large']);
  const project = await client.call('POST', '/v1/projects', { raw: { text: 'a', contentType: 'text/csv' } });
  expect([project.status, project.body.code]).toEqual([400, 'unsupported_media_type']);
  const { body } = await client.call('GET', '/openapi.json');
  const { content } = body.paths['/v1/projects/{project_id}/files/content'].put.requestBody;
  expect(Object.keys(content)).toEqual(['application/json', 'text/csv']);
  expect(content['text/csv'].schema).toEqual({ type: 'string', contentMediaType: 'text/csv' });
});

/** Sends the form as a browser would: every field verbatim, the file last. */
async function upload(
  form: { url: string; fields: Record<string, string> },
  bytes: Uint8Array,
  change: Record<string, string> = {},
) {
  const body = new FormData();
  for (const [name, value] of Object.entries({ ...form.fields, ...change })) body.append(name, value);
  body.append('file', new Blob([new Uint8Array(bytes)]), 'data.csv');
  return fetch(form.url, { method: 'POST', body });
}

test('a written file is listed, shown, streamed with ranges, overwritten as a new version and deleted', async () => {
  const client = await workspace.organization();
  const project = await newProject(client);
  const url = `/v1/projects/${project}/files/content?path=notes/a.txt`;
  const written = await client.call('PUT', url, { body: { content: 'Hello, wörld' } });
  expect(written.status, written.text).toBe(201);
  const bytes = Buffer.from('Hello, wörld');
  expect(written.body.data).toMatchObject({
    path: 'notes/a.txt',
    contentType: 'text/plain',
    sizeBytes: bytes.length,
    version: 1,
    source: 'write',
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  const again = await client.call('PUT', url, {
    body: { content: Buffer.from([0, 1, 2]).toString('base64'), encoding: 'base64' },
  });
  expect([again.status, again.body.data.version, again.body.data.sizeBytes]).toEqual([200, 2, 3]);
  const id = written.body.data.id;
  expect(again.body.data.id).toBe(id);
  expect((await client.call('GET', `/v1/projects/${project}/files`)).body.items).toHaveLength(1);
  const whole = await client.call('GET', `/v1/projects/${project}/files/${id}/content`);
  expect([whole.status, whole.text, whole.headers['content-length']]).toEqual([
    200,
    '\u0000\u0001\u0002',
    '3',
  ]);
  const part = await client.call('GET', `/v1/projects/${project}/files/${id}/content`, {
    headers: { range: 'bytes=1-' },
  });
  expect([part.status, part.text, part.headers['content-range']]).toEqual([
    206,
    '\u0001\u0002',
    'bytes 1-2/3',
  ]);
  const beyond = await client.call('GET', `/v1/projects/${project}/files/${id}/content`, {
    headers: { range: 'bytes=3-' },
  });
  expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */3']);
  for (const [tag, status] of [
    [String(part.headers['etag']), 304],
    [`"other", W/${part.headers['etag']}`, 304],
    ['*', 304],
    ['"other"', 200],
  ] as const) {
    const again = await client.call('GET', `/v1/projects/${project}/files/${id}/content`, {
      headers: { 'if-none-match': tag },
    });
    expect([again.status, again.headers['etag']], tag).toEqual([status, part.headers['etag']]);
  }
  expect(beyond.body).toMatchObject({ status: 416, code: 'range_not_satisfiable' });
  const deleted = await client.call('DELETE', `/v1/projects/${project}/files/${id}`);
  expect(deleted.body.data.id).toBe(id);
  expect((await client.call('GET', `/v1/projects/${project}/files/${id}`)).status).toBe(404);
});

test.each(['/abs', '../up', 'a/../b', 'a//b', 'a/./b', '', 'a%00b', 'a%0Ab', 'a\\b', 'x'.repeat(1025)])(
  'the path %j is refused at its place',
  async (path) => {
    const client = await workspace.organization();
    const project = await newProject(client);
    const query = path.includes('%') ? path : encodeURIComponent(path);
    const answer = await client.call('PUT', `/v1/projects/${project}/files/content?path=${query}`, {
      body: { content: 'x' },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0].loc).toEqual(['query', 'path']);
  },
);

test('a presigned upload becomes a file: sent straight to storage, then finalized once', async () => {
  const client = await workspace.organization();
  const project = await newProject(client);
  const form = (await client.call('POST', `/v1/projects/${project}/files/uploads`)).body.data;
  expect(form).toMatchObject({ max_bytes: 1_073_741_824, expires_in_seconds: expect.any(Number) });
  const finalize = (body: object) =>
    client.call('POST', `/v1/projects/${project}/files/uploads/${form.upload_id}/finalize`, { body });
  const early = await finalize({ path: 'raw/orders.csv' });
  expect([early.status, early.body.code]).toEqual([409, 'conflict']);
  const bytes = Buffer.from('a,b\n1,2\n');
  expect((await upload(form, bytes)).ok).toBe(true);
  const wrong = await finalize({ path: 'raw/orders.csv', sha256: '0'.repeat(64) });
  expect([wrong.status, wrong.body.code]).toEqual([409, 'conflict']);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const done = await finalize({ path: 'raw/orders.csv', sha256 });
  expect(done.status, done.text).toBe(200);
  expect(done.body.data).toMatchObject({
    path: 'raw/orders.csv',
    source: 'upload',
    sizeBytes: bytes.length,
    sha256,
    contentType: 'text/csv',
  });
  const { id } = done.body.data;
  const events = await client.call('GET', `/v1/audit-events?resource_id=${id}`);
  expect(events.body.items).toMatchObject([
    { action: 'file.uploaded', resource: { type: 'file', id, name: 'raw/orders.csv' } },
  ]);
  const other = `/v1/projects/${project}/files/content?path=raw/other.csv`;
  const again = await client.call('PUT', other, { body: { content: 'x' } });
  const written = await client.call('GET', `/v1/audit-events?resource_id=${again.body.data.id}`);
  expect(written.body.items).toMatchObject([{ resource: { type: 'file', name: 'raw/other.csv' } }]);
  // The form works until it expires; the file does not change.
  await upload(form, Buffer.from('changed'));
  expect((await finalize({ path: 'raw/orders.csv' })).body).toEqual(done.body);
  const content = await client.call('GET', `/v1/projects/${project}/files/${done.body.data.id}/content`);
  expect(content.text).toBe(bytes.toString());
});

test('storage refuses a form that was tampered with', async () => {
  const client = await workspace.organization();
  const form = (await client.call('POST', `/v1/projects/${await newProject(client)}/files/uploads`)).body
    .data;
  expect((await upload(form, Buffer.from('x'), { key: 'uploads/elsewhere' })).ok).toBe(false);
});

/** Objects of the organization that are queued for removal. */
async function doomed({ organizationId }: TestClient): Promise<string[]> {
  const { rows } = await workspace.deps.lake.catalogPool.query(
    'SELECT object_key FROM object_deletions WHERE organization_id = $1',
    [organizationId],
  );
  return rows.map((row) => row.object_key);
}

async function currentKey(client: TestClient): Promise<string> {
  const { rows } = await workspace.deps.lake.catalogPool.query(
    'SELECT object_key FROM files WHERE organization_id = $1',
    [client.organizationId],
  );
  return rows[0].object_key;
}

test('a keyed write that is repeated after a crash never names an object that is about to be removed', async () => {
  const client = await workspace.organization();
  const url = `/v1/projects/${await newProject(client)}/files/content?path=a.txt`;
  const headers = { 'idempotency-key': 'one' };
  const write = (content: string, given = {}) => client.call('PUT', url, { body: { content }, ...given });
  const first = await write('first', { headers });
  // As if it had died before its answer was stored.
  const crash = () =>
    workspace.deps.lake.catalogPool.query(
      `UPDATE idempotency_keys SET response = NULL, response_status = NULL, lease_until = to_timestamp(0)
       WHERE organization_id = $1`,
      [client.organizationId],
    );
  await crash();
  const again = await write('first', { headers });
  expect([again.status, again.body.data]).toEqual([first.status, first.body.data]);
  await crash();
  expect((await write('second')).body.data.version).toBe(2);
  const late = await write('first', { headers });
  expect([late.status, late.body.data.version]).toEqual([200, 3]);
  expect(await doomed(client)).not.toContain(await currentKey(client));
});

test('an object whose file is never written is put down for removal', async () => {
  const client = await workspace.organization();
  const url = `/v1/projects/${await newProject(client)}/files/content?path=a.txt`;
  const { objects } = workspace.deps;
  const put = vi.spyOn(objects, 'put').mockRejectedValueOnce(new Error('The process dies here.'));
  expect((await client.call('PUT', url, { body: { content: 'x' } })).status).toBe(500);
  const [[key]] = put.mock.calls as unknown as [[string]];
  put.mockRestore();
  expect(await doomed(client)).toEqual([key]);
  expect((await client.call('PUT', url, { body: { content: 'x' } })).status).toBe(201);
  expect(await doomed(client)).toEqual([key]);
});

test('base64 is taken with and without its padding, to 8 MiB, and nothing else', async () => {
  const client = await workspace.organization();
  const url = `/v1/projects/${await newProject(client)}/files/content?path=a.bin`;
  const write = (content: string) => client.call('PUT', url, { body: { content, encoding: 'base64' } });
  const large = await write(Buffer.alloc(8 * 1_048_576, 'ab').toString('base64'));
  expect([large.status, large.body.data.sizeBytes]).toEqual([201, 8 * 1_048_576]);
  for (const [content, size] of [
    ['QQ==', 1],
    ['QQ', 1],
    ['QUI=', 2],
    ['QU I', 2],
    ['', 0],
  ] as const)
    expect((await write(content)).body.data.sizeBytes).toBe(size);
  for (const content of ['Q', 'QQ=', 'QQ===', '=', 'Q-==', 'QUI=QQ==', 'é'])
    expect((await write(content)).status, content).toBe(422);
});

test('large bodies whose work hangs do not keep those of another organization waiting', async () => {
  const { objects } = workspace.deps;
  const put = objects.put.bind(objects);
  const held = Promise.withResolvers<void>();
  const hang = async (...given: Parameters<typeof put>) => {
    await held.promise;
    return put(...given);
  };
  const spy = vi.spyOn(objects, 'put').mockImplementationOnce(hang).mockImplementationOnce(hang);
  const write = async (client: TestClient, name: string) => {
    const url = `/v1/projects/${await newProject(client)}/files/content?path=${name}`;
    return client.call('PUT', url, { body: { content: 'x'.repeat(200_000) } });
  };
  const [one, other] = [await workspace.organization(), await workspace.organization()];
  const hanging = [write(one, 'a'), write(one, 'b')];
  await expectEventually(() => spy.mock.calls.length).toBe(2);
  expect((await write(other, 'c')).status).toBe(201);
  held.resolve();
  for (const { status } of await Promise.all(hanging)) expect(status).toBe(201);
  spy.mockRestore();
});
