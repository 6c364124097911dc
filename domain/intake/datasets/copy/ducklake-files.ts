import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { OtherFile, OtherTable } from '../../../../data/lake/ducklake/other-table.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { lakeFiles } from '../../data-connections/sources/ducklake.ts';
import { s3Client } from '../../data-connections/sources/s3.ts';
import type { SourceTarget } from '../../data-connections/sources/source.ts';

/** Allowance for an error message of the store. */
const overheadBytes = 65_536;

/**
 * The key of a file in the lake's bucket.
 *
 * @throws RemoteFailure if it is in another bucket, because the credentials are for this one
 */
export function keyOf(target: SourceTarget, { folders }: OtherTable, file: OtherFile): string {
  const { bucket, prefix } = lakeFiles(target);
  const root = `s3://${bucket}/`;
  const steps = [...folders, { path: file.path, isRelative: file.path_is_relative }];
  const url = steps.reduce(
    (base, { path, isRelative }) => (isRelative ? asFolder(base) + path : path),
    root + prefix,
  );
  if (!url.startsWith(root))
    throw new RemoteFailure('request', `The file ${url} isn't in the lake's bucket ${bucket}.`);
  return url.slice(root.length);
}

const asFolder = (path: string): string => (path.endsWith('/') ? path : `${path}/`);

/** The content of a file. @throws RemoteFailure unless its size is the one in the catalog */
export async function* readLakeFile(
  target: SourceTarget,
  { key, sizeBytes }: { key: string; sizeBytes: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const { bucket } = lakeFiles(target);
  const client = s3Client(target, signal, sizeBytes + overheadBytes);
  try {
    const { Body, ContentLength } = await client
      .send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      .catch((error: unknown) => {
        const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
        if ($metadata?.httpStatusCode !== 404 || name === 'NoSuchBucket') throw error;
        throw new RemoteFailure(
          'request',
          `The lake's catalog lists the file ${key}, but the file doesn't exist.`,
        );
      });
    const wrongSize = () =>
      new RemoteFailure('request', `The size of ${key} isn't the ${sizeBytes} bytes in the lake's catalog.`);
    if (ContentLength !== undefined && ContentLength !== sizeBytes) throw wrongSize();
    let came = 0;
    for await (const chunk of Body as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      came += chunk.length;
      if (came > sizeBytes) throw wrongSize();
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    }
    if (came !== sizeBytes) throw wrongSize();
  } finally {
    client.destroy();
  }
}
