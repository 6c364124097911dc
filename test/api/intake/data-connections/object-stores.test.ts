import { randomUUID } from 'node:crypto';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { connect, list, tested } from '../../../support/sources.ts';
import { useWorkspace } from '../../../support/workspace.ts';

const workspace = useWorkspace();

describe('S3', () => {
  test('lists files and folders below its prefix, a page at a time, and tells of wrong keys', async () => {
    const client = await workspace.organization();
    const folder = `exports ${randomUUID()}`;
    const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_REGION: region } = process.env;
    const credentials = {
      accessKeyId: process.env['S3_ACCESS_KEY_ID']!,
      secretAccessKey: process.env['S3_SECRET_ACCESS_KEY']!,
    };
    const s3 = new S3Client({ endpoint: endpoint!, region: region!, credentials, forcePathStyle: true });
    for (const key of ['a.csv', 'b (1).csv', 'daily/1.csv', 'daily/2.csv', 'z.csv'])
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: `${folder}/${key}`, Body: 'x' }));
    s3.destroy();
    const config = { endpoint, region, bucket, prefix: folder, format: 'csv', path_style: true };
    const secrets = {
      access_key_id: credentials.accessKeyId,
      secret_access_key: credentials.secretAccessKey,
    };
    const at = await connect(client, 's3', config, { secrets });
    expect(await tested(client, at)).toMatchObject({ ok: true, failure: null });
    const all = await list(client, at);
    const shown = (items: { resource: string; kind: string }[]) =>
      items.map(({ resource, kind }) => [resource, kind]);
    expect(shown(all.body.items), all.text).toEqual([
      ['a.csv', 'table'],
      ['b (1).csv', 'table'],
      ['daily/', 'prefix'],
      ['z.csv', 'table'],
    ]);
    const pages = [];
    let cursor: string | undefined;
    do {
      const { body } = await list(client, at, { limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      pages.push(...body.items);
      cursor = body.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(pages).toEqual(all.body.items);
    expect(shown((await list(client, at, { prefix: 'daily/' })).body.items)).toEqual([
      ['daily/1.csv', 'table'],
      ['daily/2.csv', 'table'],
    ]);
    const wrong = await connect(client, 's3', config, {
      secrets: { access_key_id: 'nobody', secret_access_key: 'a-secret-key' },
    });
    const { failure } = await tested(client, wrong);
    expect(['login', 'permission']).toContain(failure.stage);
  });

  test('tells at which stage it was not reached, in a test and in a list alike', async () => {
    const client = await workspace.organization();
    const { S3_ENDPOINT: endpoint, S3_REGION: region } = process.env;
    const secrets = {
      access_key_id: process.env['S3_ACCESS_KEY_ID']!,
      secret_access_key: process.env['S3_SECRET_ACCESS_KEY']!,
    };
    const stageOf = async (config: object) => {
      const whole = { endpoint, region, bucket: 'nobody', format: 'csv', path_style: true, ...config };
      const at = await connect(client, 's3', whole, { secrets });
      const listed = await list(client, at);
      expect(listed.status, listed.text).toBe(400);
      expect(listed.text).not.toContain(secrets.secret_access_key);
      return (await tested(client, at)).failure.stage;
    };
    expect(await stageOf({ endpoint: 'http://169.254.169.254' })).toBe('address_refused');
    expect(await stageOf({ endpoint: 'http://[::ffff:10.0.0.1]' })).toBe('address_refused');
    expect(await stageOf({ endpoint: 'http://nobody.invalid' })).toBe('resolve');
    expect(await stageOf({ endpoint: 'http://127.0.0.1:9' })).toBe('connect');
    expect(await stageOf({ bucket: `nobody-${randomUUID()}` })).toBe('request');
  });
});

describe('DuckLake', () => {
  test("lists another lake's tables out of its catalog, with their columns and rows", async () => {
    const client = await workspace.organization();
    const table = await client.call('POST', '/v1/grid/tables', {
      body: { name: 'orders', kind: 'data', columns: [{ name: 'id', data_type: 'INTEGER' }] },
    });
    const rows = await client.call('POST', `/v1/tables/${table.body.data.tableId}/rows`, {
      body: {
        rows: [
          { s_id: 1, id: 1 },
          { s_id: 2, id: 2 },
        ],
      },
    });
    expect(rows.status, rows.text).toBeLessThan(300);
    const { reader } = await workspace.deps.lake.catalog.get(client.organizationId);
    const address = new URL(workspace.databaseUrl);
    const { S3_ENDPOINT: endpoint, S3_REGION: region } = process.env;
    const config = {
      ...{ host: '127.0.0.1', port: Number(address.port), database: address.pathname.slice(1) },
      ...{ user: reader.catalog.user, ssl_mode: 'disable', metadata_schema: reader.catalog.schema },
      ...{ data_path: reader.dataPath, endpoint, region, path_style: true },
    };
    const secrets = {
      password: reader.catalog.password,
      access_key_id: process.env['S3_ACCESS_KEY_ID'],
      secret_access_key: process.env['S3_SECRET_ACCESS_KEY'],
    };
    const at = await connect(client, 'ducklake', config, { secrets });
    expect(await tested(client, at)).toMatchObject({ ok: true, failure: null });
    const listed = await list(client, at);
    expect(listed.body.items, listed.text).toEqual([
      {
        ...{
          resource: 'main.orders',
          name: 'orders',
          kind: 'table',
          estimatedRows: 2,
          keyColumns: [],
          error: null,
        },
        columns: expect.arrayContaining([{ name: 'id', dataType: 'int64', nullable: true }]),
      },
    ]);
    const elsewhere = await connect(
      client,
      'ducklake',
      { ...config, metadata_schema: 'information_schema' },
      { secrets },
    );
    expect((await tested(client, elsewhere)).failure).toEqual({
      stage: 'request',
      message: 'The metadata schema information_schema contains no DuckLake.',
    });
  });
});
