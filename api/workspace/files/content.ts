import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../data/errors.ts';
import type { ObjectStore } from '../../../data/objects/store.ts';
import type { File } from '../../../domain/workspace/files/files.ts';
import { attachment } from '../../reply.ts';
import { parseRange } from './content-range.ts';

/** Streams a file's bytes, or the requested range, in the file's own type, and always as a download. */
export async function sendContent(
  objects: ObjectStore,
  file: File,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  // A range of another version than the client has is useless to it (RFC 9110, If-Range).
  const ifRange = request.headers['if-range'];
  const isSame = ifRange === undefined || ifRange === `"${file.sha256}"`;
  const range = isSame ? parseRange(request.headers.range, file.size_bytes) : undefined;
  reply
    .header('Accept-Ranges', 'bytes')
    .header('ETag', `"${file.sha256}"`)
    .header('X-Content-Type-Options', 'nosniff')
    .header('Content-Disposition', attachment(file.path.split('/').at(-1)!));
  if (isKnown(request.headers['if-none-match'], file.sha256)) return reply.code(304).send();
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${file.size_bytes}`);
    throw new AppError('range_not_satisfiable', `The file has ${file.size_bytes} bytes.`);
  }
  // HEAD needs no content, so none is fetched.
  const stream = request.method === 'GET' ? await objects.read(file.object_key, range) : Readable.from([]);
  const { from, to } = range ?? { from: 0, to: file.size_bytes - 1 };
  reply.type(file.content_type).header('Content-Length', String(to - from + 1));
  if (range !== undefined) reply.code(206).header('Content-Range', `bytes ${from}-${to}/${file.size_bytes}`);
  return reply.send(stream);
}

/** Whether the client has this content already (RFC 9110, If-None-Match). */
function isKnown(given: string | undefined, sha256: string): boolean {
  if (given === undefined) return false;
  const tags = given.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(`"${sha256}"`);
}
