import { pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import { BadFileError } from '../bad-file.ts';
import type { ReaderDeps, SourceFile } from '../contract.ts';
import { RangeReader } from './range-reader.ts';

const maxDirectoryBytes = 8 * 1024 * 1024;
const maxEntries = 10_000;
/** An archive that unpacks to more than this, and to more than `maxRatio` times its size, is a bomb. */
const harmlessBytes = 64 * 1024 * 1024;
const maxRatio = 200;
const maxUnpackedBytes = 4 * 1024 ** 3;
const stored = 0;
const deflated = 8;

export interface Archive {
  /** Of the archive itself. */
  sizeBytes: number;
  /** Names of entries are compared ignoring case, as those of a package's parts are. */
  has(name: string): boolean;
  /** The unpacked bytes of an entry. Reading to the end verifies the checksum. */
  read(name: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer>;
}

/** Rejects an archive of `sizeBytes` that unpacks to too much. @throws BadFileError */
export function refuseBomb(unpackedBytes: number, sizeBytes: number): void {
  if (
    unpackedBytes > maxUnpackedBytes ||
    (unpackedBytes > harmlessBytes && unpackedBytes > sizeBytes * maxRatio)
  )
    throw new BadFileError('too_large', 'The workbook unpacks to far more than its size allows');
}

function broken(cause?: unknown): BadFileError {
  const error = new BadFileError('malformed_file', "The file isn't a valid XLSX workbook");
  error.cause = cause;
  return error;
}

/** Opens a zip archive in the store by its directory, which is at the end. */
export async function openArchive(deps: ReaderDeps, source: SourceFile): Promise<Archive> {
  const { sizeBytes } = source;
  const reader = new RangeReader(deps.store, source);
  /** Attributes errors of the library to the file, unless the store failed. */
  const blame = (error: unknown): unknown =>
    error instanceof BadFileError ? error : (reader.storeFailure ?? broken(error));
  try {
    const zip = await fromRandomAccessReaderPromise(reader, sizeBytes, { autoClose: false });
    const find = await readDirectory(zip);
    return {
      sizeBytes,
      has: (name) => find(name) !== undefined,
      async *read(name, signal) {
        try {
          yield* unpack(zip, find(name), sizeBytes, signal);
        } catch (error) {
          signal?.throwIfAborted();
          throw blame(error);
        }
      },
    };
  } catch (error) {
    throw blame(error);
  }
}

/** Finds an entry by its exact name, or else by one that differs in case. */
async function readDirectory(zip: ZipFile): Promise<(name: string) => Entry | undefined> {
  if (zip.entryCount > maxEntries) throw broken();
  const entries = new Map<string, Entry>();
  const folded = new Map<string, Entry>();
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    bytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    if (bytes > maxDirectoryBytes) throw broken();
    entries.set(entry.fileName, entry);
    folded.set(entry.fileName.toLowerCase(), entry);
  }
  return (name) => entries.get(name) ?? folded.get(name.toLowerCase());
}

async function* unpack(
  zip: ZipFile,
  entry: Entry | undefined,
  sizeBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  if (entry === undefined || entry.isEncrypted()) throw broken();
  if (entry.compressionMethod !== stored && entry.compressionMethod !== deflated) throw broken();
  refuseBomb(entry.uncompressedSize, sizeBytes);
  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false });
  const unpacked =
    entry.compressionMethod === stored
      ? packed
      : // An error in either stream destroys both and ends the loop below.
        pipeline(packed, createInflateRaw({ chunkSize: 64 * 1024 }), () => undefined);
  let bytes = 0;
  let checksum = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      bytes += chunk.length;
      if (bytes > entry.uncompressedSize) throw broken();
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
  if (bytes !== entry.uncompressedSize || checksum !== entry.crc32)
    throw new BadFileError('malformed_file', "The workbook is damaged: a checksum doesn't match");
}
