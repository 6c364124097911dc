import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type MultipartUpload,
  type S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { unavailable } from './unavailable.ts';

/** An upload has at most 10,000 parts, so 160 GiB fit. */
const partBytes = 16_777_216;

/**
 * Streams an object part by part: one is sent while the next one is collected. If it fails, nothing of it
 * remains.
 *
 * @returns how many bytes it has
 * @throws AppError storage_unavailable; an error of the source unchanged
 */
export async function uploadParts(
  client: S3Client,
  place: { Bucket: string; Key: string },
  source: AsyncIterable<Uint8Array>,
): Promise<number> {
  const failed = (cause: unknown): never => {
    throw unavailable(cause);
  };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(place)).catch(failed);
  const upload = { ...place, UploadId };
  const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
  let chunks: Uint8Array[] = [];
  let held = 0;
  let bytes = 0;
  let sending: Promise<void> = Promise.resolve();
  async function send(Body: Buffer): Promise<void> {
    const PartNumber = Parts.length + 1;
    const part = new UploadPartCommand({ ...upload, PartNumber, Body });
    const { ETag } = await client.send(part).catch(failed);
    Parts.push({ ETag, PartNumber });
  }
  async function flush(): Promise<void> {
    const body = Buffer.concat(chunks);
    chunks = [];
    held = 0;
    await sending;
    sending = send(body);
    // Reported to whoever waits for it.
    sending.catch(() => undefined);
  }
  try {
    for await (const chunk of source) {
      chunks.push(chunk);
      held += chunk.length;
      bytes += chunk.length;
      if (held >= partBytes) await flush();
    }
    if (held > 0 || bytes === 0) await flush();
    await sending;
    const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } });
    await client.send(complete).catch(failed);
    return bytes;
  } catch (error) {
    await sending.catch(() => undefined);
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}

interface Place {
  Bucket: string;
  Prefix: string;
}

/** Uploads with this key prefix that are not complete: their parts take up space unseen. */
async function* unfinished(client: S3Client, place: Place): AsyncGenerator<Required<MultipartUpload>> {
  let listed: ListMultipartUploadsCommandOutput | undefined;
  do {
    listed = await client.send(
      new ListMultipartUploadsCommand({
        ...place,
        KeyMarker: listed?.NextKeyMarker,
        UploadIdMarker: listed?.NextUploadIdMarker,
      }),
    );
    for (const upload of listed.Uploads ?? [])
      if (upload.Key?.startsWith(place.Prefix) === true) yield upload as Required<MultipartUpload>;
  } while (listed.IsTruncated === true && listed.NextKeyMarker !== undefined);
}

/**
 * Aborts uploads with this key prefix that were begun before a time: their process was lost.
 *
 * @returns how many there were
 */
export async function abortUploads(client: S3Client, place: Place, before?: Date): Promise<number> {
  let aborted = 0;
  for await (const { Key, UploadId, Initiated } of unfinished(client, place)) {
    if (before !== undefined && (Initiated === undefined || Initiated >= before)) continue;
    const isAborted = await client
      .send(new AbortMultipartUploadCommand({ Bucket: place.Bucket, Key, UploadId }))
      .then(() => true, falseIfGone);
    if (isAborted) aborted += 1;
  }
  return aborted;
}

/** It was completed, or aborted, since it was listed. */
function falseIfGone(error: unknown): false {
  if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return false;
  throw error;
}

/** Bytes of the parts of unfinished uploads with this key prefix. */
export async function sizeOfUploads(client: S3Client, place: Place): Promise<number> {
  let total = 0;
  for await (const { Key, UploadId } of unfinished(client, place)) {
    let listed: ListPartsCommandOutput | undefined;
    do {
      const PartNumberMarker = listed?.NextPartNumberMarker;
      const parts = new ListPartsCommand({ Bucket: place.Bucket, Key, UploadId, PartNumberMarker });
      const next = await client.send(parts).catch(falseIfGone);
      if (next === false) break;
      listed = next;
      for (const { Size } of listed.Parts ?? []) total += Size ?? 0;
    } while (listed.IsTruncated === true && listed.NextPartNumberMarker !== undefined);
  }
  return total;
}
