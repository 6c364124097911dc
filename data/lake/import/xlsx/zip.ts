import type { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { BadFileError } from '../bad-file.ts';
import type { ImportDeps, ImportSource } from '../contract.ts';

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const tailBytes = 66 * 1024;
const maxDirectoryBytes = 8 * 1024 * 1024;
/** A small file that unpacks to more than this, and to more than `maxRatio` of its size, is a bomb. */
const harmlessBytes = 64 * 1024 * 1024;
const maxRatio = 200;
const maxUnpackedBytes = 4 * 1024 ** 3;

export interface ZipFile {
  has(name: string): boolean;
  /** The unpacked bytes of an entry. */
  read(name: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer>;
}

interface Entry {
  method: number;
  packedBytes: number;
  offset: number;
}

const broken = (): BadFileError =>
  new BadFileError('malformed_file', 'The file is not a valid XLSX workbook');

/** Opens a zip archive in the object store by its directory, which stands at the end. */
export async function openZip(deps: ImportDeps, source: ImportSource): Promise<ZipFile> {
  const { objectKey, sizeBytes } = source;
  const range = async (from: number, bytes: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for await (const part of await deps.objects.read(objectKey, { from, to: from + bytes - 1 }))
      parts.push(part as Buffer);
    return Buffer.concat(parts);
  };
  if (sizeBytes < 22) throw broken();
  const tail = await range(Math.max(0, sizeBytes - tailBytes), Math.min(sizeBytes, tailBytes));
  const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end === -1 || end + 22 > tail.length || tail.readUInt32LE(end) !== endSignature) throw broken();
  const directoryBytes = tail.readUInt32LE(end + 12);
  const directoryAt = tail.readUInt32LE(end + 16);
  if (directoryBytes > maxDirectoryBytes || directoryAt + directoryBytes > sizeBytes || directoryBytes === 0)
    throw broken();
  const entries = readDirectory(await range(directoryAt, directoryBytes));
  return {
    has: (name) => entries.has(name),
    async *read(name, signal) {
      const entry = entries.get(name);
      if (entry === undefined || entry.offset + 30 > sizeBytes) throw broken();
      const header = await range(entry.offset, 30);
      const from = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
      if (entry.packedBytes === 0 || from + entry.packedBytes > sizeBytes) throw broken();
      const packed = await deps.objects.read(objectKey, { from, to: from + entry.packedBytes - 1 });
      yield* unpack(packed, entry.method, sizeBytes, signal);
    },
  };
}

function readDirectory(bytes: Buffer): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (let at = 0; at + 46 <= bytes.length && bytes.readUInt32LE(at) === entrySignature; ) {
    const nameBytes = bytes.readUInt16LE(at + 28);
    const extraBytes = bytes.readUInt16LE(at + 30);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameBytes);
    let packedBytes = bytes.readUInt32LE(at + 20);
    let offset = bytes.readUInt32LE(at + 42);
    const extra = bytes.subarray(at + 46 + nameBytes, at + 46 + nameBytes + extraBytes);
    if (packedBytes === 0xffffffff || offset === 0xffffffff) {
      const wide = wideFields(extra, bytes.readUInt32LE(at + 24) === 0xffffffff);
      if (packedBytes === 0xffffffff) packedBytes = wide.next();
      if (offset === 0xffffffff) offset = wide.next();
    }
    entries.set(name, { method: bytes.readUInt16LE(at + 10), packedBytes, offset });
    at += 46 + nameBytes + extraBytes + bytes.readUInt16LE(at + 32);
  }
  return entries;
}

/** The 64-bit numbers of the zip64 extra field, which hold only what did not fit the 32-bit ones, in order. */
function wideFields(extra: Buffer, hasUnpackedSize: boolean): { next(): number } {
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== 1) at += 4 + extra.readUInt16LE(at + 2);
  let position = at + 4 + (hasUnpackedSize ? 8 : 0);
  return {
    next() {
      if (position + 8 > extra.length) throw broken();
      position += 8;
      return Number(extra.readBigUInt64LE(position - 8));
    },
  };
}

async function* unpack(
  packed: Readable,
  method: number,
  sizeBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  if (method !== 0 && method !== 8) throw broken();
  const inflate = method === 8 ? createInflateRaw({ chunkSize: 256 * 1024 }) : undefined;
  if (inflate !== undefined) {
    packed.on('error', (error) => inflate.destroy(error));
    packed.pipe(inflate);
  }
  let bytes = 0;
  try {
    for await (const chunk of (inflate ?? packed) as AsyncIterable<Buffer>) {
      signal?.throwIfAborted();
      bytes += chunk.length;
      if (bytes > maxUnpackedBytes || (bytes > harmlessBytes && bytes > sizeBytes * maxRatio)) {
        throw new BadFileError('too_large', 'The workbook unpacks to far more than its size allows');
      }
      yield chunk;
    }
  } catch (error) {
    throw error instanceof Error && 'code' in error && String(error.code).startsWith('Z_') ? broken() : error;
  } finally {
    packed.destroy();
    inflate?.destroy();
  }
}
