import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ValidationError } from '../../data/errors.ts';
import { type JsonValue, parseExactJson } from '../../data/exact-json.ts';

/** Body limits in bytes; the larger ones are set on the routes that need them. */
export const bodyLimits = { json: 1_048_576, rows: 33_554_432, fileContent: 12_582_912 } as const;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads JSON bodies without squeezing a number through a double, and keeps a hash for idempotency keys. */
export function jsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (request.headers['idempotency-key'] !== undefined) {
        request.rawBodyHash = createHash('sha256').update(body).digest();
      }
      if (request.routeOptions.config.rawBody === true) return body;
      return body.length === 0 ? undefined : parseJson(body);
    },
  );
}

/** The value a body's bytes are; throws where they are not JSON in UTF-8. */
export function parseJson(body: Buffer): JsonValue {
  try {
    return parseExactJson(utf8.decode(body));
  } catch (error) {
    const reason = error instanceof RangeError ? 'it is nested too deeply' : (error as Error).message;
    throw new ValidationError([{ loc: ['body'], msg: `JSON decode error: ${reason}`, type: 'json_invalid' }]);
  }
}
