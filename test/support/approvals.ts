import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Browser } from './browser.ts';
import type { Answer, Workspace } from './workspace.ts';

const redirectUri = 'http://127.0.0.1:49152/callback';
const contentType = 'application/x-www-form-urlencoded';

type Caller = Pick<Workspace, 'call'>;

/** Sends the fields of a form without a caller's token. */
export const sendForm = (workspace: Caller, path: string, fields: Record<string, string>): Promise<Answer> =>
  workspace.call('POST', path, { raw: { text: new URLSearchParams(fields).toString(), contentType } });

/** The person of the browser approves the command line on its device; redeems that. */
export async function approvedDevice(workspace: Caller, browser: Browser): Promise<() => Promise<Answer>> {
  const { body } = await sendForm(workspace, '/v1/auth/device/code', { client_id: 'cli' });
  const { device_code, user_code } = body;
  await browser.open(`/device?user_code=${user_code}`);
  expect((await browser.post('/device', { decision: 'approve' })).status).toBe(200);
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  return () => sendForm(workspace, '/v1/auth/device/token', { grant_type, device_code, client_id: 'cli' });
}

/** The person of the browser gives the command line an authorization code; redeems it. */
export async function approvedCode(workspace: Caller, browser: Browser): Promise<() => Promise<Answer>> {
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
    sendForm(workspace, '/v1/auth/token', {
      grant_type: 'authorization_code',
      client_id: 'cli',
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    });
}
