import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { buildApp } from '../../api/app.ts';
import { useOrganization, useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);

const inject = (method: string, url: string, headers: Record<string, string> = {}) =>
  workspace.app.inject({ method: method as 'GET', url, headers });

test.each([
  ['DELETE', '/v1/projects', 'GET, HEAD, POST'],
  ['PUT', '/v1/projects/prj_x?a=b', 'DELETE, GET, HEAD, PATCH'],
  ['POST', '/v1/tables/catalog', 'GET, HEAD'],
  ['DELETE', '/v1/tables/catalog', 'GET, HEAD'],
  ['GET', '/v1/projects/prj_x/files/content', 'PUT'],
  ['GET', '/v1/auth/m2m/token', 'POST'],
  ['POST', '/healthz', 'GET, HEAD'],
  ['OPTIONS', '/v1/me', 'GET, HEAD'],
  ['TRACE', '/v1/me', 'GET, HEAD'],
  ['PROPFIND', '/v1/me', 'GET, HEAD'],
  ['QUERY', '/v1/me', 'GET, HEAD'],
  ['PATCH', '/openapi.json', 'GET, HEAD'],
  ['PUT', '/docs/static/index.html', 'GET, HEAD'],
])('%s %s is 405 without a token, and Allow says what is taken', async (method, url, allow) => {
  const answer = await inject(method, url, { 'content-type': 'text/xml' });
  expect([answer.statusCode, answer.json().code]).toEqual([405, 'method_not_allowed']);
  expect(answer.headers['allow']).toBe(allow);
  expect(answer.headers['ratelimit']).toBeDefined();
  expect(answer.headers['content-type']).toContain('application/problem+json');
});

test.each([
  ['DELETE', '/v1/nothing'],
  ['POST', '/v1/projects/'],
  ['OPTIONS', '/v1/projects//files'],
  ['GET', '/v1/auth'],
])('%s %s is 404: there is no such path', async (method, url) => {
  const answer = await inject(method, url);
  expect([answer.statusCode, answer.json().code]).toEqual([404, 'not_found']);
  expect(answer.headers['allow']).toBeUndefined();
});

test('HEAD says what GET would, without its body', async () => {
  const authorization = `Bearer ${await client.token()}`;
  for (const url of ['/healthz', '/v1/me', '/v1/projects', '/openapi.json']) {
    const [head, get] = [
      await inject('HEAD', url, { authorization }),
      await inject('GET', url, { authorization }),
    ];
    expect([head.statusCode, head.body], url).toEqual([200, '']);
    for (const name of ['content-type', 'content-length'])
      expect(head.headers[name], `${url} ${name}`).toBe(get.headers[name]);
  }
  expect((await inject('HEAD', '/v1/me')).statusCode).toBe(401);
  expect((await inject('HEAD', '/v1/auth/logout')).statusCode).toBe(405);
});

test('HEAD of a file has its headers, in whole and in part', async () => {
  const authorization = `Bearer ${await client.token()}`;
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'p' } })).body.data.id;
  const body = { content: 'a,b\n1,2\n' };
  const written = await client.call('PUT', `/v1/projects/${project}/files/content?path=a.csv`, { body });
  const url = `/v1/projects/${project}/files/${written.body.data.id}/content`;
  const whole = await inject('HEAD', url, { authorization });
  expect([whole.statusCode, whole.body, whole.headers['content-length']]).toEqual([200, '', '8']);
  expect(whole.headers['content-type']).toContain('text/csv');
  const part = await inject('HEAD', url, { authorization, range: 'bytes=2-3' });
  expect([part.statusCode, part.headers['content-range']]).toEqual([206, 'bytes 2-3/8']);
});

test('a body that a route does not take is refused; an empty one and {} are not', async () => {
  const json = (text: string) => ({ raw: { text, contentType: 'application/json' } });
  const run = (options: object) => client.call('POST', '/v1/lake-maintenance/runs', options);
  for (const options of [{}, json(''), json('{}'), { raw: { text: '', contentType: 'text/plain' } }])
    expect((await run(options)).status, JSON.stringify(options)).toBe(202);
  for (const options of [
    json('{"force": true}'),
    json('[]'),
    json('"{}"'),
    json('{"broken'),
    json(`{"long": "${'x'.repeat(1_100_000)}"}`),
    { raw: { text: 'force=true', contentType: 'application/x-www-form-urlencoded' } },
    { raw: { text: 'force', contentType: 'no content type' } },
  ]) {
    const answer = await run(options);
    expect([answer.status, answer.body.code], JSON.stringify(options).slice(0, 99)).toEqual([
      400,
      'invalid_request',
    ]);
  }
});

test('a DELETE takes no body either, after its path is found; what a GET carries is not read', async () => {
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'p' } })).body.data.id;
  const body = { really: true };
  expect((await client.call('DELETE', '/v1/projects/prj_x', { body })).status).toBe(404);
  expect((await client.call('DELETE', `/v1/projects/${project}`, { body })).status).toBe(400);
  expect((await client.call('GET', `/v1/projects/${project}`, { body })).body.data.archivedAt).toBeNull();
  expect((await client.call('DELETE', `/v1/projects/${project}`, { body: {} })).status).toBe(200);
});

/** A server's answer to exactly these bytes, until it closes the connection. */
async function answerTo(text: string): Promise<{ head: string; body: string }> {
  const app = await buildApp(workspace.deps);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    answer += part;
  });
  socket.write(text);
  await once(socket, 'end');
  await app.close();
  const [head = '', body = ''] = answer.split(/\r\n\r\n(?!HTTP)/);
  return { head, body };
}

test.each([
  ['no Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
  [
    'an unknown expectation',
    'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n',
  ],
])('a request with %s is told so as a problem', async (_what, text) => {
  const { head, body } = await answerTo(text);
  expect(head).toMatch(/^HTTP\/1\.1 400 .*content-type: application\/problem\+json/is);
  expect(head).toMatch(/ratelimit: .*x-request-id: |x-request-id: .*ratelimit: /is);
  expect(JSON.parse(body)).toMatchObject({ status: 400, code: 'invalid_request' });
});

test('a client that waits for 100 Continue is told to go on, and one of HTTP/1.0 needs no Host', async () => {
  const form = 'grant_type=password';
  const waiting = await answerTo(
    `POST /v1/auth/m2m/token HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
  );
  expect(waiting.head).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
  expect(JSON.parse(waiting.body).code).toBe('unsupported_grant_type');
  expect((await answerTo('GET /healthz HTTP/1.0\r\n\r\n')).head).toMatch(/^HTTP\/1\.1 200 /);
});

test('a body of which nothing is required may be left out', async () => {
  const project = (await client.call('POST', '/v1/projects', { body: { name: 'P' } })).body.data.id;
  const begun = await client.call('POST', `/v1/projects/${project}/conversations`);
  expect(begun.status, begun.text).toBe(201);
  const written = await client.call('PUT', `/v1/projects/${project}/files/content?path=a.csv`, {
    body: { content: 'a\n1\n' },
  });
  const previewed = await client.call('POST', `/v1/assets/${written.body.data.id}/previews`);
  expect(previewed.status, previewed.text).toBe(200);
  const { paths } = (await client.call('GET', '/openapi.json')).body;
  for (const path of [
    '/v1/projects/{project_id}/conversations',
    '/v1/assets/{asset_id}/previews',
    '/v1/projects/{project_id}/playbooks/{playbook_id}/runs',
    '/v1/workflows/{workflow_id}/runs',
  ])
    expect(paths[path].post.requestBody.required, path).toBe(false);
});
