import { AppError } from '../../../../data/errors.ts';
import { isReservedColumn } from '../../../../data/lake/ducklake/catalog.ts';
import { type CopiedFile, withCopiedTable } from '../../../../data/lake/ducklake/copied-catalog.ts';
import type { OtherFile } from '../../../../data/lake/ducklake/other-table.ts';
import type { EngineConnection } from '../../../../data/lake/engine/contract.ts';
import { isOutOfMemory } from '../../../../data/lake/engine/failure.ts';
import { identifier } from '../../../../data/lake/sql.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import {
  columnNames,
  maxColumns,
  typedColumn,
  writeParquet,
} from '../../../../packages/file-reader/index.ts';
import { InternalFailure } from '../../data-connections/failure.ts';
import type { SourceTarget } from '../../data-connections/sources/source.ts';
import { declaredColumn } from '../../file-imports/staged.ts';
import type { CopyProgress } from '../snapshot-runs.ts';
import type { Copied, CopyDeps, WithEngine } from './copier.ts';
import { maxLineBytes, readCatalog } from './ducklake-catalog.ts';
import { keyOf, readLakeFile } from './ducklake-files.ts';
import { copyTooLarge } from './limits.ts';

/**
 * Copies a table of another lake at one of its snapshots. The catalog is read over the pinned connection, the
 * files through checked requests. The files are uploaded to our bucket, where an engine reads them with a
 * temporary catalog; the engine has no access to the source.
 */
export async function copyDucklake(
  deps: CopyDeps,
  target: SourceTarget,
  withEngine: WithEngine,
  { resource, prefixUrl }: { resource: string; prefixUrl: string },
  progress: (progress: CopyProgress) => void,
  signal: AbortSignal,
): Promise<Copied> {
  const { objects, maxBytes } = deps;
  const bucketUrl = `s3://${objects.settings.bucket}/`;
  const sourcePrefix = `${prefixUrl.slice(bucketUrl.length)}source/`;
  /** The source's failure; any other failure is internal. */
  let thrown: unknown;
  /** The source's keys, by the URLs of the copies. */
  const keys = new Map<string, string>();
  let bytes = 0;
  let total = 0;

  async function* noting(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of source) {
        bytes += chunk.length;
        progress({ fraction: 0.5 * Math.min(1, bytes / total), rows: 0, bytes });
        yield chunk;
      }
    } catch (error) {
      thrown = error;
      throw error;
    }
  }
  async function fetchAll(files: readonly (OtherFile & { key: string })[]): Promise<CopiedFile[]> {
    const copied: CopiedFile[] = [];
    for (const { key, ...file } of files) {
      const name = `${sourcePrefix}${keys.size}.${file.format}`;
      keys.set(bucketUrl + name, key);
      const source = readLakeFile(target, { key, sizeBytes: file.file_size_bytes }, signal);
      await objects.upload(name, noting(source)).catch((error: unknown) => {
        // The store wraps a reader's error in one of its own.
        throw thrown ?? new InternalFailure(error);
      });
      copied.push({ ...file, url: bucketUrl + name });
    }
    return copied;
  }

  try {
    const {
      table,
      parts,
      bytes: inlined,
    } = await readCatalog(deps, target, { resource, sourcePrefix }, signal);
    const withKey = (file: OtherFile) => ({ ...file, key: keyOf(target, table, file) });
    const files = table.files.map(withKey);
    const deletions = table.deletions.map(withKey);
    bytes = inlined;
    total = [...files, ...deletions].reduce((sum, file) => sum + file.file_size_bytes, inlined);
    if (total > maxBytes) throw copyTooLarge(maxBytes);
    const copied = {
      ...{ table, parts, files: await fetchAll(files), deletions: await fetchAll(deletions) },
      ...{ dataUrl: `${prefixUrl}source/`, maxLineBytes },
    };
    return await withEngine(signal, (engine) =>
      withCopiedTable(engine, copied, async (relation) => {
        const staged = await stage(engine, relation, { store: objects, prefixUrl, sourceBytes: total });
        progress({ fraction: 0.95, rows: staged.rows, bytes });
        return { ...staged, bytes };
      }).catch((error: unknown) => {
        throw asCopyFailure(error, { resource, sourceUrl: copied.dataUrl, keys });
      }),
    );
  } finally {
    await objects.removeAll(sourcePrefix).catch(() => undefined);
  }
}

/** Writes the relation with the types of the lake, like an import of Parquet. */
async function stage(
  engine: EngineConnection,
  relation: string,
  to: Pick<Parameters<typeof writeParquet>[2], 'store' | 'prefixUrl' | 'sourceBytes'>,
) {
  const { rows: described } = await engine.read(`DESCRIBE ${relation}`);
  if (described.length > maxColumns)
    throw new RemoteFailure('request', `The table has more than ${maxColumns} columns, which is the limit.`);
  const found = described.map(([name, type, isNullable]) => ({
    name: String(name),
    isNullable: isNullable === 'YES',
    ...typedColumn(String(name), String(type)),
  }));
  const lossy = found.filter(({ losesNanoseconds }) => losesNanoseconds !== undefined);
  const losses = lossy.map(({ losesNanoseconds }) => `coalesce(bool_or(${losesNanoseconds}), false)`);
  const { rows: lost } =
    lossy.length === 0 ? { rows: [] } : await engine.read(`SELECT ${losses.join(', ')} FROM ${relation}`);
  for (const [index, one] of lossy.entries())
    if (lost[0]?.[index] === true) Object.assign(one, { dataType: 'STRING', value: one.text });
  const names = columnNames(
    found.map(({ name }) => name),
    isReservedColumn,
  );
  const terms = found.map(({ value }, index) => `${value} AS ${identifier(names[index]!)}`);
  const files = await writeParquet(
    async (sql) => (await engine.read(sql)).rows,
    `SELECT ${terms.join(', ')} FROM ${relation}`,
    { ...to, prefixUrl: `${to.prefixUrl}parquet/`, columns: found.length },
  );
  return {
    columns: found.map(({ dataType, isNullable }, index) =>
      declaredColumn(names[index]!, dataType, isNullable),
    ),
    files,
    rows: files.reduce((sum, one) => sum + one.rows, 0),
  };
}

/**
 * Whether the engine's error means a contradictory catalog, an invalid file or a value that does not match
 * its type, rather than a failure of our store, whose errors mention HTTP, or a full disk.
 */
function isOfSource({ message }: Error): boolean {
  const start = message.slice(0, 300);
  if (/^IO Error/.test(start)) return !/HTTP|No space|write/.test(start);
  return refusals.test(start) && !/^Invalid Input Error: Attempting to/.test(start);
}

const refusals =
  /^(?:Binder|Catalog|Constraint|Conversion|Invalid|Invalid Input|Not implemented|Out of Range|Parser|Serialization) Error/;

function asCopyFailure(
  error: unknown,
  { resource, sourceUrl, keys }: { resource: string; sourceUrl: string; keys: ReadonlyMap<string, string> },
): Error {
  if (error instanceof RemoteFailure || error instanceof InternalFailure) return error;
  if (isOutOfMemory(error))
    return new RemoteFailure(
      'request',
      `${resource} couldn't be read, because it needs more memory than a copy may use.`,
    );
  if (!(error instanceof Error) || error instanceof AppError || !isOfSource(error))
    return new InternalFailure(error);
  let [message = ''] = error.message.split('\n');
  for (const [url, key] of keys) message = message.replaceAll(url, key);
  // Rows from the source's catalog are stored there too.
  message = message.replaceAll(sourceUrl, '');
  return new RemoteFailure(
    'request',
    `${resource} couldn't be read: ${message.slice(0, 300).toWellFormed()}`,
  );
}
