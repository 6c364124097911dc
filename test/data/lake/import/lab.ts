import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLakeEngine } from '../../../../data/lake/engine.ts';
import type { ImportDeps, ImportFormat, ImportSource } from '../../../../data/lake/import/contract.ts';
import type { ObjectStoreSettings } from '../../../../data/lake/location.ts';
import { createObjectStore } from '../../../../data/objects/store.ts';

export interface ImportLab {
  deps: ImportDeps;
  /** Ends in a slash; everything of this lab is under it. */
  prefixUrl: string;
  upload(content: string | Buffer, format?: ImportFormat): Promise<ImportSource>;
  query(sql: string): Promise<unknown[][]>;
  close(): Promise<void>;
}

const extensionDir = process.env['DUCKDB_EXTENSION_DIR'] ?? join(tmpdir(), 'lab', 'ext');
export const objectStore: ObjectStoreSettings = {
  endpoint: process.env['S3_ENDPOINT'] ?? 'http://127.0.0.1:18333',
  region: process.env['S3_REGION'] ?? 'us-east-1',
  bucket: process.env['S3_BUCKET'] ?? 'workspace',
  accessKeyId: process.env['S3_ACCESS_KEY_ID'] ?? 'ak',
  secretAccessKey: process.env['S3_SECRET_ACCESS_KEY'] ?? 'sk',
};

export async function openImportLab(): Promise<ImportLab> {
  const workDir = await mkdtemp(join(tmpdir(), 'import-lab-'));
  const engine = await createLakeEngine({
    extensionDir,
    objectStore,
    workDir,
    memoryLimitBytes: 1_000_000_000,
    threads: 2,
    maxAttached: 2,
  });
  const objects = createObjectStore(objectStore);
  const root = `import-lab/${randomUUID()}/`;
  const query = (sql: string): Promise<unknown[][]> =>
    engine.scratch(async (connection) => (await connection.runAndReadAll(sql)).getRowsJson());
  return {
    deps: { engine, objects, extensionDir, workDir },
    prefixUrl: `s3://${objectStore.bucket}/${root}`,
    async upload(content, format = 'csv') {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      const objectKey = `${root}source/${randomUUID()}`;
      await objects.put(objectKey, bytes, 'application/octet-stream');
      return { objectKey, path: `file.${format}`, sizeBytes: bytes.length, format };
    },
    query,
    async close() {
      for (const [url] of await query(`SELECT file FROM glob('s3://${objectStore.bucket}/${root}**')`)) {
        await objects.remove(String(url).slice(`s3://${objectStore.bucket}/`.length));
      }
      objects.close();
      engine.close();
      await rm(workDir, { recursive: true, force: true });
    },
  };
}
