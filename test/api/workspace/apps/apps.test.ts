import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { type HttpReceiver, startHttpReceiver } from '../../../support/misbehaving-receiver.ts';
import { type TestClient, useWorkspace } from '../../../support/workspace.ts';
import { bodyOf, checkAll, keptOf, slugsOf, url } from './lab.ts';

const workspace = useWorkspace();
let server: HttpReceiver;
let client: TestClient;
beforeAll(async () => {
  server = await startHttpReceiver();
});
beforeEach(async () => {
  server.answer = { status: 204 };
  client = await workspace.organization();
});
afterAll(() => server.close());

const register = (more: object = {}, by = client) => by.call('POST', url, { body: bodyOf(server.url, more) });

test('an app is asked for its health, registered, replaced by the same slug, and removed', async () => {
  const calls = server.calls.length;
  const made = await register();
  expect([made.status, server.calls.length - calls], made.text).toEqual([201, 1]);
  const { deployedAt, lastCheckedAt } = made.body.data;
  expect(made.body.data).toEqual({
    slug: 'sales',
    name: 'Sales',
    url: server.url,
    version: '1.0.0',
    environment: 'production',
    description: null,
    deployedAt: expect.stringMatching(/Z$/),
    healthy: true,
    lastCheckedAt: expect.stringMatching(/Z$/),
  });
  const replaced = await register({ version: '1.1.0', environment: 'staging', description: 'By region' });
  expect([replaced.status, replaced.body.data]).toMatchObject([
    200,
    { version: '1.1.0', environment: 'staging', description: 'By region' },
  ]);
  expect(replaced.body.data.deployedAt >= deployedAt).toBe(true);
  expect(replaced.body.data.lastCheckedAt >= lastCheckedAt).toBe(true);
  const listed = await client.call('GET', url);
  expect(listed.body).toEqual({ items: [replaced.body.data], nextCursor: null });
  const removed = await client.call('DELETE', `${url}/sales`);
  expect([removed.status, removed.body]).toEqual([200, replaced.body]);
  expect(await slugsOf(client)).toEqual([]);
  for (const slug of ['sales', 'Sales', '%00', 'a'.repeat(64)]) {
    const again = await client.call('DELETE', `${url}/${slug}`);
    expect([again.status, again.body.code], slug).toEqual([404, 'not_found']);
  }
});

test('an app is listed while it is live, and never otherwise', async () => {
  server.answer = { status: 503, body: 'not yet' };
  const made = await register();
  expect([made.status, made.body.data.healthy]).toEqual([201, false]);
  expect(await slugsOf(client)).toEqual([]);
  server.answer = { status: 200, body: 'ok' };
  await checkAll(workspace, client);
  expect(await slugsOf(client)).toEqual(['sales']);
  server.answer = { status: 302, headers: { location: 'https://example.com' } };
  await checkAll(workspace, client);
  const shaky = (await client.call('GET', url)).body.items;
  expect(shaky).toMatchObject([{ slug: 'sales', healthy: false }]);
  server.answer = { cut: 'before' };
  expect(await checkAll(workspace, client)).toMatchObject({ apps: 1, live: 1 });
  expect(await checkAll(workspace, client)).toMatchObject({ apps: 1, live: 0 });
  expect(await keptOf(workspace, client)).toMatchObject({
    is_live: false,
    failed_checks: 3,
    last_status: null,
  });
  expect(await slugsOf(client)).toEqual([]);
  server.answer = { status: 200 };
  await checkAll(workspace, client);
  expect(await slugsOf(client)).toEqual(['sales']);
  server.answer = { status: 500 };
  expect((await register()).body.data.healthy).toBe(false);
  expect(await slugsOf(client)).toEqual([]);
  expect((await client.call('DELETE', `${url}/sales`)).body.data).toMatchObject({ healthy: false });
});

test('the list comes by pages, by slug', async () => {
  for (const slug of ['b', 'a-2', '0', 'a', 'c']) expect((await register({ slug })).status).toBe(201);
  const first = await client.call('GET', `${url}?limit=3`);
  expect(first.body.items.map(({ slug }: { slug: string }) => slug)).toEqual(['0', 'a', 'a-2']);
  const second = await client.call('GET', `${url}?limit=3&cursor=${first.body.nextCursor}`);
  expect(second.body.items.map(({ slug }: { slug: string }) => slug)).toEqual(['b', 'c']);
  expect(second.body.nextCursor).toBeNull();
  for (const query of ['limit=0', 'limit=201', 'cursor=nonsense'])
    expect((await client.call('GET', `${url}?${query}`)).status, query).toBe(422);
});

test('the same slug in another organization is another app', async () => {
  const other = await workspace.organization();
  await register();
  expect((await register({ version: '9' }, other)).status).toBe(201);
  expect((await other.call('DELETE', `${url}/sales`)).status).toBe(200);
  expect((await other.call('DELETE', `${url}/sales`)).status).toBe(404);
  expect((await client.call('GET', url)).body.items).toMatchObject([{ version: '1.0.0' }]);
});

test('what is out of bounds is refused at its place', async () => {
  const refused = async (more: object) => {
    const { status, body } = await register(more);
    expect(status, JSON.stringify(more)).toBe(422);
    return body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [...loc, type].join('.'));
  };
  for (const slug of ['', 'Sales', 'a_b', 'a b', 'é', 'a'.repeat(64), 'a\n'])
    expect(await refused({ slug }), slug).toEqual([expect.stringContaining('body.slug')]);
  for (const version of ['', ' ', 'v'.repeat(101), 7, null])
    expect(await refused({ version })).toEqual([expect.stringContaining('body.version')]);
  const addresses = [
    '',
    'sales',
    'ftp://127.0.0.1',
    'http://me:secret@127.0.0.1',
    `${server.url}/${'a'.repeat(2_048)}`,
  ];
  for (const address of addresses)
    expect(await refused({ url: address }), address).toEqual([expect.stringContaining('body.url')]);
  for (const path of ['', 'healthz', '/a b', '/a#b', '/\\evil', `/${'a'.repeat(512)}`])
    expect(await refused({ health_path: path }), path).toEqual([expect.stringContaining('body.health_path')]);
  expect(await refused({ environment: '' })).toEqual([expect.stringContaining('body.environment')]);
  expect(await refused({ name: undefined })).toEqual([expect.stringContaining('body.name')]);
  expect(await refused({ healthPath: '/healthz' })).toEqual(['body.healthPath.extra_forbidden']);
  expect((await register({ slug: `${'a'.repeat(62)}-` })).status).toBe(201);
});

test('an address that may not be reached is refused, and says so', async () => {
  for (const address of [
    'http://10.0.0.1',
    'https://192.168.1.7:8443',
    'https://[::1]',
    'http://169.254.169.254',
  ]) {
    const { status, body } = await register({ url: address });
    expect(status, address).toBe(422);
    expect(body.detail, address).toEqual([
      {
        loc: ['body', 'url'],
        type: 'value_error',
        msg: expect.stringContaining('ALLOWED_PRIVATE_ADDRESSES'),
      },
    ]);
  }
  expect(await keptOf(workspace, client)).toBeUndefined();
});

test('an organization has at most 1,000 apps; those that it has may still be replaced', async () => {
  await register();
  const { organizationId } = client;
  await inOrganization(workspace.deps.db, organizationId, async (db) => {
    const [row] = await db.selectFrom('deployed_apps').selectAll().execute();
    const others = Array.from({ length: 999 }, (_, index) => ({ ...row!, slug: `app-${index}` }));
    await db.insertInto('deployed_apps').values(others).execute();
  });
  const refused = await register({ slug: 'one-more' });
  expect(refused.body).toMatchObject({ status: 409, code: 'limit_reached', limit: 1_000, current: 1_000 });
  expect(refused.body.detail).toContain('1,000 apps');
  expect((await register({ version: '2' })).status).toBe(200);
});

/** Does this between the answer of the next check and its record. */
function duringNextCheck(work: () => Promise<unknown>): void {
  const { outgoing } = workspace.deps;
  const fetched = vi.spyOn(outgoing, 'fetch');
  fetched.mockImplementationOnce(async (...asked) => {
    fetched.mockRestore();
    const answer = await outgoing.fetch(...asked);
    await work();
    return answer;
  });
}

test('a check that overlaps a registration, a removal or another check is not recorded', async () => {
  await register();
  server.answer = { status: 500 };
  duringNextCheck(async () => {
    server.answer = { status: 200 };
    await register({ version: '2' });
  });
  await checkAll(workspace, client);
  expect(await keptOf(workspace, client)).toMatchObject({ failed_checks: 0, revision: 2 });
  server.answer = { status: 500 };
  duringNextCheck(() => checkAll(workspace, client));
  await checkAll(workspace, client);
  expect(await keptOf(workspace, client)).toMatchObject({ failed_checks: 1, revision: 3 });
  duringNextCheck(() => client.call('DELETE', `${url}/sales`));
  expect(await checkAll(workspace, client)).toEqual({ apps: 0, live: 0, waitMs: null });
});

test('the same idempotency key gets the first answer again', async () => {
  const headers = { 'idempotency-key': 'deploy-1' };
  const post = () => client.call('POST', url, { body: bodyOf(server.url), headers });
  const first = await post();
  const again = await post();
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(again.headers['idempotent-replayed']).toBe('true');
});

test('registrations and removals are in the audit, by slug', async () => {
  await register();
  await client.call('DELETE', `${url}/sales`);
  const { body } = await client.call('GET', '/v1/audit-events?resource_id=sales');
  expect(
    body.items.map(({ action, resource }: { action: string; resource: object }) => [action, resource]),
  ).toEqual([
    ['app.removed', { type: 'app', id: 'sales', name: 'Sales' }],
    ['app.registered', { type: 'app', id: 'sales', name: 'Sales' }],
  ]);
});
