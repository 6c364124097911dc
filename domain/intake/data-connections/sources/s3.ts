import { Readable } from 'node:stream';
import { type _Object, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { createByteBudget } from '../../../../data/outgoing/byte-budget.ts';
import type { StageOf } from '../failure.ts';
import { maxAnswerBytes, type SourceKind, type SourceResource, type SourceTarget } from './source.ts';

/** The client's signed request, in the shape that its packages use. */
interface SignedRequest {
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  method: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
}

/** A client of a bucket; each request goes to a checked address. */
export function s3Client(target: SourceTarget, signal: AbortSignal, maxBytes = maxAnswerBytes): S3Client {
  const { setting, secrets, outgoing } = target;
  const endpoint = setting('endpoint');
  const budget = createByteBudget(maxBytes);
  return new S3Client({
    region: String(setting('region')),
    credentials: {
      accessKeyId: secrets['access_key_id'] ?? '',
      secretAccessKey: secrets['secret_access_key'] ?? '',
    },
    ...(endpoint === undefined ? {} : { endpoint: String(endpoint) }),
    forcePathStyle: setting('path_style') === true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 2,
    requestHandler: {
      handle: async (request: SignedRequest) => {
        const { host: _host, ...headers } = request.headers;
        const response = await outgoing.fetch(urlOf(request), {
          method: request.method,
          headers,
          signal,
          budget,
        });
        const { status: statusCode, body } = response;
        return {
          response: {
            statusCode,
            headers: Object.fromEntries(response.headers),
            body: body === null ? Readable.from([]) : Readable.fromWeb(body as never),
          },
        };
      },
    } as never,
  });
}

function urlOf({ protocol, hostname, port, path, query = {} }: SignedRequest): URL {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
  // Must match what was signed (RFC 3986): URLSearchParams encodes spaces and some other characters
  // differently.
  const encoded = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  url.search = Object.entries(query)
    .flatMap(([key, value]) => [value].flat().map((item) => `${encoded(key)}=${encoded(item ?? '')}`))
    .join('&');
  return url;
}

const loginCodes = ['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidToken', 'ExpiredToken'];

export const s3Stage: StageOf = (_code, error) => {
  const status = (Reflect.get(error, '$metadata') as { httpStatusCode?: number } | undefined)?.httpStatusCode;
  if (status === undefined) return undefined;
  if (loginCodes.includes(error.name) || status === 401) return 'login';
  if (error.name === 'AccessDenied' || status === 403) return 'permission';
  return 'request';
};

/** One page of the objects and folders directly below a prefix, by their keys. */
async function listBelow(
  target: SourceTarget,
  { prefix, after, limit }: { prefix: string; after: string | undefined; limit: number },
  signal: AbortSignal,
) {
  const client = s3Client(target, signal);
  try {
    return await client.send(
      new ListObjectsV2Command({
        Bucket: String(target.config['bucket']),
        Prefix: prefix,
        Delimiter: '/',
        MaxKeys: limit,
        ...(after === undefined ? {} : { StartAfter: after }),
      }),
    );
  } finally {
    client.destroy();
  }
}

/** Appended to a folder's key, sorts after every key in the folder. */
const lastKey = '\u{10ffff}';

export const s3Source: SourceKind = {
  async test(target, signal) {
    await listBelow(target, { prefix: prefixOf(target), after: undefined, limit: 1 }, signal);
  },
  async resources(target, { prefix, after, limit }, signal) {
    const base = prefixOf(target);
    const from = after === undefined ? undefined : base + after + (after.endsWith('/') ? lastKey : '');
    const page = { prefix: base + prefix, after: from, limit: Math.min(limit + 2, 1_000) };
    const { Contents = [], CommonPrefixes = [] } = await listBelow(target, page, signal);
    const folders = CommonPrefixes.map(({ Prefix = '' }) => Prefix);
    const files = Contents.map(({ Key = '' }: _Object) => Key).filter((key) => key !== base);
    return [
      ...folders.map((key) => resourceOf(key.slice(base.length), 'prefix')),
      ...files.map((key) => resourceOf(key.slice(base.length), 'table')),
    ].sort((a, b) => Buffer.compare(Buffer.from(a.resource), Buffer.from(b.resource)));
  },
};

/**
 * The prefix of the connection's keys, always a folder: ends with a slash even if it was configured without.
 */
export function prefixOf({ config }: SourceTarget): string {
  const prefix = String(config['prefix'] ?? '');
  return prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
}

function resourceOf(resource: string, kind: 'prefix' | 'table'): SourceResource {
  const name = resource.replace(/\/$/, '').split('/').at(-1)!;
  return { resource, name, kind, columns: [], estimatedRows: null, keyColumns: [] };
}
