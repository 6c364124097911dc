import type { FastifyInstance } from 'fastify';
import { AppError } from '../../data/errors.ts';
import type { RateLimit } from './rate-limit.ts';

/**
 * Answers with a problem where Node would send an empty body: a missing `Host`, and an unsupported
 * expectation.
 */
export function httpHeaders(app: FastifyInstance, limit: RateLimit): void {
  // Node handles `100-continue` itself; other expectations are handled like any request.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  app.addHook('onRequest', async (request, reply) => {
    const { headers, raw } = request;
    // HTTP/1.0 has no Host header.
    const lacksHost = headers.host === undefined && raw.httpVersion === '1.1';
    const expectsMore = headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue';
    if (!lacksHost && !expectsMore) return;
    limit.byAddress(request, reply);
    const detail = lacksHost
      ? 'The request has no Host header.'
      : 'The server supports only the expectation 100-continue.';
    throw new AppError('invalid_request', detail);
  });
}
