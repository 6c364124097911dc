import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createCipher } from '../../data/encryption.ts';
import { createObjectKeys } from '../../data/objects/access-keys.ts';
import { becomeService } from '../../data/postgres/session.ts';
import { refuseOldServer } from '../../migrations/migrate.ts';
import { compareClock } from '../../service/doctor/clock.ts';
import { examineEngine, examineWorkDir } from '../../service/doctor/machine.ts';
import { examinePostgres, serverVersion } from '../../service/doctor/postgres.ts';
import { examineObjectStore, examineTemporal } from '../../service/doctor/stores.ts';
import { readWorkerConfig } from '../../worker/config.ts';
import { testStores } from '../support/stores.ts';
import { useWorkspace } from '../support/workspace.ts';

const workspace = useWorkspace();
const { objectStore } = testStores();
const config = () =>
  readWorkerConfig({
    ...process.env,
    DATABASE_URL: workspace.databaseUrl,
    TEMPORAL_NAMESPACE: workspace.temporal.options.namespace,
  });
const cipher = () => createCipher(config().encryptionKeys);

beforeAll(async () => {
  const client = await workspace.organization();
  const made = await client.call('POST', '/v1/grid/tables', {
    body: { name: 'kept', kind: 'data', columns: [] },
  });
  expect(made.status, made.text).toBe(201);
});

/** A program of the service with this environment, until it ends by itself. */
async function ended(path: string, environment: NodeJS.ProcessEnv) {
  const script = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const env = {
    ...process.env,
    DATABASE_URL: workspace.databaseUrl,
    TEMPORAL_NAMESPACE: workspace.temporal.options.namespace,
    ...environment,
  };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], { env });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

const failureIn = <T extends { state: string }>(findings: readonly T[]): T | undefined =>
  findings.find(({ state }) => state === 'failed');

test('the command finds nothing wrong where the service runs', async () => {
  const { code, out } = await ended('local/doctor.ts', {});
  expect(code, out).toBe(0);
  expect(out).toMatch(/^ok {7}Settings: /);
  for (const check of [
    'PostgreSQL',
    'Schema',
    'Rights',
    'Sessions',
    'Clock of PostgreSQL',
    'Encryption keys',
  ])
    expect(out).toContain(`\nok       ${check}: `);
  for (const check of [
    'Object store',
    'Lake keys',
    'Temporal',
    'Search attributes',
    'Clock of Temporal',
    'Engine',
  ])
    expect(out).toContain(`\nok       ${check}: `);
  expect(out).toMatch(/\n\d+ checks: 0 failed, \d warnings?\.\n$/);
});

test('1. an address without a scheme is named with its variable', async () => {
  const { code, out } = await ended('local/doctor.ts', {
    DATABASE_URL: 'db.example.com:5432/workspace',
    S3_ENDPOINT: 'store.example.com:9000',
    TEMPORAL_ADDRESS: 'http://temporal.example.com:7233',
  });
  expect(code).toBe(1);
  expect(out).toContain('It must be postgresql://user:password@host:port/database.\n  → at DATABASE_URL');
  expect(out).toContain('It must be a URL such as https://s3.example.com.\n  → at S3_ENDPOINT');
  expect(out).toContain('It must be host:port, without a scheme.\n  → at TEMPORAL_ADDRESS');
});

test('2. a wrong password', async () => {
  const url = new URL(workspace.databaseUrl);
  url.password = 'wrong';
  const findings = await examinePostgres(url.href, cipher());
  expect(findings).toMatchObject([
    { check: 'PostgreSQL', state: 'failed', todo: 'Correct the user and password in DATABASE_URL.' },
  ]);
  expect(findings[0]!.found).toContain('password authentication failed');
});

test('3. a wrong key of the object store', async () => {
  const finding = await examineObjectStore({ ...objectStore, secretAccessKey: 'wrong' });
  expect(finding).toMatchObject({ state: 'failed' });
  expect(finding.found).toMatch(/SignatureDoesNotMatch|signature/i);
});

test('4. another encryption key under the same id, and a missing one', async () => {
  const key = randomBytes(32).toString('base64');
  const [id] = cipher().keyIds;
  const other = failureIn(await examinePostgres(workspace.databaseUrl, createCipher(`${id}:${key}`)));
  expect(other).toMatchObject({
    ...{ check: 'Encryption keys', isFatal: true },
    found: "A stored secret can't be decrypted. Its key ID now names a different key.",
  });
  const missing = failureIn(await examinePostgres(workspace.databaseUrl, createCipher(`other:${key}`)));
  expect(missing?.found).toBe(`No encryption key with the id ${id} is configured.`);
});

test('5. a key that may only read, and a bucket that is not there', async () => {
  const keys = createObjectKeys(objectStore, process.env['S3_IAM_ENDPOINT'])!;
  const user = `doctor-test-${randomUUID()}`;
  onTestFinished(async () => {
    await keys.remove(user);
    keys.close();
  });
  const reader = await keys.make(user, ['doctor/']);
  const finding = await examineObjectStore({ ...objectStore, ...reader });
  expect(finding).toMatchObject({
    state: 'failed',
    found: `The key isn't allowed to write objects in the bucket ${objectStore.bucket}.`,
  });
  const absent = await examineObjectStore({ ...objectStore, bucket: 'absent-bucket' });
  expect(absent.found).toBe(`There is no bucket absent-bucket at ${objectStore.endpoint}.`);
});

test('6. a database that is not migrated', async () => {
  const name = `doctor_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString: process.env['DATABASE_URL']! });
  await admin.connect();
  onTestFinished(async () => {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(workspace.databaseUrl);
  url.pathname = `/${name}`;
  expect(failureIn(await examinePostgres(url.href, cipher()))).toMatchObject({
    check: 'Schema',
    found: expect.stringMatching(/^\d+ migrations are missing, from 0001_organizations\.sql on\.$/),
    todo: 'Run `npm run migrate` with this DATABASE_URL.',
  });
});

test('7. an old server', async () => {
  const rows = [{ number: '150012', version: '15.12', name: 'workspace' }];
  await expect(serverVersion({ query: async () => ({ rows }) } as never)).rejects.toMatchObject({
    message: 'The server has version 15.12; this service needs 16 or newer.',
    isFatal: true,
  });
  await expect(refuseOldServer({ query: async () => ({ rows }) } as never)).rejects.toThrow(
    'The server has version 15.12; this service needs PostgreSQL 16 or newer. Nothing was migrated.',
  );
});

test('8. a namespace that is not there, and a server that is not', async () => {
  const { temporal } = config();
  const [finding] = await examineTemporal({ ...temporal, namespace: 'absent' });
  expect(finding).toMatchObject({
    state: 'failed',
    found: `There is no namespace absent at ${temporal.address}.`,
  });
  const [unreachable] = await examineTemporal({ ...temporal, address: '127.0.0.1:1' });
  expect(unreachable).toMatchObject({ check: 'Temporal', state: 'failed' });
});

test('a clock that is more than five seconds from a server is told', async () => {
  const server = () => Promise.resolve(new Date(100_000));
  expect(await compareClock('Temporal', server, () => 104_900)).toBe("4.9 s from Temporal's");
  expect(await compareClock('Temporal', server, () => 90_000)).toMatchObject({
    found: 'The clocks of this machine and Temporal differ by 10.0 s.',
  });
});

test('9. a full disk, and a folder that cannot be made', async () => {
  const { workDir } = config();
  expect(await examineWorkDir(workDir, { leastBytes: Number.MAX_SAFE_INTEGER })).toMatchObject({
    state: 'failed',
    todo: 'Free some space, or set WORK_DIR to a folder on another disk.',
  });
  expect(await examineWorkDir(join(fileURLToPath(import.meta.url), 'below'))).toMatchObject({
    state: 'failed',
    todo: 'Free some space, or set WORK_DIR to a folder that this user can write to.',
  });
});

test('10. a port that is taken ends the API with a sentence', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { code, err } = await ended('api/main.ts', { HOST: '127.0.0.1', PORT: String(port) });
  expect(code).toBe(1);
  expect(err).toBe(
    `Port ${port} is taken by another process. End that process, or set PORT to another port.\n`,
  );
});

test('an API with another encryption key does not start', async () => {
  const [id] = cipher().keyIds;
  const key = randomBytes(32).toString('base64');
  const { code, err } = await ended('api/main.ts', { PORT: '0', ENCRYPTION_KEYS: `${id}:${key}` });
  expect(code).toBe(1);
  expect(err).toContain('now names a different key');
});

test('an engine without its extensions says which is missing, also without a home', async () => {
  const { workDir } = config();
  const finding = await examineEngine({
    ...{ extensionDir: undefined, installDir: join(fileURLToPath(import.meta.url), 'below') },
    ...{ objectStore, workDir },
  });
  expect(finding).toMatchObject({ check: 'Engine', state: 'failed' });
  expect(finding.found).toMatch(/^The engine's extension icu /);
  expect(finding.todo).toContain('npm run extensions');
});

test('a session that is not of the role of the service is refused', async () => {
  const client = new pg.Client({ connectionString: workspace.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  await becomeService(client);
  // What a pooler does that drops the setting, or lends the connection of another session.
  const query = client.query.bind(client);
  const dropping = {
    query: ({ text, ...rest }: pg.QueryConfig) =>
      query({ ...rest, text: text.replace(/^SET ROLE "\w+"/, 'RESET ROLE') }),
  };
  await expect(becomeService(dropping as never)).rejects.toThrow(/^The session has the role \w+, not /);
});
