import { describe, expect, test } from 'vitest';
import { attachStatements } from '../../../data/lake/attach.ts';
import { addressOf, catalogSecret } from '../../../data/lake/catalog-address.ts';
import { createLocalEngine } from '../../../data/lake/engine/local.ts';
import { attachLake, openBlankEngine } from '../../../domain/tables/query/process/engine.ts';
import { testStores } from '../../support/stores.ts';

const host = 'postgres://owner:p%40ss@db.example:6432/work%20space';

describe('the TLS that a connection URL asks for', () => {
  test.each([
    ['', {}],
    ['?sslmode=disable', { sslmode: 'disable' }],
    ['?sslmode=require', { sslmode: 'require' }],
    ['?sslmode=no-verify', { sslmode: 'require' }],
    ['?sslmode=verify-full', { sslmode: 'verify-full', sslrootcert: 'system' }],
    ['?sslmode=verify-ca', { sslmode: 'verify-full', sslrootcert: 'system' }],
    ['?ssl=true', { sslmode: 'verify-full', sslrootcert: 'system' }],
    ['?sslmode=verify-ca&sslrootcert=/etc/ca.pem', { sslmode: 'verify-ca', sslrootcert: '/etc/ca.pem' }],
    [
      '?sslmode=require&sslcert=/a.crt&sslkey=/a.key&application_name=x',
      { sslmode: 'require', sslcert: '/a.crt', sslkey: '/a.key' },
    ],
  ])('%j', (query, tls) => {
    expect(addressOf(host + query)).toEqual({
      host: 'db.example',
      port: 6432,
      database: 'work space',
      user: 'owner',
      password: 'p@ss',
      tls,
    });
  });
});

test('goes into the statements that attach a lake', () => {
  const catalog = {
    ...addressOf(`${host}?sslmode=verify-ca&sslrootcert=/etc/it's.pem`),
    schema: 'lak_1',
  };
  const location = { organizationId: 'org_1', catalog, dataPath: 's3://bucket/lakes/lak_1/' };
  const secret = catalogSecret('lak_1_catalog', catalog);
  expect(secret).toContain("PASSWORD 'p@ss', SSLMODE 'verify-ca', SSLROOTCERT '/etc/it''s.pem')");
  expect(attachStatements(location, 'lak_1', '')).toContain(secret);
});

describe('a lake whose server does not speak TLS is refused where TLS is asked for', () => {
  const { databaseUrl, extensionDir, objectStore } = testStores();
  const workDir = process.env['WORK_DIR'] ?? '/tmp/catalog-address-test';
  const catalog = { ...addressOf(`${databaseUrl}?sslmode=require`), schema: 'lak_none' };
  const location = { organizationId: 'org_1', catalog, dataPath: `s3://${objectStore.bucket}/none/` };
  const refusal = /server does not support SSL/;

  test('by an engine that writes', async () => {
    const settings = { extensionDir, objectStore, workDir, memoryLimitBytes: 300_000_000, threads: 1 };
    const engine = await createLocalEngine(settings);
    await expect(engine.open(location)).rejects.toThrow(refusal);
    engine.close();
  });

  test('by an engine of queries', async () => {
    const settings = {
      extensionDir,
      objectStore,
      installDir: workDir,
      tempDir: workDir,
      tempLimitBytes: 1_000_000,
      memoryLimitBytes: 300_000_000,
      threads: 1,
      maxAnswerBytes: 1_000_000,
    };
    const engine = await openBlankEngine(settings);
    await expect(attachLake(engine, settings, location)).rejects.toThrow(refusal);
    engine.close();
  });
});
