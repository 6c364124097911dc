import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReservedColumn } from '../../../../data/lake/ducklake/catalog.ts';
import { createLocalEngine } from '../../../../data/lake/engine/local.ts';
import { createObjectStore } from '../../../../data/objects/store.ts';
import { previewRows } from '../../../../domain/intake/file-imports/preview-rows.ts';
import {
  type ColumnMapping,
  type FileFormat,
  openReader,
  type Reader,
  type ReadOptions,
  type SourceFile,
  type Staged,
} from '../../../../packages/file-reader/index.ts';
import { testStores } from '../../../support/stores.ts';

/** The reader of files with an engine and an object store of the service. */
export interface ImportLab {
  reader: Reader;
  /** Ends in a slash; everything of this lab is under it. */
  prefixUrl: string;
  upload(content: string | Buffer, format?: FileFormat): Promise<SourceFile>;
  query(sql: string): Promise<unknown[][]>;
  /** Imports the file; bad records are quarantined. */
  importFile(source: SourceFile, options: Partial<ReadOptions>): Promise<Staged>;
  /** The Parquet file of a query's result. */
  parquet(select: string): Promise<Buffer>;
  close(): Promise<void>;
}

/** A mapping of a column to one of the same name. */
export function mapping(name: string, dataType: string, rest: Partial<ColumnMapping> = {}): ColumnMapping {
  const same = { sourceColumnName: name, targetColumnName: name, dataType };
  return { ...same, unique: false, nullable: true, required: true, ...rest };
}

const { extensionDir, objectStore } = testStores();

export async function openImportLab(): Promise<ImportLab> {
  const workDir = await mkdtemp(join(tmpdir(), 'import-lab-'));
  const memoryLimitBytes = 1_000_000_000;
  const engine = await createLocalEngine({
    extensionDir,
    objectStore,
    workDir,
    memoryLimitBytes,
    threads: 2,
  });
  const objects = createObjectStore(objectStore);
  const root = `import-lab/${randomUUID()}/`;
  const prefixUrl = objects.rootUrl + root;
  const reader = await openReader({
    ...{ engine, store: objects, workDir, isReserved: isReservedColumn, readRows: previewRows },
  });
  const query = (sql: string): Promise<unknown[][]> =>
    engine.scratch(async (connection) => (await connection.runAndReadAll(sql)).getRowsJson());
  return {
    ...{ reader, prefixUrl, query },
    importFile: (source, options) =>
      reader.stage(
        source,
        { includeLoadDate: false, ...options },
        { prefixUrl: `${prefixUrl}out/${randomUUID()}/`, quarantine: true },
        () => undefined,
        new AbortController().signal,
      ),
    async upload(content, format = 'csv') {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      const key = `${root}source/${randomUUID()}`;
      await objects.put(key, bytes, 'application/octet-stream');
      return { key, sizeBytes: bytes.length, format };
    },
    async parquet(select) {
      const key = `${root}${randomUUID()}.parquet`;
      await query(`COPY (${select}) TO '${objects.rootUrl}${key}' (FORMAT parquet)`);
      const parts: Buffer[] = [];
      for await (const part of await objects.read(key)) parts.push(part as Buffer);
      return Buffer.concat(parts);
    },
    async close() {
      await objects.removeAll(root);
      objects.close();
      engine.close();
      await rm(workDir, { recursive: true, force: true });
    },
  };
}
