import { randomBytes } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { approvedCode, approvedDevice, sendForm } from '../../support/approvals.ts';
import { type Browser, browserOf } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { type Answer, type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

const workspace = useOwnWorkspace();

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

async function begunLogin(): Promise<() => Promise<Answer>> {
  const redeem = await approvedDevice(workspace, browser);
  const { refresh_token } = (await redeem()).body;
  return () => sendForm(workspace, '/v1/auth/token', { grant_type: 'refresh_token', refresh_token });
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
  ['a code', () => approvedCode(workspace, browser)],
  ['a device code', () => approvedDevice(workspace, browser)],
])('%s waits for the removal of its person, and then gives nothing', async (_, begin) => {
  const answer = await askedDuringRemoval(await begin());
  expect([answer.status, answer.body.error], answer.text).toEqual([400, 'invalid_grant']);
});
