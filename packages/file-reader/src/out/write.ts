import { randomUUID } from 'node:crypto';
import type { FileStore, ReaderDeps, StagedFile } from '../contract.ts';
import { literal } from '../sql.ts';

const rowGroupRows = 122_880;
/** Maximum values per row group; limits the writer's memory for very wide tables. */
const rowGroupValues = 12_288_000;
const fileSizeBytes = 256 * 1024 * 1024;
/** The result is split into several files if the source is at least this large. */
const splitFromBytes = 512 * 1024 * 1024;

export interface WriteOptions {
  store: Pick<FileStore, 'rootUrl' | 'remove'>;
  /** Below the store's `rootUrl`; ends with a slash. */
  prefixUrl: string;
  columns: number;
  sourceBytes: number;
}

/** Runs a statement on any connection and returns its rows. */
export type RunStatement = (sql: string) => Promise<readonly (readonly unknown[])[]>;

/** Writes the result of a SELECT in order to Parquet files with unique names. An empty result has no file. */
export async function writeParquet(
  run: RunStatement,
  select: string,
  options: WriteOptions,
): Promise<StagedFile[]> {
  const isSplit = options.sourceBytes >= splitFromBytes;
  const name = randomUUID();
  const url = options.prefixUrl + (isSplit ? name : `${name}.parquet`);
  const rows = Math.max(
    2_048,
    Math.min(rowGroupRows, Math.floor(rowGroupValues / options.columns / 2_048) * 2_048),
  );
  const settings = [
    'FORMAT parquet',
    'COMPRESSION zstd',
    `ROW_GROUP_SIZE ${rows}`,
    'RETURN_STATS',
    ...(isSplit ? [`FILE_SIZE_BYTES ${fileSizeBytes}`, "FILENAME_PATTERN 'part_{i}'"] : []),
  ];
  const written = await run(`COPY (${select}) TO ${literal(url)} (${settings.join(', ')})`);
  const files = written.map(([file, count, size]) => ({
    url: String(file),
    rows: Number(count),
    sizeBytes: Number(size),
  }));
  const { rootUrl } = options.store;
  for (const file of files) if (file.rows === 0) await options.store.remove(file.url.slice(rootUrl.length));
  return files.filter((file) => file.rows > 0);
}

/** Removes everything below a prefix of the store. */
export async function clearPrefix({ store }: ReaderDeps, prefixUrl: string): Promise<void> {
  const { rootUrl } = store;
  if (!prefixUrl.startsWith(rootUrl) || prefixUrl.length <= rootUrl.length || !prefixUrl.endsWith('/')) {
    throw new Error(`Not a prefix of the store: ${prefixUrl}`);
  }
  await store.removeAll(prefixUrl.slice(rootUrl.length));
}
