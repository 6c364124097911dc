import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type DuckDBConnection,
  DuckDBInstance,
  DuckDBListType,
  DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId,
  type Json,
} from '@duckdb/node-api';
import {
  BadFileError,
  type ColumnMapping,
  type FileFailure,
  type FileFormat,
  localStore,
  openReader,
  type Preview,
  type PreviewPage,
  type Reader,
  type ReadOptions,
  type SourceFile,
  type Staged,
  type StagedFile,
} from '../index.ts';
import { parseExactJson } from '../src/json/exact.ts';

export interface Lab {
  reader: Reader;
  /** Ends in a slash; everything of this lab is under it. */
  prefixUrl: string;
  upload(content: string | Buffer, format?: FileFormat): Promise<SourceFile>;
  query(sql: string): Promise<unknown[][]>;
  /** Converts the file; returns the rows as the engine shows them. */
  importFile(source: SourceFile, options?: Partial<ReadOptions>, quarantine?: boolean): Promise<Imported>;
  previewFile(
    source: SourceFile,
    options?: Partial<ReadOptions>,
    page?: Partial<PreviewPage>,
  ): Promise<Preview>;
  /** The Parquet file of a query's result. */
  parquet(select: string): Promise<Buffer>;
  /** Urls of the files under a prefix. */
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

/** The failure of a file that cannot be read. */
export async function failureOf(work: Promise<unknown>): Promise<FileFailure> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof BadFileError)) throw error ?? new Error('It did not fail');
  return error.failure;
}

/** A reader of a local folder, with an engine of its own. */
export async function openLab(): Promise<Lab> {
  const folder = await mkdtemp(join(tmpdir(), 'file-reader-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GB' });
  const store = localStore(folder);
  const scratch = async <T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> => {
    const connection = await instance.connect();
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
    }
  };
  const isReserved = (name: string) => name.toLowerCase() === 'reserved';
  const reader = await openReader({
    ...{ engine: { scratch }, store, workDir: join(folder, 'work'), isReserved, readRows },
  });
  const query = (sql: string): Promise<unknown[][]> =>
    scratch(async (connection) => (await connection.runAndReadAll(sql)).getRowsJson());
  const rowsOf = (files: StagedFile[]): Promise<unknown[][]> =>
    files.length === 0
      ? Promise.resolve([])
      : query(`FROM read_parquet([${files.map(({ url }) => `'${url}'`).join(', ')}])`);
  await mkdir(join(folder, 'source'));
  let imports = 0;
  return {
    reader,
    query,
    prefixUrl: store.rootUrl,
    list: async (prefixUrl) =>
      (await query(`SELECT file FROM glob('${prefixUrl}**')`)).map(([url]) => String(url)),
    async importFile(source, options = {}, quarantine = false) {
      imports += 1;
      const prefixUrl = `${store.rootUrl}out/${imports}/`;
      const { signal } = new AbortController();
      const staged = await reader.stage(
        source,
        { includeLoadDate: false, ...options },
        { prefixUrl, quarantine },
        () => undefined,
        signal,
      );
      return {
        staged,
        prefixUrl,
        columns: staged.table.columns.map(({ name, dataType }) => `${name} ${dataType}`),
        rows: await rowsOf(staged.table.files),
        quarantined: await rowsOf(staged.quarantine?.files ?? []),
      };
    },
    previewFile: (source, options = {}, page = {}) =>
      reader.preview(
        source,
        { includeLoadDate: false, ...options },
        { pageNumber: 1, pageSize: 50, ...page },
      ),
    async upload(content, format = 'csv') {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      const key = `source/${randomUUID()}`;
      await writeFile(join(folder, key), bytes);
      return { key, sizeBytes: bytes.length, format };
    },
    async parquet(select) {
      const path = join(folder, 'source', randomUUID());
      await query(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
      return readFile(path);
    },
    async close() {
      instance.closeSync();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Integers as numbers, and else as the engine's client writes JSON. */
async function readRows(connection: DuckDBConnection, sql: string) {
  const read = await connection.runAndReadAll(sql);
  const types = read.columnTypes();
  return read.getRowsJson().map((row) => row.map((value, index) => withNumbers(value, types[index]!)));
}

function withNumbers(value: Json, type: DuckDBType): Json {
  if (value === null) return null;
  if (type instanceof DuckDBListType)
    return (value as Json[]).map((item) => withNumbers(item, type.valueType));
  if (type instanceof DuckDBStructType)
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, withNumbers(member, type.typeForEntry(name))]),
    );
  if (type.alias === 'JSON') return parseExactJson(String(value), true) as Json;
  const isNumber = type.typeId === DuckDBTypeId.BIGINT && Number.isSafeInteger(Number(value));
  return isNumber ? Number(value) : value;
}
