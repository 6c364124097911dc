import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { refreshOf } from '../../support/browser.ts';
import { claimsOf, refused, useProviderLab } from './provider-lab.ts';

const { workspace, client, run, newBrowser, goThrough, signIn, openLink, invited, idOf, member, shown } =
  useProviderLab();

test('the owner’s address makes an account of who signs in at the provider', async () => {
  const other = await workspace.organization();
  const path = `/owner/${other.ownerToken}`;
  const page = await newBrowser().open(path);
  expect(page.text).toContain('Become the owner');
  expect(page.text).not.toContain('type="password"');
  const { browser, answer } = await openLink(path, claimsOf('olga', { name: undefined as never }));
  expect([answer.status, refreshOf(answer)]).toEqual([200, '/sign-in']);
  expect(await shown(browser)).toContain('olga@example.com (olga@example.com)');
  expect((await newBrowser().open(path)).status).toBe(404);
  const { items } = (await other.call('GET', '/v1/members')).body;
  expect(items).toMatchObject([{ email: 'olga@example.com', role: 'owner' }]);
});

test('who was invited opens the account with the invited e-mail, in any case, and once', async () => {
  const path = await invited('Grace@Example.com', 'admin');
  expect((await newBrowser().open(path)).text).toContain('<strong>Grace@Example.com</strong>');
  for (const [change, words] of [
    [{ sub: 'mallory', email: 'mallory@example.com' }, 'invitation is for'],
    [{ email_verified: false }, 'has no verified email for you'],
  ] as const) {
    const { answer } = await openLink(path, claimsOf('grace', change));
    refused(answer, 403, words);
  }
  const two = [newBrowser(), newBrowser()];
  const callbacks: string[] = [];
  for (const browser of two) callbacks.push(await goThrough(browser, path, claimsOf('grace')));
  const answers = await Promise.all(two.map((browser, at) => browser.arrive(callbacks[at]!)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => [403, 404, 409].includes(status))).toHaveLength(1);
  const winner = two[answers.findIndex(({ status }) => status === 200)]!;
  expect(await shown(winner)).toContain('Name of grace (Grace@Example.com) of Bakery');
  expect((await newBrowser().open(path)).status).toBe(404);
  const { answer: again } = await openLink(await invited('grace.2@example.com'), {
    ...claimsOf('grace'),
    email: 'grace.2@example.com',
  });
  refused(again, 403, 'already a member of this organization');
});

test('a person is known by the subject, whatever the e-mail is by now; nobody else inherits the e-mail', async () => {
  const { claims } = await member('joan');
  const changed = { ...claims, email: 'joan.married@example.com', email_verified: false };
  const { browser, answer } = await signIn(changed);
  expect([answer.status, refreshOf(answer)]).toEqual([200, '/sign-in']);
  expect(await shown(browser)).toContain('Name of joan (joan@example.com)');
  const heir = await signIn({ ...claims, sub: 'another joan' });
  refused(heir.answer, 403, 'which has no account here');
});

test('an account with a password is found by the verified e-mail once, and by the subject from then on', async () => {
  const { id } = await member('pat');
  await run(
    `WITH account AS (
       UPDATE accounts a SET password_hash = 'x', proven_at = NULL FROM users u WHERE u.account_id = a.id AND u.id = $1
       RETURNING a.id)
     DELETE FROM account_subjects WHERE account_id IN (SELECT id FROM account)`,
    [id],
  );
  refused((await signIn(claimsOf('pat', { email_verified: false }))).answer, 403, 'Verify your email');
  const first = await Promise.all([
    signIn(claimsOf('pat')),
    signIn(claimsOf('pat', { email: 'PAT@example.com' })),
  ]);
  expect(first.map(({ answer }) => answer.status)).toEqual([200, 200]);
  // Nobody had shown that the address is theirs: whoever set the password may be somebody else.
  const { rows } = await run('SELECT password_hash, proven_at FROM accounts WHERE lower(email) = $1', [
    'pat@example.com',
  ]);
  expect(rows).toEqual([{ password_hash: null, proven_at: expect.any(Date) }]);
  refused((await signIn(claimsOf('pat', { sub: 'pat again' }))).answer, 403, 'which has no account here');
  // After a change of the provider, the e-mail counts once more.
  await run(
    `UPDATE account_subjects SET issuer = 'https://before.example.com'
     WHERE account_id = (SELECT account_id FROM users WHERE id = $1)`,
    [id],
  );
  const { browser, answer } = await signIn(claimsOf('pat', { sub: 'pat at the new one' }));
  expect(answer.status).toBe(200);
  expect(await shown(browser)).toContain('Name of pat');
});

test('a person of two organizations has one account at the provider, and chooses at sign-in', async () => {
  const { claims, browser } = await member('vera');
  const other = await workspace.organization('Mill');
  const { answer } = await openLink(await invited('vera@example.com', 'admin', other), claims);
  expect(answer.status, answer.text).toBe(200);
  const again = await signIn(claims);
  expect(refreshOf(again.answer)).toBe('/sign-in/organization?next=%2Fsign-in');
  const choice = await again.browser.open(refreshOf(again.answer)!);
  expect(choice.text).toContain('Bakery');
  await again.browser.submit({ organization_id: client().organizationId });
  expect(await shown(again.browser)).toContain('of Bakery');
  // The session from before is of another browser.
  expect(await shown(browser)).toContain('of Bakery');
});

test('accounts that others opened for an address become the account of whoever proves it', async () => {
  const claims = claimsOf('wilma');
  const [mill, shop] = [await workspace.organization('Mill'), await workspace.organization('Shop')];
  const { browser } = await openLink(await invited('wilma@example.com', 'member', mill), claims);
  // As if it had been opened with a password, by whoever had the address of the invitation.
  await run('DELETE FROM account_subjects WHERE account_id = (SELECT account_id FROM users WHERE id = $1)', [
    await idOf('wilma@example.com'),
  ]);
  await run("UPDATE accounts SET proven_at = NULL, password_hash = 'x' WHERE email = 'wilma@example.com'");
  expect(await shown(browser)).toContain('of Mill');
  const { answer } = await openLink(await invited('wilma@example.com', 'member', shop), claims);
  expect(answer.status, answer.text).toBe(200);
  expect(await shown(browser)).toContain('Sign in with');
  const { rows } = await run(
    `SELECT a.password_hash, count(*) AS members FROM accounts a JOIN users u ON u.account_id = a.id
     WHERE a.email = 'wilma@example.com' GROUP BY a.id`,
  );
  expect(rows).toEqual([{ password_hash: null, members: 2 }]);
});

test('an e-mail that is not verified, is missing or is nobody’s signs nobody in, and makes nobody', async () => {
  const people = async () => (await run('SELECT count(*) FROM users')).rows[0].count;
  const before = await people();
  const stranger = claimsOf('stranger');
  refused((await signIn(stranger)).answer, 403, 'Example &amp; Sons signed you in as stranger@example.com');
  refused((await signIn({ ...stranger, email_verified: false })).answer, 403, 'Verify your email there');
  refused((await signIn({ sub: 'nameless' })).answer, 403, 'Verify your email there');
  // The owner who has not opened the owner’s address yet is nobody.
  await run("UPDATE users SET email = 'boss@example.com' WHERE email = 'owner@localhost'");
  refused((await signIn(claimsOf('boss'))).answer, 403, 'which has no account here');
  // Nor is who was invited, and has not opened the invitation.
  await invited('guest@example.com');
  refused((await signIn(claimsOf('guest'))).answer, 403, 'open the link of the invitation');
  expect(await people()).toBe(before);
});

test('who was removed is out, and may be invited again as another person', async () => {
  const { claims, browser, id } = await member('rita');
  // One more sign-in is under way.
  const late = newBrowser();
  const callback = await goThrough(late, '/sign-in', claims);
  expect((await client().call('DELETE', `/v1/members/${id}`)).status).toBe(200);
  expect(await shown(browser)).toContain('Sign in with');
  refused(await late.arrive(callback), 403, 'which has no account here');
  refused((await signIn(claims)).answer, 403, 'which has no account here');
  const { answer } = await openLink(await invited(claims.email!), claims);
  expect(answer.status, answer.text).toBe(200);
  expect(await idOf(claims.email!)).not.toBe(id);
});

test('an owner without a password counts as one who can sign in, and the last one stays', async () => {
  const other = await workspace.organization();
  await openLink(`/owner/${other.ownerToken}`, claimsOf('first owner', { email: 'first@example.com' }));
  const second = await member('second', 'admin', other);
  await run("UPDATE users SET role = 'owner' WHERE id = $1", [second.id]);
  const first = await idOf('first@example.com');
  const token = `wat_${randomBytes(32).toString('base64url')}`;
  await run(
    `INSERT INTO access_tokens (organization_id, id, token_hash, user_id, scopes, expires_at)
     VALUES ($1, 'tok_1', $2, $3, '{agent:read,agent:write}', now() + interval '1 hour')`,
    [other.organizationId, createHash('sha256').update(token).digest(), second.id],
  );
  const call = (method: 'PATCH' | 'DELETE', id: string, body?: object) =>
    workspace.call(method, `/v1/members/${id}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body }),
    });
  expect((await call('DELETE', first)).status).toBe(200);
  for (const last of [await call('PATCH', second.id, { role: 'member' }), await call('DELETE', second.id)])
    expect([last.status, last.body.code]).toEqual([409, 'conflict']);
});

test('there are no new passwords where there are none', async () => {
  const { id } = await member('nora');
  const answer = await client().call('POST', `/v1/members/${id}/password-reset`);
  expect([answer.status, answer.body.code]).toEqual([409, 'conflict']);
  expect((await newBrowser().open('/password/wal_unknown')).status).toBe(404);
});
