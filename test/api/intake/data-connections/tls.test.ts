import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useSourceDatabase } from '../../../support/source-database.ts';
import { startTlsFront, type TlsFront } from '../../../support/tls-front.ts';
import { useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace({}, () => ({ ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8, ::1' }));
const source = useSourceDatabase();

/** Needed by the tests to create a certificate, not by the service. */
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!hasOpenssl)('TLS of a database (skipped where the machine has no openssl)', () => {
  let front: TlsFront;
  beforeAll(async () => {
    front = await startTlsFront(source.config.port);
  });
  afterAll(() => front?.close());

  test('is used where it is required, and one whose certificate nobody signed is refused where it is verified', async () => {
    const client = await workspace.organization();
    const at = await source.connect(client, {
      config: { ...source.config, port: front.port, ssl_mode: 'require' },
    });
    const required = await client.call('POST', `${at}/test`);
    expect(required.body.data, required.text).toMatchObject({ ok: true, failure: null });
    expect(front.secured()).toBe(1);
    const secrets = { password: source.password };
    for (const host of ['127.0.0.1', 'localhost']) {
      await client.call('PATCH', at, { body: { config: { ssl_mode: 'verify_full', host }, secrets } });
      const verified = await client.call('POST', `${at}/test`);
      expect(verified.body.data, host).toMatchObject({ ok: false, failure: { stage: 'tls' } });
    }
    await client.call('PATCH', at, {
      body: { config: { ssl_mode: 'disable', host: '127.0.0.1' }, secrets },
    });
    const plain = await client.call('POST', `${at}/test`);
    expect(plain.body.data.failure.stage).toBe('connect');
  });
});
