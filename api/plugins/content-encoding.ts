import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../data/errors.ts';
import { decompressors } from '../../packages/file-reader/index.ts';

const mostFrames = 1_000;

/**
 * The body as the client had it before it was compressed. Its size is bounded where it is read, so that a few
 * bytes cannot become many; whoever reads no further has to destroy the stream.
 *
 * @throws AppError unsupported_media_type
 */
export function decompressed(request: FastifyRequest, payload: Readable): Readable {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase();
  if (encoding === undefined || encoding === 'identity') return payload;
  const isTaken = request.routeOptions.config.takesCompressed === true;
  const create =
    isTaken && Object.hasOwn(decompressors, encoding) ? decompressors[encoding as 'gzip'] : undefined;
  if (create === undefined)
    throw new AppError(
      'unsupported_media_type',
      isTaken
        ? 'A body can be compressed once, with gzip or zstd.'
        : "This route doesn't accept compressed bodies. Send the body without content-encoding.",
    );
  const stream = create(mostFrames);
  // A fault of either is one of the other, and is reported by the reader.
  pipeline(payload, stream, () => undefined);
  return stream;
}
