import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { readBytes } from '../../../data/objects/read.ts';
import { createObjectStore } from '../../../data/objects/store.ts';
import { relocate } from '../../../service/backup/relocate.ts';
import { verify } from '../../../service/backup/verify.ts';
import { examineLakes } from '../../../service/doctor/lakes.ts';
import { readWorkerConfig } from '../../../worker/config.ts';
import { imported } from '../../support/lineage.ts';
import { rowsOf } from '../../support/snapshots.ts';
import { useWorker } from '../../support/worker.ts';
import { clientOf, type TestClient, useOwnWorkspace } from '../../support/workspace.ts';

const [bucket, otherBucket] = [0, 1].map(() => `relocate-${randomUUID().slice(0, 13)}`) as [string, string];
const workspace = useOwnWorkspace({}, () => ({ S3_BUCKET: bucket }));
useWorker(workspace);
const configOf = (at: string) =>
  readWorkerConfig({ ...process.env, DATABASE_URL: workspace.databaseUrl, S3_BUCKET: at });
let client: TestClient;

beforeAll(async () => {
  client = await workspace.organization();
  await imported(client, { path: 'sales.csv', content: 'id\n1\n2\n', tableName: 'sales' });
});

const moved = useOwnWorkspace({}, () => ({ DATABASE_URL: workspace.databaseUrl, S3_BUCKET: otherBucket }));

test('a lake whose files are in another bucket is refused, and no process starts', async () => {
  const answer = await clientOf(moved.call, client).call('POST', '/v1/query-executions', {
    body: { sql: 'SELECT count(*) FROM sales' },
  });
  expect([answer.status, answer.body.code]).toEqual([503, 'storage_unavailable']);
  expect(answer.text).not.toContain(bucket);
  const found = await examineLakes(configOf(otherBucket));
  expect(found).toMatchObject({ state: 'failed', isFatal: true });
  expect(found?.found).toBe(
    `1 lake has its files in another bucket, such as ${bucket}. S3_BUCKET is ${otherBucket}.`,
  );
  expect((await verify(configOf(otherBucket), { hashes: 0 })).faults[0]).toContain(
    `outside s3://${otherBucket}/`,
  );
  expect(await examineLakes(configOf(bucket))).toMatchObject({ state: 'ok' });
});

test('after its objects were copied, relocate makes it read and write the other bucket', async () => {
  const [from, to] = [bucket, otherBucket].map((at) => createObjectStore(configOf(at).objectStore));
  for await (const { key } of from!.each('')) await to!.put(key, await readBytes(from!, key), 'text/plain');
  const names: string[] = [];
  expect(await relocate(configOf(otherBucket), ({ organizationId }) => names.push(organizationId))).toBe(1);
  expect(names).toEqual([client.organizationId]);
  expect(await relocate(configOf(otherBucket), () => undefined)).toBe(0);
  await from!.removeAll('');
  const there = clientOf(moved.call, client);
  expect(await rowsOf(there, 'SELECT count(*)::INT AS n FROM sales')).toEqual([{ n: 2 }]);
  const { body } = await there.call('POST', '/v1/query-executions', {
    body: { sql: 'SELECT max(id) AS n FROM sales' },
  });
  expect(body.data.rows).toEqual([{ n: 2 }]);
  expect((await verify(configOf(otherBucket), { hashes: 0 })).faults).toEqual([]);
  from!.close();
  to!.close();
});
