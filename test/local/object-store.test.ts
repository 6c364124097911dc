import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createObjectStore, type ObjectStore } from '../../data/objects/store.ts';
import { type ObjectStoreHandle, startObjectStore } from '../../local/object-store.ts';
import { ensureTools } from '../../local/tools.ts';

let dataDir: string;
let handle: ObjectStoreHandle;
let store: ObjectStore;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'workspace-object-store-'));
  const { weed } = await ensureTools({ report: () => undefined });
  handle = await startObjectStore({ dataDir, logFile: join(dataDir, 's3.log'), weed });
  const { endpoint, region, accessKeyId, secretAccessKey } = handle;
  store = createObjectStore({ endpoint, region, bucket: 'workspace', accessKeyId, secretAccessKey });
  await store.ensureBucket();
  await store.put('a/b', Buffer.from('private'), 'text/plain');
});
afterAll(async () => {
  store?.close();
  await handle?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('nothing but the S3 gateway gives objects out, takes them or removes them', async () => {
  const ports = JSON.parse(readFileSync(join(dataDir, 'ports.json'), 'utf8')) as Record<string, number>;
  const url = `http://127.0.0.1:${ports['filer']}/buckets/workspace/a/b`;
  for (const [method, at, body] of [
    ['GET', url, undefined],
    ['GET', `http://127.0.0.1:${ports['filer']}/`, undefined],
    ['PUT', `${url}2`, 'x'],
    ['DELETE', url, undefined],
    ['GET', `http://127.0.0.1:${ports['master']}/dir/assign`, undefined],
    ['GET', `http://127.0.0.1:${ports['master']}/dir/lookup?volumeId=1`, undefined],
  ] as const) {
    const answer = await fetch(at, { method, ...(body === undefined ? {} : { body }) });
    expect([method, answer.status, await answer.text()]).toEqual([
      method,
      404,
      expect.not.stringContaining('private'),
    ]);
  }
  expect((await store.head('a/b'))?.sizeBytes).toBe(7);
});

test('its files are for their owner alone', () => {
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dataDir, 'security.toml')).mode & 0o777).toBe(0o600);
});
