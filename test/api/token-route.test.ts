import { expect, test } from 'vitest';
import { newId } from '../../data/ids.ts';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
const contentType = 'application/x-www-form-urlencoded';

const exchange = (text: string, headers: Record<string, string> = {}) =>
  workspace.call('POST', '/v1/auth/m2m/token', { raw: { text, contentType }, headers });
const credentials = (id: string, secret: string) => `client_id=${id}&client_secret=${secret}`;
const from = (address: string) => ({ 'x-forwarded-for': address });

test('a parameter that is repeated, known or not, is refused as RFC 6749 asks', async () => {
  const { clientId, clientSecret } = await workspace.organization();
  const right = credentials(clientId, clientSecret);
  expect((await exchange(`${right}&foo=1`)).status).toBe(200);
  for (const repeated of ['scope=agent:read&scope=agent:read', `client_id=${clientId}`, 'foo=1&foo=2']) {
    const answer = await exchange(`${right}&${repeated}`);
    expect([answer.status, answer.body.code, answer.body.error], repeated).toEqual([
      400,
      'invalid_request',
      'invalid_request',
    ]);
  }
});

test('credentials come once: as HTTP Basic or in the form', async () => {
  const { clientId, clientSecret } = await workspace.organization();
  const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  expect((await exchange('', { authorization })).status).toBe(200);
  expect((await exchange(`client_id=${clientId}`, { authorization })).status).toBe(200);
  for (const form of [
    credentials(clientId, clientSecret),
    'client_id=other',
    `client_secret=${clientSecret}`,
  ]) {
    const answer = await exchange(form, { authorization });
    expect([answer.status, answer.body.error], form).toEqual([400, 'invalid_request']);
  }
});

test('the one grant may be left out or empty, any other is not supported', async () => {
  const { clientId, clientSecret } = await workspace.organization();
  const right = credentials(clientId, clientSecret);
  for (const grant of ['', '&grant_type=', '&grant_type=client_credentials'])
    expect((await exchange(`${right}${grant}`)).status, grant).toBe(200);
  for (const grant of ['password', 'Client_Credentials', '%00']) {
    const answer = await exchange(`${right}&grant_type=${grant}`);
    expect([answer.status, answer.body.error], grant).toEqual([400, 'unsupported_grant_type']);
  }
});

test('a client id that cannot be one is as wrong as an unknown one', async () => {
  for (const id of ['', '%00', 'x'.repeat(10_000), newId('cli')]) {
    const answer = await exchange(credentials(id, 'wcs_wrong'), from('203.0.113.1'));
    expect([answer.status, answer.body.error], id).toEqual([401, 'invalid_client']);
  }
});

test('wrong secrets are throttled by address, for known and unknown clients alike', async () => {
  const { clientId, clientSecret } = await workspace.organization();
  for (const [address, idOf] of [
    ['203.0.113.2', () => clientId],
    ['203.0.113.3', () => newId('cli')],
  ] as const) {
    const answers = [];
    for (let index = 0; index < 20; index += 1)
      answers.push(await exchange(credentials(idOf(), `wcs_${index}`), from(address)));
    const seen = answers.map(({ status, body }) => `${status} ${body.code}`);
    expect(seen.slice(0, 10), address).toEqual(Array(10).fill('401 invalid_client'));
    expect(seen, address).toContain('429 rate_limited');
    const refused = answers.find(({ status }) => status === 429)!;
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.body.error).toBe('temporarily_unavailable');
  }
  expect((await exchange(credentials(clientId, clientSecret), from('203.0.113.4'))).status).toBe(200);
});

test('wrong secrets are throttled by client, and its right one still works', async () => {
  const { clientId, clientSecret } = await workspace.organization();
  const wrong = (index: number) => exchange(credentials(clientId, 'wcs_no'), from(`203.0.114.${index}`));
  const answers = [];
  for (let index = 0; index < 20; index += 1) answers.push((await wrong(index)).status);
  expect(answers.slice(0, 10)).toEqual(Array(10).fill(401));
  expect(answers).toContain(429);
  expect((await exchange(credentials(clientId, clientSecret), from('203.0.114.99'))).status).toBe(200);
});

test('an address that goes on is not looked up any more, with right credentials either', async () => {
  const { clientId, clientSecret } = await workspace.organization();
  const right = credentials(clientId, clientSecret);
  for (let index = 0; index < 50; index += 1)
    await exchange(credentials(newId('cli'), 'wcs_no'), from('203.0.113.9'));
  expect((await exchange(right, from('203.0.113.9'))).status).toBe(200);
  for (let index = 0; index < 200; index += 1)
    await exchange(credentials(newId('cli'), 'wcs_no'), from('203.0.113.9'));
  expect((await exchange(right, from('203.0.113.9'))).status).toBe(429);
  expect((await exchange(right, from('203.0.113.10'))).status).toBe(200);
});
