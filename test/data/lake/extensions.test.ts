import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ExtensionSource,
  extensionOptions,
  extensionSource,
  loadExtensions,
  queryExtensions,
  rememberChecked,
} from '../../../data/lake/engine/extensions.ts';
import { testStores } from '../../support/stores.ts';
import { useOrganization, useWorkspace } from '../../support/workspace.ts';

const workspace = useWorkspace();
const client = useOrganization(workspace);
const { extensionDir } = testStores();
const fileOf = (dir: string) => join(dir, 'excel.duckdb_extension');

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'extensions-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function load(source: ExtensionSource): Promise<string[]> {
  const instance = await DuckDBInstance.create(':memory:', {
    autoinstall_known_extensions: 'false',
    ...extensionOptions(source),
  });
  const connection = await instance.connect();
  try {
    return await loadExtensions(connection, source, ['excel']);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

test('a file whose signature is not right is refused', async () => {
  await copyFile(fileOf(extensionDir), fileOf(dir));
  const bytes = await readFile(fileOf(dir));
  // In the middle of the code, which the signature covers.
  bytes[bytes.length >> 1]! ^= 1;
  await writeFile(fileOf(dir), bytes);
  await expect(load(extensionSource(dir, ['excel']))).rejects.toThrow(/signature/i);
});

test('files are trusted once a process has loaded each of them with its signature checked', async () => {
  expect(extensionSource(dir, ['excel'])).toEqual({ extensionDir: dir, areExtensionsChecked: false });
  expect(await load(extensionSource(extensionDir, ['excel']))).toEqual(['excel']);
  rememberChecked(dir, ['excel']);
  expect(extensionSource(dir, ['excel'])).toEqual({ extensionDir: dir, areExtensionsChecked: true });
  expect(extensionSource(dir, ['excel', 'httpfs']).areExtensionsChecked).toBe(false);
  expect(extensionSource(undefined, ['excel']).areExtensionsChecked).toBe(false);
  // The workspace's own query processes have said so of theirs.
  const answer = await client.call('POST', '/v1/query-executions', { body: { sql: 'SELECT 1 AS one' } });
  expect(answer.status, answer.text).toBe(200);
  expect(extensionSource(extensionDir, queryExtensions).areExtensionsChecked).toBe(true);
});

test('an engine that checks no signatures installs nothing', async () => {
  await rm(fileOf(dir));
  const source = { extensionDir: dir, areExtensionsChecked: true };
  await expect(load(source)).rejects.toThrow(/excel\.duckdb_extension/);
});
