import { randomUUID } from 'node:crypto';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { inOrganization } from '../../../../data/postgres/client.ts';
import { mergeTable } from '../../../../domain/tables/lake-maintenance/compact.ts';
import { expireSnapshots, pinSnapshot } from '../../../../domain/tables/lake-maintenance/expire.ts';
import { removeOldFiles, removeOrphans } from '../../../../domain/tables/lake-maintenance/files.ts';
import { flushTable } from '../../../../domain/tables/lake-maintenance/flush.ts';
import { deleteLakePins } from '../../../../domain/tables/lake-maintenance/pins.ts';
import { useWorkspace } from '../../../support/workspace.ts';
import { count, type LabTable, newTable, query, range, useMaintainedLakes } from './lab.ts';

const workspace = useWorkspace();
const maintained = useMaintainedLakes(workspace);
const columns = [{ name: 'amount', data_type: 'INTEGER' }];
const row = (id: number) => ({ s_id: id, amount: id });

const expire = ({ lake, organizationId }: LabTable) =>
  expireSnapshots({ db: workspace.deps.db, lake: maintained.lake }, lake, organizationId, 7);
const pin = ({ lake, organizationId }: LabTable, snapshotId: number, holder: string, expiresAt: Date) =>
  pinSnapshot({ db: workspace.deps.db, lake: maintained.lake }, lake, organizationId, {
    snapshotId,
    holder,
    expiresAt,
  });

/** Makes everything committed until now that many days old. */
async function age({ lake }: LabTable, days: number): Promise<void> {
  await query(
    workspace,
    `UPDATE "${lake.schema}".ducklake_snapshot SET snapshot_time = snapshot_time - interval '${days} days'`,
  );
}

const tomorrow = () => new Date(Date.now() + 86_400_000);

test('expiry frees old versions; it keeps the newest, pinned and young ones, and the ledger', async () => {
  const table = await newTable(workspace, columns);
  const versions: number[] = [];
  for (const id of range(0, 4)) versions.push(await table.append([row(id)]));
  await flushTable(maintained.lake, table.lake, table);
  await age(table, 8);
  const young = await table.append([row(4)]);
  const newest = await table.append([row(5)]);
  await pin(table, versions[1]!, 'test/one', tomorrow());
  const before = await table.remember();
  const operations = await count(workspace, table.lake, 'workspace_operation');

  expect((await expire(table)).expired).toBeGreaterThan(3);
  for (const kept of [versions[1]!, young, newest]) expect(await table.readAt(kept)).toBe(before.get(kept));
  for (const gone of [versions[0]!, versions[2]!]) expect(await table.readAt(gone)).toBe('version_expired');
  expect(await count(workspace, table.lake, 'workspace_operation')).toBe(operations);
  expect(await expire(table)).toEqual({ expired: 0, hasMore: false });

  await inOrganization(workspace.deps.db, table.organizationId, (db) =>
    deleteLakePins(db, table.organizationId, 'test/one'),
  );
  expect((await expire(table)).expired).toBe(1);
  expect(await table.readAt(versions[1]!)).toBe('version_expired');
  expect(await table.select('SELECT count(*) AS n FROM readings')).toEqual([{ n: 6 }]);
});

test('the current version of a table that rests stays readable by its number, long after its snapshot went', async () => {
  const resting = await newTable(workspace, columns);
  const version = await resting.append([row(1), row(2)]);
  const rows = await resting.readAt(version);
  await age(resting, 8);
  await resting.client.call('POST', '/v1/grid/tables', {
    body: { name: 'busy', kind: 'data', columns },
  });
  expect((await expire(resting)).expired).toBeGreaterThan(0);
  expect(await resting.readAt(version)).toBe(rows);
  const answer = await resting.client.call('GET', `/v1/tables/${resting.id}/rows`);
  expect(answer.body.items).toHaveLength(2);
  const sql = 'SELECT count(*) AS n FROM readings';
  const past = await resting.client.call('POST', '/v1/query-executions', {
    body: { sql, row_format: 'rows', at_versions: { readings: version } },
  });
  expect(past.body.data).toMatchObject({ rows: [{ n: 2 }], scanned: { tables: [{ version }] } });
});

test('a pin whose time has passed holds nothing, and is removed', async () => {
  const table = await newTable(workspace, columns);
  const version = await table.append([row(0)]);
  await table.append([row(1)]);
  await pin(table, version, 'test/late', new Date(Date.now() - 1));
  await age(table, 8);
  await expire(table);
  expect(await table.readAt(version)).toBe('version_expired');
  const { rows } = await query(workspace, `SELECT 1 FROM lake_pins WHERE holder = 'test/late'`);
  expect(rows).toEqual([]);
  await expect(pin(table, version, 'test/again', tomorrow())).rejects.toMatchObject({
    code: 'version_expired',
  });
});

test('files that merging and expiry let go of are removed a day later, and what is read stays', async () => {
  const table = await newTable(workspace, columns);
  for (const id of range(0, 9)) {
    await table.append([row(id)]);
    await flushTable(maintained.lake, table.lake, table);
  }
  await mergeTable(maintained.lake, table.lake, table);
  const before = await table.remember();
  expect(await removeOldFiles(maintained.lake, table.lake)).toBe(0);
  await query(
    workspace,
    `UPDATE "${table.lake.schema}".ducklake_files_scheduled_for_deletion SET schedule_start = schedule_start - interval '2 days'`,
  );
  expect(await removeOldFiles(maintained.lake, table.lake)).toBe(9);
  expect(await removeOldFiles(maintained.lake, table.lake)).toBe(0);
  expect(await table.remember()).toEqual(before);
});

test('what the catalog kept for a table that was deleted goes with its last version', async () => {
  const table = await newTable(workspace, columns);
  await table.append([row(1)]);
  await flushTable(maintained.lake, table.lake, table);
  const body = { name: 'note', data_type: 'STRING' };
  await table.client.call('POST', `/v1/grid/tables/${table.id}/columns`, { body });
  await table.append([row(2)]);
  await flushTable(maintained.lake, table.lake, table);
  const leftovers = () =>
    query(
      workspace,
      `SELECT 1 FROM pg_tables WHERE schemaname = '${table.lake.schema}' AND tablename ~ '^ducklake_inlined_data_[0-9]'`,
    );
  expect((await leftovers()).rowCount).toBe(2);
  await table.client.call('DELETE', `/v1/tables/${table.id}?confirm=true`);
  await table.client.call('POST', '/v1/grid/tables', { body: { name: 'other', kind: 'data', columns } });
  await age(table, 8);
  await query(
    workspace,
    `UPDATE "${table.lake.schema}".ducklake_snapshot SET snapshot_time = now()
     WHERE snapshot_id = (SELECT max(snapshot_id) FROM "${table.lake.schema}".ducklake_snapshot)`,
  );
  while ((await expire(table)).hasMore);
  expect((await leftovers()).rowCount).toBe(1);
});

test('files that are staged and not yet committed stay', async () => {
  const table = await newTable(workspace, columns);
  await table.append([row(0)]);
  const { bucket } = workspace.deps.objects.settings;
  const key = `${table.lake.writer.dataPath.slice(`s3://${bucket}/`.length)}main/imp_running/part0.parquet`;
  await workspace.deps.objects.put(key, Buffer.from('staged'), 'application/octet-stream');
  expect(await removeOrphans({ lake: maintained.lake, objects: workspace.deps.objects }, table.lake)).toBe(0);
  const chunks: Buffer[] = [];
  for await (const chunk of await workspace.deps.objects.read(key)) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe('staged');
});

test('uploads that never ended are given up a week after they were begun, of this lake and no other', async () => {
  const [table, other] = [await newTable(workspace, columns), await newTable(workspace, columns)];
  const { objects } = workspace.deps;
  const { bucket: Bucket, endpoint, region, accessKeyId, secretAccessKey } = objects.settings;
  const s3 = new S3Client({
    region,
    endpoint: endpoint!,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  });
  onTestFinished(() => s3.destroy());
  const folderOf = ({ lake }: LabTable) => lake.writer.dataPath.slice(`s3://${Bucket}/`.length);
  for (const one of [table, table, other])
    await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: `${folderOf(one)}main/${randomUUID()}` }));
  const open = async (of: LabTable) => {
    const { Uploads } = await s3.send(new ListMultipartUploadsCommand({ Bucket, Prefix: folderOf(of) }));
    return Uploads?.length ?? 0;
  };
  const deps = { lake: maintained.lake, objects };
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  expect(await removeOrphans(deps, table.lake, inDays(6))).toBe(0);
  expect(await removeOrphans(deps, table.lake, inDays(8))).toBe(2);
  expect([await open(table), await open(other)]).toEqual([0, 1]);
});
