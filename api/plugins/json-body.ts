import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../data/errors.ts';
import type { JsonBounds } from '../../data/json-bounds.ts';
import { createFairSlots } from '../../data/process-pool/fair-slots.ts';
import { type BodyReader, threadedFromBytes } from '../../domain/tables/row-input/reading/reader.ts';
import { type BodyRules, bodyRules, createBodyBytes, ownerOf } from './body-bytes.ts';
import { columnTypes } from './column-body.ts';
import { decompressed } from './content-encoding.ts';

/** Body limits in bytes; the larger ones are set on the routes that need them. */
export const bodyLimits = {
  json: 1_048_576,
  rows: 33_554_432,
  fileContent: 12_582_912,
  manifest: 3_145_728,
  report: 3_145_728,
  workflow: 3_145_728,
} as const;

/** Bounds of every body that is not a list of records. */
export const bodyBounds: JsonBounds = { depth: 64, members: 100_000, storableText: true };

const largeAtOnce = 2;
/**
 * Maximum time of a turn. The CPU-bound part is over by then; other waiting must not delay the next request.
 */
const longestTurnMs = 2_000;

/**
 * Parses JSON bodies without converting numbers to doubles, and passes on CSV as bytes if a route accepts it;
 * computes a hash of either for idempotency keys.
 */
export function jsonBody(app: FastifyInstance, reader: BodyReader, rules: BodyRules = bodyRules): void {
  const bodies = createBodyBytes(rules);
  const turns = createTurns(largeAtOnce);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const bytes = await bodies.read(request, payload);
    if (request.headers['idempotency-key'] !== undefined) {
      request.rawBodyHash = createHash('sha256').update(bytes).digest();
    }
    if (request.routeOptions.config.rawBody === true) return bytes;
    if (bytes.length === 0) return undefined;
    if (bytes.length >= threadedFromBytes) await turns.begin(request);
    return reader.read(ownerOf(request), 'json', { body: { bytes }, bounds: bodyBounds });
  });
  app.addContentTypeParser('text/csv', async (request: FastifyRequest, payload: IncomingMessage) => {
    if (request.routeOptions.config.takesCsv !== true) throw untaken();
    const bytes = await bodies.read(request, payload);
    if (request.headers['idempotency-key'] !== undefined)
      request.rawBodyHash = createHash('sha256').update(bytes).digest();
    return bytes;
  });
  app.addContentTypeParser(
    Object.values(columnTypes),
    async (request: FastifyRequest, payload: IncomingMessage) => {
      if (request.routeOptions.config.takesColumns !== true) throw untaken();
      return bodies.read(request, payload);
    },
  );
  app.addHook('preParsing', async (request, _reply, payload) => decompressed(request, payload as Readable));
  app.addHook('onSend', async (request, _reply, payload) => {
    bodies.release(request);
    turns.end(request);
    return payload;
  });
}

function untaken(): AppError {
  return new AppError(
    'unsupported_media_type',
    "This route doesn't accept the content type of the request. See its description in /openapi.json.",
  );
}

/**
 * Limits how many requests with large bodies are processed at once: processing their values uses the event
 * loop in many small pieces, and those of one organization must not delay those of others.
 */
function createTurns(count: number) {
  const inTurn = createFairSlots(count);
  const ends = new WeakMap<FastifyRequest, () => void>();
  return {
    begin: (request: FastifyRequest) =>
      new Promise<void>((begun) => {
        void inTurn(ownerOf(request), () => {
          begun();
          return new Promise<void>((end) => {
            const timer = setTimeout(end, longestTurnMs);
            ends.set(request, () => {
              clearTimeout(timer);
              end();
            });
          });
        });
      }),
    /** For any request: no effect without a turn. */
    end: (request: FastifyRequest) => ends.get(request)?.(),
  };
}
