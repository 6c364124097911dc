import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { prefixOf, s3Client } from '../../data-connections/sources/s3.ts';
import type { SourceTarget } from '../../data-connections/sources/source.ts';
import { copyTooLarge, maxObjects } from './limits.ts';

/** A listed object of a dataset. */
export interface ListedObject {
  key: string;
  etag: string;
  sizeBytes: number;
  format: ObjectFormat;
}

export type ObjectFormat = 'csv' | 'tsv' | 'parquet' | 'ndjson';

const formats: Record<string, ObjectFormat> = {
  csv: 'csv',
  tsv: 'tsv',
  parquet: 'parquet',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};
const packed = '.gz';

/**
 * The objects of a resource in byte order of their keys, all of one format. @throws RemoteFailure if there
 * are none, they have several formats, or they exceed a limit
 */
export async function listObjects(
  target: SourceTarget,
  { resource, maxBytes }: { resource: string; maxBytes: number },
  signal: AbortSignal,
): Promise<ListedObject[]> {
  const base = prefixOf(target) + resource;
  const isFolder = base === '' || base.endsWith('/');
  const found: ListedObject[] = [];
  let total = 0;
  let after: string | undefined;
  for (;;) {
    const client = s3Client(target, signal);
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket: String(target.config['bucket']),
        Prefix: base,
        ...(after === undefined ? {} : { StartAfter: after }),
      }),
    );
    for (const { Key = '', ETag = '', Size = 0 } of page.Contents ?? []) {
      if (isFolder ? isLeftOut(Key.slice(base.length), Size) : Key !== base) continue;
      found.push({ key: Key, etag: ETag, sizeBytes: Size, format: formatOf(Key, target) });
      total += Size;
      if (found.length > maxObjects)
        throw new RemoteFailure(
          'request',
          `The folder has more than ${maxObjects.toLocaleString('en')} files, which is the limit. Create datasets for smaller folders.`,
        );
      if (total > maxBytes) throw copyTooLarge(maxBytes);
    }
    const last = page.Contents?.at(-1)?.Key;
    // Guards against an endless loop with a store whose listing does not advance.
    if (page.IsTruncated !== true || last === undefined || last === after || !isFolder) break;
    after = last;
  }
  const [first] = found;
  if (first === undefined)
    throw new RemoteFailure(
      'request',
      `There is no file with data at ${resource}. Enter the key of a file, or a folder.`,
    );
  const other = found.find(({ format }) => format !== first.format);
  if (other !== undefined)
    throw new RemoteFailure(
      'request',
      `The files have different formats, for example ${first.key} and ${other.key}. Create a dataset for each format.`,
    );
  return found.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}

function isLeftOut(path: string, sizeBytes: number): boolean {
  return sizeBytes === 0 || path.split('/').some((name) => name.startsWith('_') || name.startsWith('.'));
}

/** By the extension; if it is unknown, the format configured in the connection. */
function formatOf(key: string, { config }: SourceTarget): ObjectFormat {
  const name = key.toLowerCase().slice(key.lastIndexOf('/') + 1);
  const plain = name.endsWith(packed) ? name.slice(0, -packed.length) : name;
  return formats[plain.slice(plain.lastIndexOf('.') + 1)] ?? (config['format'] as ObjectFormat);
}

/**
 * The decompressed content of an object. `onBytes` receives the number of bytes as they arrive; at most
 * `maxBytes` are read.
 */
export async function* readObject(
  target: SourceTarget,
  { key, etag, format }: ListedObject,
  { maxBytes, onBytes }: { maxBytes: number; onBytes: (bytes: number) => void },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const client = s3Client(target, signal, maxBytes);
  const Bucket = String(target.config['bucket']);
  const { Body } = await client
    .send(new GetObjectCommand({ Bucket, Key: key, IfMatch: etag }))
    .catch((error: unknown) => {
      const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
      if (status !== 412 && status !== 404) throw error;
      throw new RemoteFailure(
        'request',
        `${key} changed while the service read it. Start the snapshot again.`,
      );
    });
  async function* came(): AsyncGenerator<Buffer> {
    for await (const chunk of Body as AsyncIterable<Uint8Array>) {
      onBytes(chunk.length);
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    }
  }
  if (format === 'parquet' || !key.toLowerCase().endsWith(packed)) yield* came();
  else yield* unpacked(came(), key);
}

async function* unpacked(source: AsyncIterable<Buffer>, key: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const ended = pipeline(Readable.from(source), gunzip, () => undefined);
  try {
    for await (const chunk of ended) yield chunk as Buffer;
  } catch (error) {
    if (!String(Reflect.get(error as Error, 'code')).startsWith('Z_')) throw error;
    throw new RemoteFailure('request', `${key} isn't a complete gzip file.`);
  } finally {
    gunzip.destroy();
  }
}
