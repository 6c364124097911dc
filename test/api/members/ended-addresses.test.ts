import { beforeAll, expect, test } from 'vitest';
import { approvedCode, approvedDevice } from '../../support/approvals.ts';
import { browserOf } from '../../support/browser.ts';
import { openAccounts, personOf } from '../../support/people.ts';
import { type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace();
const password = 'correct horse battery';

let client: TestClient;

beforeAll(async () => {
  client = await workspace.organization();
});

const pathOf = (url: string) => new URL(url).pathname;
const open = (url: string) => browserOf(workspace).open(pathOf(url));

async function invited(by: Pick<TestClient, 'call'>, email: string, role = 'member'): Promise<string> {
  const sent = await by.call('POST', '/v1/invitations', { body: { email, role } });
  expect(sent.status, sent.text).toBe(201);
  return sent.body.data.url;
}

async function joined(email: string) {
  const browser = browserOf(workspace);
  const path = pathOf(await invited(client, email));
  await browser.open(path);
  expect((await browser.post(path, { name: 'Grace', password })).status).toBe(303);
  const { items } = (await client.call('GET', '/v1/members')).body;
  const { id } = items.find((member: { email: string }) => member.email === email);
  return { browser, id: id as string };
}

async function resetOf(by: Pick<TestClient, 'call'>, id: string): Promise<string> {
  const reset = await by.call('POST', `/v1/members/${id}/password-reset`);
  expect(reset.status, reset.text).toBe(200);
  return reset.body.data.url;
}

test('an address for a new password ends when the person gets another role', async () => {
  const [owner, admin] = [
    await personOf(workspace, client, 'owner'),
    await personOf(workspace, client, 'admin'),
  ];
  const { id } = await joined('promoted@example.com');
  const url = await resetOf(admin, id);
  expect((await open(url)).status).toBe(200);
  await owner.call('PATCH', `/v1/members/${id}`, { body: { role: 'owner' } });
  expect((await open(url)).status).toBe(404);
});

test('addresses end with whoever made them: removed, made a member, or a client revoked', async () => {
  const owner = await personOf(workspace, client, 'owner');
  const { id } = await joined('victim@example.com');
  const endings = [
    (maker: { id: string }) => owner.call('DELETE', `/v1/members/${maker.id}`),
    (maker: { id: string }) => owner.call('PATCH', `/v1/members/${maker.id}`, { body: { role: 'member' } }),
  ];
  for (const [index, end] of endings.entries()) {
    const admin = await personOf(workspace, client, 'admin');
    const urls = [await invited(admin, `back${index}@example.com`, 'admin'), await resetOf(admin, id)];
    for (const url of urls) expect((await open(url)).status).toBe(200);
    expect((await end(admin)).status).toBe(200);
    for (const url of urls) expect((await open(url)).status, url).toBe(404);
  }
});

test('an owner who becomes an administrator no longer has addresses for new passwords of owners', async () => {
  const [ada, joan] = [
    await personOf(workspace, client, 'owner'),
    await personOf(workspace, client, 'owner'),
  ];
  const { id } = await joined('member@example.com');
  const ofOwner = await resetOf(joan, ada.id);
  const others = [await resetOf(joan, id), await invited(joan, 'newcomer@example.com')];
  expect((await open(ofOwner)).status).toBe(200);
  await openAccounts(workspace, [ada]);
  const change = await ada.call('PATCH', `/v1/members/${joan.id}`, { body: { role: 'admin' } });
  expect(change.status, change.text).toBe(200);
  expect((await open(ofOwner)).status).toBe(404);
  for (const url of others) expect((await open(url)).status).toBe(200);
});

test('a new password also ends what was approved and not yet redeemed', async () => {
  const { browser, id } = await joined('reset@example.com');
  const redeemDevice = await approvedDevice(workspace, browser);
  const redeemCode = await approvedCode(workspace, browser);
  const path = pathOf(await resetOf(client, id));
  const fresh = browserOf(workspace);
  await fresh.open(path);
  expect((await fresh.post(path, { password: 'another good password' })).status).toBe(303);
  expect((await redeemDevice()).body.error).toBe('invalid_grant');
  expect((await redeemCode()).body.error).toBe('invalid_grant');
});

test('of two owners who demote each other at once one stays an owner', async () => {
  const other = await workspace.organization();
  const owners = [await personOf(workspace, other, 'owner'), await personOf(workspace, other, 'owner')];
  await personOf(workspace, other, 'owner');
  await openAccounts(workspace, owners);
  const [ada, joan] = owners as [(typeof owners)[0], (typeof owners)[0]];
  const demote = (by: typeof ada, whom: typeof ada) =>
    by.call('PATCH', `/v1/members/${whom.id}`, { body: { role: 'member' } });
  const answers = await Promise.all([demote(ada, joan), demote(joan, ada)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
});
