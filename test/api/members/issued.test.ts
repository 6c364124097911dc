import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { browserOf } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { openAccounts, type Person, personOf } from '../../support/people.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

/** What somebody issued ends with their rights. */
const workspace = useOwnWorkspace();
let client: TestClient;
let owner: Person;
beforeAll(async () => {
  client = await workspace.organization();
  owner = await personOf(workspace, client, 'owner');
});

async function must(by: Pick<TestClient, 'call'>, path: string, body?: object) {
  const answer = await by.call('POST', path, body === undefined ? {} : { body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body.data;
}

const isOpen = async (url: string) => (await browserOf(workspace).open(new URL(url).pathname)).status === 200;

/** A connection with a lake credential. */
async function connected(url: string): Promise<{ ended: Promise<void> }> {
  const connection = new pg.Client({ connectionString: url });
  const ended = new Promise<void>((resolve) => {
    connection.on('end', () => resolve());
  });
  connection.on('error', () => undefined);
  await connection.connect();
  onTestFinished(() => connection.end().catch(() => undefined));
  return { ended };
}

async function issuedBy(by: Pick<TestClient, 'call'>, name: string) {
  const member = await personOf(workspace, client, 'member');
  const credential = await must(by, '/v1/lake/credentials', { name });
  const invitation = await must(by, '/v1/invitations', { email: `${name}@example.com`, role: 'member' });
  const reset = await must(by, `/v1/members/${member.id}/password-reset`);
  return {
    urls: [invitation.url, reset.url] as string[],
    credential,
    told: [
      { type: 'lake_credential', id: credential.id, name },
      { type: 'invitation', id: invitation.id, name: `${name}@example.com` },
      { type: 'password_reset', id: expect.any(String), name: member.email },
    ],
  };
}

const endings = {
  removed: (person: Person) => owner.call('DELETE', `/v1/members/${person.id}`),
  'made a member': (person: Person) =>
    owner.call('PATCH', `/v1/members/${person.id}`, { body: { role: 'member' } }),
};

test.each(Object.entries(endings))('an administrator who is %s leaves nothing open', async (how, end) => {
  const admin = await personOf(workspace, client, 'admin');
  const issued = await issuedBy(admin, `by-${how.replaceAll(' ', '-')}`);
  const session = await connected(issued.credential.database.url);
  for (const url of issued.urls) expect(await isOpen(url)).toBe(true);
  const ended = await end(admin);
  expect(ended.status, ended.text).toBe(200);
  expect(ended.body.data.ended).toHaveLength(3);
  expect(ended.body.data.ended).toEqual(expect.arrayContaining(issued.told));
  for (const url of issued.urls) expect(await isOpen(url)).toBe(false);
  const shown = await client.call('GET', `/v1/lake/credentials/${issued.credential.id}`);
  expect(shown.body.data.status).toBe('revoked');
  await session.ended;
  await expect(connected(issued.credential.database.url)).rejects.toThrow();
});

test('clients with admin end when who issued them is no owner any more, with what they issued and run', async () => {
  const second = await personOf(workspace, client, 'owner');
  await openAccounts(workspace, [owner]);
  const scopes = ['agent:read', 'agent:write', 'tables:append'];
  const admin = await must(second, '/v1/auth/m2m/clients', { name: 'operator', scopes, admin: true });
  const plain = await must(second, '/v1/auth/m2m/clients', { name: 'loader', scopes });
  const own = await must(second, '/v1/lake/credentials', { name: 'own' });
  const byAdmin = await signedIn(admin);
  const byPlain = await signedIn(plain);
  const further = await issuedBy(byAdmin, 'by-client');
  const ended = await owner.call('PATCH', `/v1/members/${second.id}`, { body: { role: 'admin' } });
  expect(ended.status, ended.text).toBe(200);
  expect(ended.body.data).toMatchObject({ role: 'admin', paused: [] });
  expect(ended.body.data.ended).toHaveLength(4);
  expect(ended.body.data.ended).toEqual(
    expect.arrayContaining([{ type: 'api_client', id: admin.clientId, name: 'operator' }, ...further.told]),
  );
  expect((await byAdmin.call('GET', '/v1/me')).status).toBe(401);
  expect((await byPlain.call('GET', '/v1/me')).status).toBe(200);
  // An administrator may issue these.
  expect((await client.call('GET', `/v1/lake/credentials/${own.id}`)).body.data.status).toBe('active');
});

test('what a revoked client issued ends with it', async () => {
  const scopes = ['agent:read', 'agent:write', 'tables:append'];
  const admin = await must(owner, '/v1/auth/m2m/clients', { name: 'short-lived', scopes, admin: true });
  const by = await signedIn(admin);
  const issued = await issuedBy(by, 'by-revoked');
  expect((await owner.call('DELETE', `/v1/auth/m2m/clients/${admin.clientId}`)).status).toBe(200);
  for (const url of issued.urls) expect(await isOpen(url)).toBe(false);
  await eventually(
    () => client.call('GET', `/v1/lake/credentials/${issued.credential.id}`),
    ({ body }) => body.data.status === 'revoked',
  );
});

async function signedIn({ clientId, clientSecret }: { clientId: string; clientSecret: string }) {
  const text = new URLSearchParams({ client_id: clientId, client_secret: clientSecret }).toString();
  const { body } = await workspace.call('POST', '/v1/auth/m2m/token', {
    raw: { text, contentType: 'application/x-www-form-urlencoded' },
  });
  const call: TestClient['call'] = (method, path, options = {}) =>
    workspace.call(method, path, {
      ...options,
      headers: { ...options.headers, authorization: `Bearer ${body.access_token}` },
    });
  return { call };
}
