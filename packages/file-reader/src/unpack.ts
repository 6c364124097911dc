import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BadFileError } from './bad-file.ts';
import type { FileStore, ReaderDeps, SourceFile } from './contract.ts';
import { decompressors, isDecompressionFault } from './decompression.ts';
import { fileChunks, fileHead } from './text/chunks.ts';

interface Compression {
  name: keyof typeof decompressors;
  /** The first bytes of every such file. */
  magic: Buffer;
}

const compressions: readonly Compression[] = [
  { name: 'gzip', magic: Buffer.from([0x1f, 0x8b, 0x08]) },
  { name: 'zstd', magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]) },
];

/** A file that unpacks to more than this, and to more than `maxRatio` times its size, is a bomb. */
const harmlessBytes = 64 * 1_024 ** 2;
const maxRatio = 200;
const maxUnpackedBytes = 64 * 1_024 ** 3;
const mostFrames = 1_000_000;

interface Job {
  deps: ReaderDeps;
  source: SourceFile;
  /** Local folder, removed when the job ends. */
  folder: string;
  signal: AbortSignal | undefined;
}

/**
 * The job over the text that a compressed file holds, which is unpacked to a local file. Its content shows
 * whether a file is compressed, not its name; any other job is given back as it is.
 *
 * @throws BadFileError malformed_file, too_large
 */
export async function withUnpacked<T extends Job>(job: T): Promise<T> {
  const { deps, source, folder, signal } = job;
  const head = await fileHead(deps.store, source.key, source.sizeBytes, 4);
  const compression = compressions.find(({ magic }) => head.subarray(0, magic.length).equals(magic));
  if (compression === undefined) return job;
  if (source.format === 'parquet' || source.format === 'xlsx')
    throw new BadFileError(
      'malformed_file',
      `The file is compressed with ${compression.name}. Parquet files and workbooks are already compressed inside, so upload them without further compression`,
    );
  const path = join(folder, 'unpacked');
  const sizeBytes = await unpack(deps.store, source, { path, compression, signal });
  return {
    ...job,
    deps: { ...deps, store: withLocal(deps.store, source.key, path) },
    source: { ...source, sizeBytes, localPath: path },
  };
}

async function unpack(
  store: FileStore,
  { key, sizeBytes }: SourceFile,
  { path, compression, signal }: { path: string; compression: Compression; signal: AbortSignal | undefined },
): Promise<number> {
  const most = Math.min(maxUnpackedBytes, Math.max(harmlessBytes, sizeBytes * maxRatio));
  let unpackedBytes = 0;
  async function* bounded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      unpackedBytes += chunk.length;
      if (unpackedBytes > most)
        throw new BadFileError('too_large', 'The file unpacks to far more data than its size allows');
      yield chunk;
    }
  }
  const file = await open(path, 'w');
  try {
    await pipeline(
      Readable.from(fileChunks(store, key, sizeBytes, { signal })),
      decompressors[compression.name](mostFrames),
      bounded,
      file.createWriteStream(),
      ...(signal === undefined ? [] : [{ signal }]),
    );
  } catch (error) {
    if (isDecompressionFault(error))
      throw new BadFileError(
        'malformed_file',
        `The file isn't complete, or isn't valid ${compression.name}, so it cannot be unpacked`,
      );
    throw error;
  } finally {
    await file.close().catch(() => undefined);
  }
  return unpackedBytes;
}

/** The store with one of its files read from a local one. */
function withLocal(store: FileStore, key: string, path: string): FileStore {
  return {
    ...store,
    read: async (wanted, range) =>
      wanted === key
        ? createReadStream(path, range === undefined ? {} : { start: range.from, end: range.to })
        : store.read(wanted, range),
  };
}
