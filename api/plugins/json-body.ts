import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JsonBounds } from '../../data/json-bounds.ts';
import type { BodyReader } from '../../data/lake/reading/reader.ts';
import { type BodyRules, bodyRules, createBodyBytes, ownerOf } from './body-bytes.ts';

/** Body limits in bytes; the larger ones are set on the routes that need them. */
export const bodyLimits = {
  json: 1_048_576,
  rows: 33_554_432,
  fileContent: 12_582_912,
  manifest: 16_777_216,
} as const;

/** What any body may have that is not a list of records. */
const bounds: JsonBounds = { depth: 64, members: 100_000, storableText: true };

/** Reads JSON bodies without squeezing a number through a double, and keeps a hash for idempotency keys. */
export function jsonBody(app: FastifyInstance, reader: BodyReader, rules: BodyRules = bodyRules): void {
  const bodies = createBodyBytes(rules);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const bytes = await bodies.read(request, payload);
    if (request.headers['idempotency-key'] !== undefined) {
      request.rawBodyHash = createHash('sha256').update(bytes).digest();
    }
    const { rawBody, maxMembers = bounds.members } = request.routeOptions.config;
    if (rawBody === true) return bytes;
    if (bytes.length === 0) return undefined;
    return reader.read(ownerOf(request), 'json', {
      body: { bytes },
      bounds: { ...bounds, members: maxMembers },
    });
  });
  app.addHook('onSend', async (request, _reply, payload) => {
    bodies.release(request);
    return payload;
  });
}
