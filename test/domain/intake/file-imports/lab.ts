import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalEngine } from '../../../../data/lake/engine/local.ts';
import { createObjectStore } from '../../../../data/objects/store.ts';
import { BadFileError, type ImportFailure } from '../../../../domain/intake/file-imports/bad-file.ts';
import type {
  ColumnMapping,
  ImportDeps,
  ImportFormat,
  ImportOptions,
  ImportSource,
  Preview,
  PreviewPage,
  Staged,
  StagedFile,
} from '../../../../domain/intake/file-imports/contract.ts';
import { preview } from '../../../../domain/intake/file-imports/preview.ts';
import { stage } from '../../../../domain/intake/file-imports/stage.ts';
import { testStores } from '../../../support/stores.ts';

export interface ImportLab {
  deps: ImportDeps;
  /** Ends in a slash; everything of this lab is under it. */
  prefixUrl: string;
  upload(content: string | Buffer, format?: ImportFormat): Promise<ImportSource>;
  query(sql: string): Promise<unknown[][]>;
  /** Runs the import; returns the rows as the engine shows them. */
  importFile(source: ImportSource, options?: Partial<ImportOptions>, quarantine?: boolean): Promise<Imported>;
  previewFile(
    source: ImportSource,
    options?: Partial<ImportOptions>,
    page?: Partial<PreviewPage>,
  ): Promise<Preview>;
  /** Urls of the objects under a prefix. */
  list(prefixUrl: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface Imported {
  staged: Staged;
  prefixUrl: string;
  /** Name and type of each column, as `name TYPE`. */
  columns: string[];
  rows: unknown[][];
  quarantined: unknown[][];
}

/** A mapping of a column to one of the same name. */
export function mapping(name: string, dataType: string, rest: Partial<ColumnMapping> = {}): ColumnMapping {
  const same = { sourceColumnName: name, targetColumnName: name, dataType };
  return { ...same, unique: false, nullable: true, required: true, ...rest };
}

/** The failure of a file that cannot be imported. */
export async function failureOf(work: Promise<unknown>): Promise<ImportFailure> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof BadFileError)) throw error ?? new Error('It did not fail');
  return error.failure;
}

const { extensionDir, objectStore } = testStores();

export async function openImportLab(): Promise<ImportLab> {
  const workDir = await mkdtemp(join(tmpdir(), 'import-lab-'));
  const engine = await createLocalEngine({
    extensionDir,
    objectStore,
    workDir,
    memoryLimitBytes: 1_000_000_000,
    threads: 2,
  });
  const objects = createObjectStore(objectStore);
  const root = `import-lab/${randomUUID()}/`;
  const query = (sql: string): Promise<unknown[][]> =>
    engine.scratch(async (connection) => (await connection.runAndReadAll(sql)).getRowsJson());
  const rowsOf = (files: StagedFile[]): Promise<unknown[][]> =>
    files.length === 0
      ? Promise.resolve([])
      : query(`FROM read_parquet([${files.map(({ url }) => `'${url}'`).join(', ')}])`);
  const list = async (prefixUrl: string): Promise<string[]> =>
    (await query(`SELECT file FROM glob('${prefixUrl}**')`)).map(([url]) => String(url));
  const deps: ImportDeps = { engine, objects, workDir };
  let imports = 0;
  return {
    deps,
    list,
    async importFile(source, options = {}, quarantine = false) {
      imports += 1;
      const target = { prefixUrl: `s3://${objectStore.bucket}/${root}out/${imports}/`, quarantine };
      const signal = new AbortController().signal;
      const staged = await stage(
        deps,
        source,
        { includeLoadDate: false, ...options },
        target,
        () => undefined,
        signal,
      );
      return {
        staged,
        prefixUrl: target.prefixUrl,
        columns: staged.table.columns.map(({ name, dataType }) => `${name} ${dataType}`),
        rows: await rowsOf(staged.table.files),
        quarantined: await rowsOf(staged.quarantine?.files ?? []),
      };
    },
    previewFile: (source, options = {}, page = {}) =>
      preview(deps, source, { includeLoadDate: false, ...options }, { pageNumber: 1, pageSize: 50, ...page }),
    prefixUrl: `s3://${objectStore.bucket}/${root}`,
    async upload(content, format = 'csv') {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      const objectKey = `${root}source/${randomUUID()}`;
      await objects.put(objectKey, bytes, 'application/octet-stream');
      return { objectKey, path: `file.${format}`, sizeBytes: bytes.length, format };
    },
    query,
    async close() {
      await objects.removeAll(root);
      objects.close();
      engine.close();
      await rm(workDir, { recursive: true, force: true });
    },
  };
}
