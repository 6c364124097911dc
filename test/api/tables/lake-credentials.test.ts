import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { newId } from '../../../data/ids.ts';
import { dropEndedRoles, endCostlyReadings, limitOlderRoles } from '../../../data/lake/reading-roles.ts';
import { inOrganization } from '../../../data/postgres/client.ts';
import { issueCredential } from '../../../domain/tables/lake-credentials/issue.ts';
import { lakeCredentialSteps } from '../../../domain/tables/lake-credentials/reconcile.ts';
import { shaping } from '../../support/calculated.ts';
import { eventually } from '../../support/eventually.ts';
import { otherEngine, paste, rowsOf } from '../../support/lake-credentials.ts';
import { type TestClient, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
let client: TestClient;
let other: TestClient;
let orders: string;

beforeAll(async () => {
  client = await workspace.organization();
  other = await workspace.organization();
  const on = shaping(client);
  orders = await on.data('orders', { city: 'STRING' });
  await on.append(orders, [
    { s_id: 1, city: 'Porto' },
    { s_id: 2, city: 'Faro' },
  ]);
  await shaping(other).data('secrets', { city: 'STRING' });
});

const path = '/v1/lake/credentials';
const ended = /authentication failed|does not exist|not permitted to log in/;

async function issued(body: object = {}, by = client) {
  const answer = await by.call('POST', path, { body: { name: 'notebooks', ...body } });
  expect(answer.status, answer.text).toBe(201);
  return { ...answer.body.data, answer };
}

async function connected(url: string): Promise<pg.Client> {
  const connection = new pg.Client({ connectionString: url });
  connection.on('error', () => undefined);
  await connection.connect();
  onTestFinished(() => connection.end().catch(() => undefined));
  return connection;
}

function keyed({ endpoint, region, accessKeyId, secretAccessKey }: Record<string, string>): S3Client {
  const store = new S3Client({
    ...{ endpoint: endpoint!, region: region!, forcePathStyle: true, maxAttempts: 1 },
    credentials: { accessKeyId: accessKeyId!, secretAccessKey: secretAccessKey! },
  });
  onTestFinished(() => store.destroy());
  return store;
}

const reconcile = async () => {
  for (const step of lakeCredentialSteps(workspace.deps))
    for (const item of await step.find()) await item.work();
};

test('what is pasted into DuckDB reads tables as they are, rows in the catalog and in files', async () => {
  const { attach, answer, id, ...shown } = await issued({ expires_at: '2099-01-01T00:00:00Z' });
  expect(answer.headers).toMatchObject({ location: `${path}/${id}`, 'cache-control': 'no-store' });
  expect(shown).toMatchObject({ name: 'notebooks', status: 'active', expiresAt: '2099-01-01T00:00:00.000Z' });
  const engine = await otherEngine();
  await paste(engine, attach.sql);
  expect(await rowsOf(engine, 'SELECT city FROM orders ORDER BY s_id')).toEqual([['Porto'], ['Faro']]);
  expect(await rowsOf(engine, `SELECT count(*) FROM ${attach.catalog}.main.orders`)).toEqual([['2']]);
  const on = shaping(client);
  // As many rows as do not stay in the catalog.
  const many = Array.from({ length: 3_000 }, (_, at) => ({ s_id: 10 + at, city: 'Braga' }));
  await on.append(orders, many);
  expect(await rowsOf(engine, 'SELECT count(*) FROM orders')).toEqual([['3002']]);
  await expect(engine.run("INSERT INTO orders (city) VALUES ('x')")).rejects.toThrow(/read.only/i);
});

test('the role reads the catalog of its lake, and nothing else of the database', async () => {
  const { database, attach, id } = await issued();
  const foreign = await workspace.deps.lake.catalog.get(other.organizationId);
  const role = await connected(database.url);
  const count = await role.query(`SELECT count(*)::int AS n FROM ${attach.catalog}.ducklake_table`);
  expect(count.rows[0].n).toBeGreaterThan(0);
  // Whatever it sets for itself.
  await role.query('SET default_transaction_read_only = off');
  for (const sql of [
    `SELECT * FROM ${foreign.schema}.ducklake_table`,
    `SELECT * FROM ${attach.catalog}.workspace_operation`,
    `DELETE FROM ${attach.catalog}.ducklake_table`,
    'SELECT * FROM public.organizations',
    'SELECT name FROM public.notification_channel',
    'SELECT * FROM public.lakes',
    'CREATE TABLE public.mine (a int)',
    `CREATE TABLE ${attach.catalog}.mine (a int)`,
    `SET ROLE ${foreign.reader.catalog.user}`,
    `SET ROLE ${attach.catalog}_reader`,
    `ALTER ROLE ${attach.catalog}_reader PASSWORD 'mine'`,
    `ALTER ROLE ${id} VALID UNTIL 'infinity'`,
    'SELECT pg_advisory_lock(1)',
    'PREPARE locked AS DELETE FROM public.organizations',
    "DO $$ BEGIN RAISE LOG 'mine'; END $$",
    "SELECT pg_logical_emit_message(false, 'x', 'y')",
    'SELECT pg_terminate_backend(pg_backend_pid())',
    'SET temp_file_limit = -1',
    'SELECT pg_try_advisory_xact_lock_shared(1, 2)',
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT pg_read_file('/etc/passwd')",
    "COPY (SELECT 1) TO PROGRAM 'true'",
  ])
    await expect(role.query(sql), sql).rejects.toThrow(/permission denied|must be|not allowed|may /i);
  const { rows } = await role.query(
    `SELECT p.oid::regprocedure::text AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE p.prosecdef AND n.nspname <> 'pg_catalog' AND has_function_privilege(p.oid, 'EXECUTE')
       AND has_schema_privilege(n.oid, 'USAGE')`,
  );
  expect(rows).toEqual([]);
  const tables = await role.query(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema', $1)
       AND n.nspname NOT LIKE 'pg_toast%' AND has_any_column_privilege(c.oid, 'SELECT')`,
    [attach.catalog],
  );
  expect(tables.rows).toEqual([]);
});

test('the key reads files of its lake, and nothing else of the bucket', async () => {
  const { objects } = await issued();
  const foreign = await issued({}, other);
  const { bucket: Bucket, prefix } = objects;
  const store = keyed(objects);
  await workspace.deps.objects.put(`${prefix}test/a`, Buffer.from('a'), 'text/plain');
  await workspace.deps.objects.put(`${foreign.objects.prefix}test/b`, Buffer.from('b'), 'text/plain');
  const read = await store.send(new GetObjectCommand({ Bucket, Key: `${prefix}test/a` }));
  expect(await read.Body!.transformToString()).toBe('a');
  const listed = await store.send(new ListObjectsV2Command({ Bucket, Prefix: `${prefix}test/` }));
  expect(listed.Contents!.map(({ Key }) => Key)).toEqual([`${prefix}test/a`]);
  const refused = [
    new GetObjectCommand({ Bucket, Key: `${foreign.objects.prefix}test/b` }),
    new ListObjectsV2Command({ Bucket, Prefix: foreign.objects.prefix }),
    new ListObjectsV2Command({ Bucket }),
    new PutObjectCommand({ Bucket, Key: `${prefix}test/c`, Body: 'c' }),
  ];
  for (const command of refused)
    await expect(store.send(command as GetObjectCommand)).rejects.toMatchObject({ name: 'AccessDenied' });
});

test('a revoked one opens nothing any more, sessions and keys included', async () => {
  const { id, database, objects, attach } = await issued();
  const role = await connected(database.url);
  const isOver = new Promise((resolve) => role.once('end', resolve));
  await role.query(`BEGIN; SELECT * FROM ${attach.catalog}.ducklake_snapshot`);
  const revoked = await client.call('DELETE', `${path}/${id}`);
  expect(revoked.body.data).toMatchObject({ id, status: 'revoked', revokedAt: expect.any(String) });
  await isOver;
  await expect(connected(database.url)).rejects.toThrow(ended);
  const command = new ListObjectsV2Command({ Bucket: objects.bucket, Prefix: objects.prefix });
  await expect(keyed(objects).send(command)).rejects.toMatchObject({ name: 'InvalidAccessKeyId' });
  const again = await client.call('DELETE', `${path}/${id}`);
  expect([again.status, again.body]).toEqual([200, revoked.body]);
  const { body } = await client.call('GET', path);
  expect(body.items.find((one: { id: string }) => one.id === id)).toMatchObject({ status: 'revoked' });
});

test('a holder cannot keep a credential from ending, its own or another organization’s', async () => {
  const { catalogPool: pool } = workspace.deps.lake;
  const elsewhere = `elsewhere_${Date.now()}`;
  await pool.query(`CREATE DATABASE ${elsewhere}`);
  onTestFinished(async () => {
    await pool.query(`DROP DATABASE ${elsewhere} WITH (FORCE)`);
    await dropEndedRoles(pool, 1_000);
  });
  const [own, foreign] = [await issued(), await issued({}, other)];
  const there = new URL(own.database.url);
  there.pathname = `/${elsewhere}`;
  // What depends on a role in another database keeps it from being dropped.
  const holder = await connected(there.href);
  await holder.query('SET default_transaction_read_only = off');
  await holder.query('ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC');
  // What is granted to a role in an open transaction locks it.
  const otherHolder = await connected(foreign.database.url);
  await otherHolder.query('SET default_transaction_read_only = off');
  await otherHolder.query(`BEGIN; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO ${own.id}`);
  expect((await client.call('DELETE', `${path}/${own.id}`)).status).toBe(200);
  await dropEndedRoles(pool, 1_000);
  await expect(connected(own.database.url)).rejects.toThrow(ended);
  const command = new ListObjectsV2Command({ Bucket: own.objects.bucket, Prefix: own.objects.prefix });
  await expect(keyed(own.objects).send(command)).rejects.toMatchObject({ name: 'InvalidAccessKeyId' });
});

test('one that is revoked several times at once, while its holder changes it, ends', async () => {
  const { id, database } = await issued();
  const holders = await Promise.all(Array.from({ length: 3 }, () => connected(database.url)));
  const changing = holders.map(async (holder) => {
    await holder.query('SET default_transaction_read_only = off');
    const change = () => holder.query(`ALTER ROLE ${id} PASSWORD 'mine'`);
    for (;;)
      await change().catch((error: { code?: string }) => {
        if (error.code !== 'XX000') throw error;
      });
  });
  const over = Promise.allSettled(changing);
  const answers = await Promise.all(Array.from({ length: 5 }, () => client.call('DELETE', `${path}/${id}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  for (const { status } of await over) expect(status).toBe('rejected');
});

test('a session that the service waits for is ended', async () => {
  const { catalogPool: pool } = workspace.deps.lake;
  const { database, attach } = await issued();
  const role = await connected(database.url);
  const isOver = new Promise((resolve) => role.once('end', resolve));
  await role.query(`BEGIN; LOCK TABLE ${attach.catalog}.ducklake_tag IN ACCESS SHARE MODE`);
  const waiting = pool.query(`TRUNCATE ${attach.catalog}.ducklake_tag`);
  await eventually(
    () => endCostlyReadings(pool),
    (count) => count > 0,
  );
  await Promise.all([isOver, waiting]);
});

test('one that has expired is removed', async () => {
  const { id, database } = await issued({ expires_at: '2099-01-01T00:00:00Z' });
  await inOrganization(workspace.deps.db, client.organizationId, (db) =>
    db.updateTable('lake_credentials').set({ expires_at: new Date() }).where('id', '=', id).execute(),
  );
  await reconcile();
  await expect(connected(database.url)).rejects.toThrow(ended);
  expect((await client.call('GET', `${path}/${id}`)).body.data).toMatchObject({ status: 'expired' });
});

test('one whose making was interrupted is finished by the same request, or removed', async () => {
  const { deps } = workspace;
  const { organizationId } = client;
  const asked = { organizationId, name: 'lost', expiresAt: null, createdBy: client.clientId };
  const down = { ...deps.objectKeys!, make: () => Promise.reject(new Error('down')) };
  const id = newId('lcr');
  await expect(issueCredential({ ...deps, objectKeys: down }, { ...asked, id })).rejects.toThrow('down');
  expect((await client.call('GET', `${path}/${id}`)).body.data).toMatchObject({ status: 'making' });
  const { secrets } = await issueCredential(deps, { ...asked, id });
  const repeated = await issueCredential(deps, { ...asked, id });
  expect(repeated.secrets.password).not.toBe(secrets.password);
  const lost = newId('lcr');
  await expect(issueCredential({ ...deps, objectKeys: down }, { ...asked, id: lost })).rejects.toThrow(
    'down',
  );
  await inOrganization(deps.db, organizationId, (db) =>
    db
      .updateTable('lake_credentials')
      .set({ created_at: new Date(0) })
      .where('id', '=', lost)
      .execute(),
  );
  await reconcile();
  expect((await client.call('GET', `${path}/${lost}`)).body.data).toMatchObject({ status: 'revoked' });
  await dropEndedRoles(deps.lake.catalogPool, 1_000);
  const roles = await deps.lake.catalogPool.query('SELECT rolname FROM pg_roles WHERE rolname = ANY ($1)', [
    [id, lost],
  ]);
  expect(roles.rows).toEqual([{ rolname: id }]);
  await expect(issueCredential(deps, { ...asked, id: lost })).rejects.toMatchObject({ code: 'conflict' });
});

test('a session that reads in one transaction for too long is ended', async () => {
  const { database } = await issued();
  const role = await connected(database.url);
  const isOver = new Promise((resolve) => role.once('end', resolve));
  await role.query('BEGIN; SELECT 1');
  expect(await endCostlyReadings(workspace.deps.lake.catalogPool)).toBe(0);
  await eventually(
    () => endCostlyReadings(workspace.deps.lake.catalogPool, '1 microsecond'),
    (count) => count > 0,
  );
  await isOver;
});

test('only administrators see, issue and revoke them, each its own organization’s', async () => {
  const { id } = await issued();
  expect((await other.call('GET', `${path}/${id}`)).status).toBe(404);
  expect((await other.call('DELETE', `${path}/${id}`)).status).toBe(404);
  expect((await other.call('GET', path)).body.items.map((one: { id: string }) => one.id)).not.toContain(id);
  const plain = await client.call('POST', '/v1/auth/m2m/clients', {
    body: { name: 'plain', scopes: ['agent:read', 'agent:write'] },
  });
  const token = await workspace.call('POST', '/v1/auth/m2m/token', {
    raw: {
      text: `client_id=${plain.body.data.clientId}&client_secret=${plain.body.data.clientSecret}`,
      contentType: 'application/x-www-form-urlencoded',
    },
  });
  const headers = { authorization: `Bearer ${token.body.access_token}` };
  for (const [method, url] of [
    ['GET', path],
    ['POST', path],
    ['DELETE', `${path}/${id}`],
  ] as const) {
    const answer = await workspace.call(method, url, {
      headers,
      ...(method === 'POST' ? { body: { name: 'x' } } : {}),
    });
    expect([answer.status, answer.body.code]).toEqual([403, 'admin_required']);
  }
});

test('secrets are in the answer alone, and a bad request is told', async () => {
  const made = await issued();
  const listed = await client.call('GET', path);
  const audited = await client.call('GET', '/v1/audit/events');
  for (const { text } of [listed, audited]) {
    expect(text).not.toContain(made.objects.secretAccessKey);
    expect(text).not.toContain(new URL(made.database.url).password);
  }
  const past = await client.call('POST', path, { body: { name: 'x', expires_at: '2020-01-01T00:00:00Z' } });
  expect([past.status, past.body.detail[0].loc]).toEqual([422, ['body', 'expires_at']]);
});

test('there are at most 20, and none where the store makes no keys', async () => {
  const organization = await workspace.organization();
  await Promise.all(Array.from({ length: 20 }, () => issued({}, organization)));
  const refused = await organization.call('POST', path, { body: { name: 'one more' } });
  expect(refused.body).toMatchObject({ status: 409, code: 'limit_reached', limit: 20, current: 20 });
  const { deps } = workspace;
  const asked = {
    organizationId: client.organizationId,
    id: newId('lcr'),
    name: 'x',
    expiresAt: null,
    createdBy: 'x',
  };
  await expect(issueCredential({ ...deps, objectKeys: undefined }, asked)).rejects.toMatchObject({
    code: 'conflict',
  });
});

test('what sessions of a role spill is bounded together, and idle ones with a cursor are ended', async () => {
  const { catalogPool } = workspace.deps.lake;
  const { id, database } = await issued();
  const session = await connected(database.url);
  const limit = async () => (await session.query('SHOW temp_file_limit')).rows[0].temp_file_limit;
  expect(await limit()).toBe('128MB');
  const { rows } = await catalogPool.query('SELECT rolconnlimit FROM pg_roles WHERE rolname = $1', [id]);
  expect(rows[0].rolconnlimit * 128).toBe(1_024);
  await session.query(
    "BEGIN; DECLARE kept CURSOR WITH HOLD FOR SELECT repeat('x', 1000) FROM generate_series(1, 1000); COMMIT",
  );
  const isOver = new Promise((resolve) => session.once('end', resolve));
  expect(await endCostlyReadings(catalogPool)).toBe(0);
  await eventually(
    () => endCostlyReadings(catalogPool, '1 microsecond'),
    (count) => count > 0,
  );
  await isOver;
});

test('a role that was made with another limit gets that of today', async () => {
  const { catalogPool } = workspace.deps.lake;
  const { id, database } = await issued();
  await catalogPool.query(`ALTER ROLE ${id} SET temp_file_limit = '1GB'`);
  await limitOlderRoles(catalogPool, 1_000);
  const session = await connected(database.url);
  expect((await session.query('SHOW temp_file_limit')).rows[0].temp_file_limit).toBe('128MB');
});
