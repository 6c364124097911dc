import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCipher } from '../../../../data/encryption.ts';
import { ValidationError } from '../../../../data/errors.ts';
import { createRedaction } from '../../../../data/outgoing/redaction.ts';
import {
  type AppSecrets,
  changedSecrets,
  openSecrets,
  refuseRedirectedSecrets,
  type SecretsChange,
  sealSecrets,
} from '../../../../domain/analyst/app-connections/secrets.ts';

const oauth = { client_id: 'id', client_secret: 'secret', token_url: 'https://login.example.com/token' };

function placesOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ValidationError) return error.faults.map(({ loc }) => loc.join('.'));
    throw error;
  }
  return [];
}

test('what is sealed is read back, and not to be read without the key', () => {
  const cipher = createCipher(`k1:${randomBytes(32).toString('base64')}`);
  const secrets: AppSecrets = { token: 'a-very-secret-token', headers: { 'x-key': 'another-secret' } };
  const sealed = sealSecrets(cipher, secrets);
  expect(sealed.secret_keys).toEqual(['headers.x-key', 'token']);
  expect(sealed.sealed_secrets.includes('secret')).toBe(false);
  expect(openSecrets(cipher, sealed.sealed_secrets)).toEqual(secrets);
});

test('a change is merged key by key, headers by name, and null removes', () => {
  const before: AppSecrets = { token: 't', headers: { a: '1', b: '2' } };
  expect(changedSecrets(before, {})).toEqual(before);
  expect(changedSecrets(before, { headers: { B: null, C: '3' } })).toEqual({
    token: 't',
    headers: { a: '1', c: '3' },
  });
  expect(changedSecrets(before, { token: null, headers: null })).toEqual({});
  expect(changedSecrets(before, { token: null, ...oauth })).toEqual({ headers: before.headers, ...oauth });
});

test('what does not hold together is refused at its place', () => {
  const cases: [SecretsChange, string[]][] = [
    [{ client_id: 'id' }, ['body.secrets.client_secret', 'body.secrets.token_url']],
    [{ token: 'two\nlines' }, ['body.secrets.token']],
    [{ token: ' padded' }, ['body.secrets.token']],
    [{ scope: 'all' }, ['body.secrets.client_id', 'body.secrets.client_secret', 'body.secrets.token_url']],
    [{ ...oauth, token_url: 'ftp://x' }, ['body.secrets.token_url']],
    [{ ...oauth, token_url: 'https://u:p@x' }, ['body.secrets.token_url']],
    [{ ...oauth, token: 't' }, ['body.secrets']],
    [{ token: 't', headers: { Authorization: 'Basic x' } }, ['body.secrets']],
    [{ headers: { 'bad name': 'x' } }, ['body.secrets.headers.bad name']],
    [{ headers: { a: 'line\r\nend' } }, ['body.secrets.headers.a']],
    [{ headers: { a: ' padded' } }, ['body.secrets.headers.a']],
    [{ headers: { a: 'ü' } }, ['body.secrets.headers.a']],
    [
      { headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`h${n}`, 'x'])) },
      ['body.secrets.headers'],
    ],
  ];
  for (const [change, places] of cases)
    expect(
      placesOf(() => changedSecrets({}, change)),
      JSON.stringify(change),
    ).toEqual(places);
  for (const name of [
    'Host',
    'connection',
    'Transfer-Encoding',
    'content-length',
    'mcp-session-id',
    'Proxy-Authorization',
  ])
    expect(
      placesOf(() => changedSecrets({}, { headers: { [name]: 'x' } })),
      name,
    ).toHaveLength(1);
  expect(changedSecrets({}, { headers: { Authorization: 'Basic eA==' } })).toEqual({
    headers: { authorization: 'Basic eA==' },
  });
});

test('secrets do not follow a connection to another origin unless they are given again', () => {
  const places = (before: AppSecrets, url: string, change: SecretsChange) => {
    const secrets = changedSecrets(before, change);
    const given = { url: 'https://a.example/mcp', isChecked: true, secrets: before };
    return placesOf(() => refuseRedirectedSecrets(given, { url, isChecked: true, secrets }, change));
  };
  const before: AppSecrets = { token: 't', headers: { 'x-key': 'k' } };
  expect(places(before, 'https://a.example/other', {})).toEqual([]);
  expect(places(before, 'https://evil.example/mcp', {})).toEqual([
    'body.secrets.token',
    'body.secrets.headers.x-key',
  ]);
  expect(places(before, 'http://a.example/mcp', { token: 'new' })).toEqual(['body.secrets.headers.x-key']);
  expect(places(before, 'https://evil.example/mcp', { token: 'new', headers: { 'X-Key': null } })).toEqual(
    [],
  );
  expect(places(oauth, 'https://a.example/mcp', { token_url: 'https://evil.example/token' })).toEqual([
    'body.secrets.client_secret',
  ]);
  expect(places(oauth, 'https://a.example/mcp', { ...oauth, token_url: 'https://b.example/token' })).toEqual(
    [],
  );
});

test('what a server says is shown without secrets, also within values', () => {
  const redaction = createRedaction(['pass"word\\1', 'abc']);
  redaction.add('an-access-token');
  expect(redaction.text('pass"word\\1, abc, an-access-token')).toBe('[secret], abc, [secret]');
  expect(redaction.value({ 'pass"word\\1': ['an-access-token!', 1, null] })).toEqual({
    '[secret]': ['[secret]!', 1, null],
  });
});
