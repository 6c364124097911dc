import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, expect, test } from 'vitest';
import { literal } from '../../../../data/lake/sql.ts';
import { attach, rowsOf, snapshotOf } from '../../../support/snapshots.ts';
import { connect, httpServer } from '../../../support/sources.ts';
import { testStores } from '../../../support/stores.ts';
import { useWorker } from '../../../support/worker.ts';
import { type TestClient, useOwnWorkspace } from '../../../support/workspace.ts';

const workspace = useOwnWorkspace({}, () => ({
  ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8',
  SNAPSHOT_MAX_GIB: '0.005',
}));
useWorker(workspace);
const bucket = `source-${randomUUID()}`;
let s3: S3Client;

beforeAll(async () => {
  const { endpoint, region, accessKeyId, secretAccessKey } = testStores().objectStore;
  s3 = new S3Client({
    region,
    endpoint: endpoint!,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  return () => s3.destroy();
});

async function put(files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [key, body] of Object.entries(files))
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: `shop/${key}`, Body: body }));
}

async function copied(
  client: TestClient,
  resource: string,
  { endpoint = testStores().objectStore.endpoint!, ...more }: { endpoint?: string; csv?: object } = {},
) {
  const { region, accessKeyId, secretAccessKey } = testStores().objectStore;
  const config = { endpoint, region, bucket, prefix: 'shop/', format: 'csv', path_style: true };
  const at = await connect(client, 's3', config, {
    secrets: { access_key_id: accessKeyId, secret_access_key: secretAccessKey },
    snapshot_config: { enabled: true },
  });
  const { at: dataset, dataset: row } = await attach(client, at, resource, {
    name: `d ${randomUUID()}`,
    ...more,
  });
  const run = await snapshotOf(client, dataset);
  expect(JSON.stringify(run)).not.toContain(secretAccessKey);
  return { run, table: `"${row.snapshotTableName}"` };
}

/** A store that lists one file, and answers with this status when it is read. */
function listing(status: number) {
  return httpServer((request, response) => {
    if (!request.url!.includes('list-type')) return void response.writeHead(status).end();
    expect(request.headers['if-match']).toBeUndefined();
    response.end(
      `<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>shop/x.csv</Key><ETag>"e1"</ETag><Size>3</Size></Contents></ListBucketResult>`,
    );
  });
}

async function failureOf(client: TestClient, resource: string, endpoint?: string): Promise<string> {
  const { run } = await copied(client, resource, endpoint === undefined ? {} : { endpoint });
  expect(run.status).toBe('failed');
  expect(run.error).toMatchObject({ code: 'source_failed', stage: 'request' });
  return run.error.message;
}

test('the files of a folder become one table whose types hold the values of all', async () => {
  const client = await workspace.organization();
  await put({
    'csv/a.csv': 'id,what,at\n1,"two\nlines",2026-01-01\n2,x,2026-01-02',
    'csv/b/c.csv.gz': gzipSync('id,what,at\r\n3.5,y,2026-01-03\r\n'),
    'csv/_SUCCESS': 'done',
    'csv/.hidden/d.csv': 'other\n1\n',
    'csv/empty.csv': '',
    'csvs.csv': 'other\n1\n',
  });
  const { run, table } = await copied(client, 'csv/');
  expect(run, JSON.stringify(run.error)).toMatchObject({ status: 'succeeded', rowsCopied: 3 });
  expect(
    await rowsOf(
      client,
      `SELECT id * 2 AS double, what, CAST("at" + 1 AS VARCHAR) AS day FROM ${table} ORDER BY id`,
    ),
  ).toEqual([
    { double: 2, what: 'two\nlines', day: '2026-01-02' },
    { double: 4, what: 'x', day: '2026-01-03' },
    { double: 7, what: 'y', day: '2026-01-04' },
  ]);
});

test('values in values of NDJSON are JSON, and a single key is a dataset too', async () => {
  const client = await workspace.organization();
  await put({
    'json/a.ndjson': '{"a":1,"b":{"c":[1,2]}}',
    'json/b.jsonl': '{"a":2,"d":"x"}\n',
  });
  const all = await copied(client, 'json/');
  expect(all.run, JSON.stringify(all.run.error)).toMatchObject({ status: 'succeeded', rowsCopied: 2 });
  expect(
    await rowsOf(client, `SELECT a, CAST(b->'c'->1 AS INTEGER) AS c, d FROM ${all.table} ORDER BY a`),
  ).toEqual([
    { a: 1, c: 2, d: null },
    { a: 2, c: null, d: 'x' },
  ]);
  const one = await copied(client, 'json/b.jsonl');
  expect(one.run, JSON.stringify(one.run.error)).toMatchObject({ status: 'succeeded', rowsCopied: 1 });
});

test('files of Parquet have the union of their columns', async () => {
  const client = await workspace.organization();
  const { objects, staging } = workspace.deps;
  const written = [`SELECT 1 AS a, 'x' AS b`, 'SELECT 2.5::DOUBLE AS a, [1, 2] AS c'];
  for (const [index, select] of written.entries()) {
    const key = `copies/${randomUUID()}.parquet`;
    await staging.scratch(client.organizationId, (engine) =>
      engine.run(`COPY (${select}) TO ${literal(`s3://${objects.settings.bucket}/${key}`)} (FORMAT parquet)`),
    );
    const chunks: Buffer[] = [];
    for await (const chunk of await objects.read(key)) chunks.push(chunk as Buffer);
    await put({ [`parquet/${index}.parquet`]: Buffer.concat(chunks) });
  }
  const { run, table } = await copied(client, 'parquet/');
  expect(run, JSON.stringify(run.error)).toMatchObject({ status: 'succeeded', rowsCopied: 2 });
  expect(await rowsOf(client, `SELECT a, b, CAST(c->0 AS INTEGER) AS c FROM ${table} ORDER BY a`)).toEqual([
    { a: 1, b: 'x', c: null },
    { a: 2.5, b: null, c: 1 },
  ]);
});

test('files whose names are quoted or in another order are read by name', async () => {
  const client = await workspace.organization();
  await put({
    'order/a.csv': 'a,b\n1,x\n',
    'order/b.csv': '"a","b"\n2,"y, z"\n',
    'order/c.csv': '\ufeffb,"a"\r\n"w",3\r\n',
    'separator/a.csv': 'menge;preis;bemerkung\n1;2,50;ok\n2;3,75\n3;4,10\n',
  });
  const { run, table } = await copied(client, 'order/');
  expect(run, JSON.stringify(run.error)).toMatchObject({ status: 'succeeded', rowsCopied: 3 });
  expect(await rowsOf(client, `SELECT a, b FROM ${table} ORDER BY a`)).toEqual([
    { a: 1, b: 'x' },
    { a: 2, b: 'y, z' },
    { a: 3, b: 'w' },
  ]);
  const padded = await copied(client, 'separator/', {
    csv: { short_rows: 'pad' },
  });
  expect(await rowsOf(client, `SELECT * FROM ${padded.table} ORDER BY menge`)).toEqual([
    { menge: 1, preis: 2.5, bemerkung: 'ok' },
    { menge: 2, preis: 3.75, bemerkung: null },
    { menge: 3, preis: 4.1, bemerkung: null },
  ]);
});

test('several files without names of columns are read from their first line on', async () => {
  const client = await workspace.organization();
  await put({ 'plain/a.csv': '1,x\n', 'plain/b.csv': '2,y\n' });
  const { run, table } = await copied(client, 'plain/', { csv: { header_row: 0 } });
  expect(run, JSON.stringify(run.error)).toMatchObject({ status: 'succeeded', rowsCopied: 2 });
  expect(await rowsOf(client, `SELECT * FROM ${table} ORDER BY 1`)).toHaveLength(2);
  const refused = await copied(client, 'plain/', { csv: { header_row: 3 } });
  expect(refused.run.error.message).toContain('csv.header_row');
});

test('what cannot be one table fails and names the file', async () => {
  const client = await workspace.organization();
  await put({
    'mixed/a.csv': 'a\n1\n',
    'mixed/b.ndjson': '{"a":1}\n',
    'names/a.csv': 'a,b\n1,2\n',
    'names/b.csv': 'a,c\n1,2\n',
    'cut/a.csv.gz': gzipSync(`a,b\n${'1,2\n'.repeat(1_000)}`).subarray(0, -12),
    'bomb/a.csv.gz': gzipSync('a,b\n'.repeat(5_000_000)),
    'large/a.csv': 'a,b\n'.repeat(1_500_000),
    'bad/a.csv': 'a,b\n1,2\n',
    'bad/b.csv': 'a,b\n3,4\n5,6,7\n',
  });
  expect(await failureOf(client, 'none/')).toMatch(/no file with data at none\//);
  expect(await failureOf(client, 'mixed/')).toMatch(/shop\/mixed\/a\.csv and shop\/mixed\/b\.ndjson/);
  expect(await failureOf(client, 'names/')).toMatch(/first line of shop\/names\/b\.csv/);
  expect(await failureOf(client, 'cut/')).toMatch(/shop\/cut\/a\.csv\.gz isn't a complete gzip file/);
  for (const resource of ['bomb/', 'large/'])
    expect(await failureOf(client, resource)).toMatch(/larger than 0\.005 GiB/);
  expect(await failureOf(client, 'bad/')).toMatch(/Line 3 of shop\/bad\/b\.csv/);
  const changed = await listing(412);
  expect(await failureOf(client, 'x.csv', changed.base)).toMatch(
    /shop\/x\.csv changed while the service read it/,
  );
  expect(changed.requests.at(-1)!.headers['if-match']).toBe('"e1"');
});

test('a store that lists but may not be read from fails with its permission', async () => {
  const client = await workspace.organization();
  const { run } = await copied(client, 'x.csv', { endpoint: (await listing(403)).base });
  expect(run.error).toMatchObject({ code: 'source_failed', stage: 'permission' });
});
