import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type Browser, browserOf } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { type Answer, type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const contentType = 'application/x-www-form-urlencoded';
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const redirectUri = 'http://127.0.0.1:49152/callback';

let client: TestClient;
let browser: Browser;

beforeAll(async () => {
  client = await workspace.organization();
});

beforeEach(async () => {
  const email = `${randomBytes(8).toString('hex')}@example.com`;
  const sent = await client.call('POST', '/v1/invitations', { body: { email, role: 'member' } });
  const path = new URL(sent.body.data.url).pathname;
  browser = browserOf(workspace);
  await browser.open(path);
  expect((await browser.post(path, { name: 'Grace', password: 'correct horse battery' })).status).toBe(303);
});

const form = (path: string, fields: Record<string, string>) =>
  workspace.call('POST', path, { raw: { text: new URLSearchParams(fields).toString(), contentType } });

async function approvedDevice(): Promise<() => Promise<Answer>> {
  const { device_code, user_code } = (await form('/v1/auth/device/code', { client_id: 'cli' })).body;
  await browser.open(`/device?user_code=${user_code}`);
  expect((await browser.post('/device', { decision: 'approve' })).status).toBe(200);
  return () => form('/v1/auth/device/token', { grant_type: deviceGrant, device_code, client_id: 'cli' });
}

async function approvedCode(): Promise<() => Promise<Answer>> {
  const verifier = randomBytes(32).toString('base64url');
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: 'cli',
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  await browser.open(`/v1/auth/authorize?${asked}`);
  const { location } = await browser.post('/v1/auth/authorize', { decision: 'approve' });
  const code = new URL(location!).searchParams.get('code')!;
  return () =>
    form('/v1/auth/token', {
      grant_type: 'authorization_code',
      client_id: 'cli',
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    });
}

async function begunLogin(): Promise<() => Promise<Answer>> {
  const { refresh_token } = (await (await approvedDevice())()).body;
  return () => form('/v1/auth/token', { grant_type: 'refresh_token', refresh_token });
}

/** What the removal of a person does in its transaction, with tokens asked for in the middle of it. */
async function askedDuringRemoval(ask: () => Promise<Answer>): Promise<Answer> {
  const { catalogPool } = workspace.deps.lake;
  const removal = await catalogPool.connect();
  try {
    await removal.query('BEGIN');
    const { rows } = await removal.query(
      "SELECT id FROM users WHERE name = 'Grace' ORDER BY id DESC LIMIT 1",
    );
    const ofPerson = [rows[0].id];
    await removal.query('SELECT FROM users WHERE id = $1 FOR UPDATE', ofPerson);
    const answer = ask();
    await eventually(
      async () =>
        (
          await catalogPool.query(
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
          )
        ).rowCount,
      (waiting) => waiting === 1,
    );
    await removal.query('UPDATE logins SET ended_at = now() WHERE user_id = $1', ofPerson);
    await removal.query('UPDATE authorization_codes SET used_at = now() WHERE user_id = $1', ofPerson);
    await removal.query("UPDATE device_logins SET status = 'redeemed' WHERE user_id = $1", ofPerson);
    await removal.query('COMMIT');
    return await answer;
  } finally {
    removal.release();
  }
}

// With the locks in another order, PostgreSQL would end one of the two.
test.each([
  ['a refresh', begunLogin],
  ['a code', approvedCode],
  ['a device code', approvedDevice],
])('%s waits for the removal of its person, and then gives nothing', async (_, begin) => {
  const answer = await askedDuringRemoval(await begin());
  expect([answer.status, answer.body.error], answer.text).toEqual([400, 'invalid_grant']);
});
