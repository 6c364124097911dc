import { randomUUID } from 'node:crypto';
import { CreateMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { afterAll, expect, test } from 'vitest';
import { createObjectStore } from '../../../data/objects/store.ts';
import { removeBelow } from '../../../domain/tables/staging/staging.ts';
import { testStores } from '../../support/stores.ts';

const settings = testStores().objectStore;
const objects = createObjectStore(settings);
const client = new S3Client({
  region: settings.region,
  endpoint: settings.endpoint!,
  forcePathStyle: true,
  credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
});
afterAll(() => {
  objects.close();
  client.destroy();
});

/** As a process leaves it that is lost while it writes. */
async function beginUpload(Key: string, bytes: number): Promise<void> {
  const place = { Bucket: settings.bucket, Key };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(place));
  await client.send(new UploadPartCommand({ ...place, UploadId, PartNumber: 1, Body: Buffer.alloc(bytes) }));
}

test('unfinished uploads count, and are removed with the objects beside them and nothing else', async () => {
  const folder = `unfinished/${randomUUID()}/`;
  await objects.put(`${folder}a`, Buffer.alloc(10), 'text/plain');
  await objects.put(`${folder.slice(0, -1)}b`, Buffer.alloc(7), 'text/plain');
  await beginUpload(`${folder}c`, 100);
  await beginUpload(`${folder}d`, 1_000);
  expect(await objects.sizeOfAll(folder)).toBe(1_110);
  expect(await objects.list(folder, 10)).toMatchObject([{ key: `${folder}a`, sizeBytes: 10 }]);
  await removeBelow({ objects }, `s3://${settings.bucket}/${folder}`);
  expect(await objects.sizeOfAll(folder)).toBe(0);
  expect(await objects.abortUploads(folder)).toBe(0);
  expect(await objects.sizeOfAll(folder.slice(0, -1))).toBe(7);
});

test('uploads that somebody else aborts at the same time are no fault', async () => {
  const folder = `unfinished/${randomUUID()}/`;
  for (let n = 0; n < 5; n += 1) await beginUpload(`${folder}${n}`, 10);
  await Promise.all(Array.from({ length: 4 }, () => objects.abortUploads(folder)));
  expect(await objects.sizeOfAll(folder)).toBe(0);
});

test('a list ends where it is told to', async () => {
  const folder = `unfinished/${randomUUID()}/`;
  for (const name of ['c', 'a', 'b']) await objects.put(folder + name, Buffer.alloc(1), 'text/plain');
  expect((await objects.list(folder, 2)).map(({ key }) => key)).toEqual([`${folder}a`, `${folder}b`]);
});
