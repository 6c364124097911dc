import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type JsonBounds, parseBoundedJson } from '../../data/bounded-json.ts';
import { type BodyRules, bodyRules, createBodyBytes, endsConnection } from './body-bytes.ts';

/** Body limits in bytes; the larger ones are set on the routes that need them. */
export const bodyLimits = { json: 1_048_576, rows: 33_554_432, fileContent: 12_582_912 } as const;

/** What any body may have that is not a list of records: reading it takes some milliseconds at most. */
const bounds: JsonBounds = { depth: 64, members: 100_000, storableText: true };

/** Reads JSON bodies without squeezing a number through a double, and keeps a hash for idempotency keys. */
export function jsonBody(app: FastifyInstance, rules: BodyRules = bodyRules): void {
  const bytes = createBodyBytes(rules);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const body = await bytes.read(request, payload);
    if (request.headers['idempotency-key'] !== undefined) {
      request.rawBodyHash = createHash('sha256').update(body).digest();
    }
    if (request.routeOptions.config.rawBody === true) return body;
    return body.length === 0 ? undefined : parseBoundedJson(body, bounds);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    bytes.release(request);
    if (endsConnection(request)) reply.header('connection', 'close');
    return payload;
  });
}
