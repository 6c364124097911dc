import { expect, test } from 'vitest';
import { sign, verify } from '../../../data/webhooks/signature.ts';

const body = Buffer.from('{"a": "ä"}');
const nowMs = 1_795_000_000_000;
const timestamp = String(nowMs / 1_000);
const signed = {
  secrets: ['whsec_one'],
  timestamp,
  signature: sign('whsec_one', timestamp, body),
  body,
  nowMs,
  toleranceMs: 300_000,
};

test('the signature is that of openssl', () => {
  // printf '%s.%s' 1795000000 '{"a": "ä"}' | openssl dgst -sha256 -hmac whsec_one -hex
  expect(signed.signature).toBe('v1=93e9b76302c1bf38ff92d9612177b4cea5c18db11d511f36a422f6ce86371ec4');
});

test('what any of the secrets has signed in time is taken', () => {
  expect(verify(signed)).toBe(true);
  expect(verify({ ...signed, secrets: ['whsec_two', 'whsec_one'] })).toBe(true);
  expect(verify({ ...signed, nowMs: nowMs + 300_000 })).toBe(true);
  expect(verify({ ...signed, nowMs: nowMs - 300_000 })).toBe(true);
});

test.each([
  ['another secret', { secrets: ['whsec_two'] }],
  ['no secret', { secrets: [] }],
  ['another body', { body: Buffer.from('{"a": "a"}') }],
  ['another time', { timestamp: String(nowMs / 1_000 + 1) }],
  ['a signature of another length', { signature: 'v1=00' }],
  ['no signature', { signature: '' }],
  ['a signature without its version', { signature: signed.signature.slice(3) }],
  ['a call that is late', { nowMs: nowMs + 300_001 }],
  ['a call that is early', { nowMs: nowMs - 300_001 }],
])('%s is refused', (_what, change) => {
  expect(verify({ ...signed, ...change })).toBe(false);
});

test.each(['', 'now', '1e9', '-1', '1795000000.0', ' 1795000000', '0x6afd4ac0'])(
  'a time written as %j is refused, whoever signed it',
  (written) => {
    const signature = sign('whsec_one', written, body);
    expect(verify({ ...signed, timestamp: written, signature, toleranceMs: Number.MAX_VALUE })).toBe(false);
  },
);
