import type { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { AppError } from '../errors.ts';
import type { ObjectStoreSettings } from './settings.ts';
import { unavailable } from './unavailable.ts';
import { abortUploads, sizeOfUploads, uploadParts } from './upload.ts';

export interface ObjectInfo {
  sizeBytes: number;
  etag: string;
  /** When it was written last. */
  writtenAt: Date;
}

/** The few bucket operations this service needs. Keys never start with a slash. */
export interface ObjectStore {
  readonly settings: ObjectStoreSettings;
  /** What precedes a key in the address by which an engine opens the object; ends with a slash. */
  readonly rootUrl: string;
  ensureBucket(): Promise<void>;
  put(key: string, body: Uint8Array, contentType: string): Promise<void>;
  /** Streams an object and returns its size in bytes; an error of the source is rethrown unchanged. */
  upload(key: string, source: AsyncIterable<Uint8Array>): Promise<number>;
  /**
   * Aborts unfinished uploads under a prefix, all of them or those begun before a time, and returns how many.
   */
  abortUploads(prefix: string, before?: Date): Promise<number>;
  head(key: string): Promise<ObjectInfo | undefined>;
  /** Bytes `from`..`to` inclusive, or all. */
  read(key: string, range?: { from: number; to: number }): Promise<Readable>;
  /** Copies only if the source still has this `etag`; otherwise returns false. */
  copy(from: string, to: string, etag: string): Promise<boolean>;
  remove(key: string): Promise<void>;
  /** Removes every object with this key prefix. */
  removeAll(prefix: string): Promise<void>;
  /** Keys below a prefix with their sizes, sorted; at most `atMost`. */
  list(prefix: string, atMost: number): Promise<StoredObject[]>;
  /** All objects below a prefix, sorted, as the store lists them page by page. */
  each(prefix: string): AsyncIterable<StoredObject>;
  /** Bytes of all objects with this key prefix, unfinished uploads included where the store lists them. */
  sizeOfAll(prefix: string): Promise<number>;
  presignUpload(key: string, maxBytes: number, expiresInSeconds: number): Promise<PresignedForm>;
  /** An address at which anybody who has it can read the object for a while, under a file name. */
  presignDownload(key: string, as: DownloadAs, expiresInSeconds: number): Promise<string>;
  /** An address that reads the object, or tells of it, for a while. */
  presignRead(key: string, method: 'GET' | 'HEAD', expiresInSeconds: number): Promise<string>;
  ping(): Promise<void>;
  close(): void;
}

export interface StoredObject extends ObjectInfo {
  key: string;
}

export interface DownloadAs {
  fileName: string;
  contentType: string;
}

export interface PresignedForm {
  url: string;
  fields: Record<string, string>;
}

/** Missing permission, or an operation the store does not support. */
const unlistedStatuses = [403, 405, 501];

export function createObjectStore(settings: ObjectStoreSettings): ObjectStore {
  const client = new S3Client({
    region: settings.region,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    ...(settings.endpoint === undefined ? {} : { endpoint: settings.endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    // Otherwise a store that falls silent would be waited for without end.
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 120_000, throwOnRequestTimeout: true },
  });
  const Bucket = settings.bucket;
  async function* below(Prefix: string): AsyncGenerator<StoredObject> {
    let listed: ListObjectsV2CommandOutput | undefined;
    do {
      const ContinuationToken = listed?.NextContinuationToken;
      const command = new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1_000, ContinuationToken });
      listed = await client.send(command).catch(rethrow);
      for (const { Key, Size, ETag, LastModified } of listed.Contents ?? [])
        if (Key !== undefined)
          yield { key: Key, sizeBytes: Size ?? 0, etag: ETag ?? '', writtenAt: LastModified ?? new Date() };
    } while (listed.IsTruncated === true);
  }
  return {
    settings,
    rootUrl: `s3://${Bucket}/`,
    async ensureBucket() {
      try {
        await client.send(new HeadBucketCommand({ Bucket }));
      } catch (error) {
        if (!isMissing(error)) throw unavailable(error);
        await client.send(new CreateBucketCommand({ Bucket })).catch((cause: unknown) => {
          const name = cause instanceof S3ServiceException ? cause.name : '';
          if (name !== 'BucketAlreadyOwnedByYou' && name !== 'BucketAlreadyExists') throw unavailable(cause);
        });
      }
    },
    async put(Key, Body, ContentType) {
      await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType })).catch(rethrow);
    },
    async upload(Key, source) {
      return uploadParts(client, { Bucket, Key }, source);
    },
    async abortUploads(Prefix, before) {
      return abortUploads(client, { Bucket, Prefix }, before).catch(zeroIfUnlisted);
    },
    async head(Key) {
      try {
        const answer = await client.send(new HeadObjectCommand({ Bucket, Key }));
        const { ContentLength, ETag, LastModified } = answer;
        return { sizeBytes: ContentLength ?? 0, etag: ETag ?? '', writtenAt: LastModified ?? new Date() };
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw unavailable(error);
      }
    },
    async read(Key, range) {
      const Range = range === undefined ? undefined : `bytes=${range.from}-${range.to}`;
      const answer = await client.send(new GetObjectCommand({ Bucket, Key, Range })).catch(rethrow);
      return answer.Body as Readable;
    },
    async copy(from, Key, CopySourceIfMatch) {
      const CopySource = `${Bucket}/${encodeURIComponent(from).replaceAll('%2F', '/')}`;
      try {
        await client.send(new CopyObjectCommand({ Bucket, Key, CopySource, CopySourceIfMatch }));
        return true;
      } catch (error) {
        if (isMissing(error) || httpStatus(error) === 412) return false;
        throw unavailable(error);
      }
    },
    async remove(Key) {
      await client.send(new DeleteObjectCommand({ Bucket, Key })).catch(rethrow);
    },
    async removeAll(Prefix) {
      let listed: ListObjectsV2CommandOutput;
      do {
        // Each round lists what is left, so a repeated call continues where a crash stopped it.
        listed = await client
          .send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1_000 }))
          .catch(rethrow);
        const Objects = (listed.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]));
        if (Objects.length > 0)
          await client
            .send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
            .catch(rethrow);
      } while (listed.IsTruncated === true);
    },
    async list(prefix, atMost) {
      const found: StoredObject[] = [];
      for await (const object of below(prefix)) {
        if (found.length >= atMost) break;
        found.push(object);
      }
      return found;
    },
    each: below,
    async sizeOfAll(Prefix) {
      let total = await sizeOfUploads(client, { Bucket, Prefix }).catch(zeroIfUnlisted);
      for await (const { sizeBytes } of below(Prefix)) total += sizeBytes;
      return total;
    },
    async presignUpload(Key, maxBytes, Expires) {
      const Conditions = [{ bucket: Bucket }, { key: Key }, ['content-length-range', 0, maxBytes]];
      return createPresignedPost(client, { Bucket, Key, Expires, Conditions: Conditions as never });
    },
    async presignDownload(Key, { fileName, contentType }, expiresIn) {
      const command = new GetObjectCommand({
        ...{ Bucket, Key, ResponseContentType: contentType },
        ResponseContentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(fileName)}`,
      });
      return getSignedUrl(client, command, { expiresIn });
    },
    presignRead: (Key, method, expiresIn) =>
      getSignedUrl(
        client,
        method === 'GET' ? new GetObjectCommand({ Bucket, Key }) : new HeadObjectCommand({ Bucket, Key }),
        { expiresIn },
      ),
    async ping() {
      await client.send(new HeadBucketCommand({ Bucket })).catch(rethrow);
    },
    close: () => client.destroy(),
  };
}

function httpStatus(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** A store that does not list uploads, or not to us, cleans up unfinished ones in its own way. */
function zeroIfUnlisted(error: unknown): number {
  if (unlistedStatuses.includes(httpStatus(error) ?? 0)) return 0;
  throw unavailable(error);
}

function isMissing(error: unknown): boolean {
  return httpStatus(error) === 404;
}

function rethrow(cause: unknown): never {
  if (isMissing(cause)) throw new AppError('not_found', 'The stored object no longer exists.', { cause });
  throw unavailable(cause);
}
