import { randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createObjectStore } from '../../../data/objects/store.ts';
import { importSteps } from '../../../domain/intake/file-imports/reconcile.ts';
import { makeBackup } from '../../../service/backup/make.ts';
import { restoreBackup } from '../../../service/backup/restore.ts';
import { verify } from '../../../service/backup/verify.ts';
import { readWorkerConfig } from '../../../worker/config.ts';
import { eventually } from '../../support/eventually.ts';
import { imported } from '../../support/lineage.ts';
import { reconcile } from '../../support/reconcile.ts';
import { rowsOf } from '../../support/snapshots.ts';
import { connect } from '../../support/sources.ts';
import { useWorker } from '../../support/worker.ts';
import { clientOf, createTestDatabase, type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

const newBucket = () => `backup-${randomUUID().slice(0, 13)}`;
const [bucket, otherBucket] = [newBucket(), newBucket()];
const destination = mkdtempSync(join(tmpdir(), 'backup-'));
const silent = () => undefined;
const closers: (() => Promise<unknown> | unknown)[] = [() => rmSync(destination, { recursive: true })];

const configOf = (databaseUrl: string, at: string, keys = process.env['ENCRYPTION_KEYS']) =>
  readWorkerConfig({ ...process.env, DATABASE_URL: databaseUrl, S3_BUCKET: at, ENCRYPTION_KEYS: keys });

const hostileColumn = '"one\n\\.\ntwo""; DROP TABLE public.users; --\r\\000a"';
const hostileValue = 'one\n\\.\nDROP TABLE public.users;\n\t\\N';

/** A database as `createdb` makes it. */
const emptyDatabase = (to = closers) => createTestDatabase(to, 'template0');

const workspace = useOwnWorkspace({}, () => ({ S3_BUCKET: bucket }));
useWorker(workspace);

let client: TestClient;
let project: string;
let file: string;
let appended: string;
let waiting: string;
let late: string;
let folder: string;
let databaseUrl: string;
/** Rows that were confirmed before the backup began, and before it ended. */
let before = 0;
let confirmed = 0;

async function populate(): Promise<void> {
  client = await workspace.organization('Kept');
  const made = await imported(client, {
    path: 'sales.csv',
    content: 'id,total\n1,10\n2,20\n3,30\n',
    tableName: 'sales',
  });
  ({ project, file } = made);
  const body = { name: 'events', kind: 'data', columns: [{ name: 'n' }] };
  const table = await client.call('POST', '/v1/grid/tables', { body });
  expect(table.status, table.text).toBe(201);
  appended = table.body.data.tableId;
  const config = { host: '127.0.0.1', port: 1, database: 'd', user: 'u' };
  await connect(client, 'postgres', config, { secrets: { password: 'a-secret-of-then' } });
  await append();
  // As a catalog keeps rows: the names of columns, and all values, are what people wrote.
  const { schema } = await workspace.deps.lake.catalog.get(client.organizationId);
  const pool = workspace.deps.lake.catalogPool;
  await pool.query(`CREATE TABLE "${schema}".kept (${hostileColumn} text NOT NULL DEFAULT 'none')`);
  await pool.query(`INSERT INTO "${schema}".kept VALUES ($1)`, [hostileValue]);
  // Under way while the database is copied: no worker takes it before the copy has ended.
  const { body: second } = await client.call('PUT', `/v1/projects/${project}/files/content?path=late.csv`, {
    body: { content: 'id\n7\n8\n' },
  });
  waiting = second.data.id;
}

async function append(): Promise<void> {
  const rows = Array.from({ length: 10 }, (_, n) => ({ s_id: confirmed + n, n: `${confirmed + n}` }));
  const answer = await client.call('POST', `/v1/tables/${appended}/rows`, { body: { rows } });
  expect(answer.status, answer.text).toBe(200);
  confirmed += rows.length;
}

beforeAll(async () => {
  await populate();
  const importing = await client.call('POST', `/v1/projects/${project}/files/${waiting}/imports`, {
    body: { table_name: 'late' },
  });
  expect(importing.status, importing.text).toBe(202);
  late = importing.body.data.id;
  before = confirmed;
  let isOver = false;
  const writing = (async () => {
    while (!isOver) await append();
  })();
  ({ folder } = await makeBackup(configOf(workspace.databaseUrl, bucket), destination, silent));
  isOver = true;
  await writing;
  databaseUrl = await emptyDatabase();
  await restoreBackup(configOf(databaseUrl, otherBucket), folder, silent);
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const restored = useOwnWorkspace({}, () => ({ DATABASE_URL: databaseUrl, S3_BUCKET: otherBucket }));
useWorker(restored);
const there = () => clientOf(restored.call, client);

test('a backup under load is restored whole, in another bucket, as of one moment', async () => {
  const copy = there();
  expect(await rowsOf(copy, 'SELECT count(*)::INT AS n, sum(total)::INT AS total FROM sales')).toEqual([
    { n: 3, total: 60 },
  ]);
  const [{ count, distinct }] = await rowsOf(
    copy,
    'SELECT count(*)::INT AS count, count(DISTINCT n)::INT AS "distinct" FROM events',
  );
  expect(count).toBe(distinct);
  expect(count).toBeGreaterThanOrEqual(before);
  expect(count).toBeLessThanOrEqual(confirmed);
  // An append is there whole or not at all.
  expect(count % 10).toBe(0);
  const content = await copy.call('GET', `/v1/projects/${project}/files/${file}/content`);
  expect(content.text).toContain('2,20');
});

test('names and values that look like the end of rows, or like statements, are restored as they were', async () => {
  const { schema } = await restored.deps.lake.catalog.get(client.organizationId);
  const pool = restored.deps.lake.catalogPool;
  await pool.query(`INSERT INTO "${schema}".kept DEFAULT VALUES`);
  const { rows } = await pool.query(`SELECT ${hostileColumn} AS value FROM "${schema}".kept ORDER BY 1`);
  expect(rows).toEqual([{ value: 'none' }, { value: hostileValue }]);
});

test('what was restored can be written, and nothing is missing', async () => {
  const copy = there();
  const answer = await copy.call('POST', `/v1/tables/${appended}/rows`, {
    body: { rows: [{ s_id: -1, n: '-1' }] },
  });
  expect(answer.status, answer.text).toBeLessThan(300);
  expect(await rowsOf(copy, 'SELECT count(*)::INT AS n FROM events WHERE s_id = -1')).toEqual([{ n: 1 }]);
  const found = await verify(configOf(databaseUrl, otherBucket), { folder, hashes: 1 });
  expect(found.faults).toEqual([]);
  expect(found).toMatchObject({ lakes: 1, secrets: expect.any(Number) });
  expect(found.hashed).toBe(found.objects);
  expect(Math.min(found.objects, found.lakeFiles, found.tables, found.files, found.secrets)).toBeGreaterThan(
    0,
  );
});

test('Temporal need not be restored: what was under way continues from the database', async () => {
  const status = async () => (await there().call('GET', `/v1/table-imports/${late}`)).body.data.status;
  await eventually(
    async () => {
      await reconcile(restored, importSteps(restored.activityDeps, 0));
      return status();
    },
    (now) => now === 'succeeded',
  );
  expect(await rowsOf(there(), 'SELECT id FROM late ORDER BY id')).toEqual([{ id: 7 }, { id: 8 }]);
});

test('a missing or changed object is found', async () => {
  const objects = createObjectStore(configOf(databaseUrl, otherBucket).objectStore);
  onTestFinished(() => objects.close());
  const config = configOf(databaseUrl, otherBucket);
  const lost: string[] = [];
  for await (const { key } of objects.each('lakes/')) if (key.endsWith('.parquet')) lost.push(key);
  await objects.put('extra', Buffer.from('x'), 'text/plain');
  await objects.copy(lost[0]!, 'kept', (await objects.head(lost[0]!))!.etag);
  await objects.remove(lost[0]!);
  const { faults } = await verify(config, { hashes: 0 });
  expect(faults).toEqual([`s3://${otherBucket}/${lost[0]} is missing.`]);
  await objects.put(lost[0]!, Buffer.from('shorter'), 'text/plain');
  const { faults: shorter } = await verify(config, { hashes: 0 });
  expect(shorter[0]).toMatch(/ has 7 bytes instead of \d+\.$/);
  await objects.copy('kept', lost[0]!, (await objects.head('kept'))!.etag);
  expect((await verify(config, { hashes: 0 })).faults).toEqual([]);
});

test('a second backup shares the objects of the first', async () => {
  const files = () =>
    globSync(join(destination, 'objects/**/*'), { withFileTypes: true }).filter((one) => one.isFile()).length;
  const earlier = files();
  const second = await makeBackup(configOf(workspace.databaseUrl, bucket), destination, silent);
  expect(second.backup.objects.count).toBeGreaterThan(2);
  expect(files() - earlier).toBeLessThan(second.backup.objects.count);
});

test('what cannot become a whole copy is refused before anything is written', async () => {
  const own: typeof closers = [];
  onTestFinished(async () => {
    for (const close of own.reverse()) await close();
  });
  const empty = await emptyDatabase(own);
  const to = (change: Partial<ReturnType<typeof configOf>>) => ({
    ...configOf(empty, newBucket()),
    ...change,
  });
  await expect(restoreBackup(to({ databaseUrl }), folder, silent)).rejects.toThrow(
    /^The database isn't empty/,
  );
  await expect(
    restoreBackup(to({ objectStore: configOf(empty, otherBucket).objectStore }), folder, silent),
  ).rejects.toThrow(/^The bucket .* isn't empty/);
  await expect(
    restoreBackup(to({ encryptionKeys: `other:${Buffer.alloc(32).toString('base64')}` }), folder, silent),
  ).rejects.toThrow(/^ENCRYPTION_KEYS doesn't contain /);
  await expect(restoreBackup(to({}), destination, silent)).rejects.toThrow("isn't a complete backup");
  const spoiled = join(destination, 'spoiled');
  cpSync(folder, spoiled, { recursive: true });
  appendFileSync(globSync(join(spoiled, 'database/lak_*'))[0]!, 'x');
  await expect(restoreBackup(to({}), spoiled, silent)).rejects.toThrow('Its SHA-256 differs');
});
