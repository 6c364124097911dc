import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type TestClient, useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();

async function newProject(client: TestClient): Promise<string> {
  return (await client.call('POST', '/v1/projects', { body: { name: 'Files' } })).body.data.id;
}

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
  // The form still works until it expires; the file does not change.
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
