import type { FastifyInstance } from 'fastify';
import { AppError } from '../../data/errors.ts';
import type { RateLimit } from './rate-limit.ts';

/**
 * Refuses with a problem what Node would answer with an empty body: no `Host`, and an expectation nobody can
 * meet.
 */
export function httpHeaders(app: FastifyInstance, limit: RateLimit): void {
  // Node itself meets `100-continue`; whatever else is expected goes the way of every request.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  app.addHook('onRequest', async (request, reply) => {
    const { headers, raw } = request;
    // HTTP/1.0 knows no Host.
    const lacksHost = headers.host === undefined && raw.httpVersion === '1.1';
    const expectsMore = headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue';
    if (!lacksHost && !expectsMore) return;
    limit.byAddress(request, reply);
    const detail = lacksHost
      ? 'The request has no Host header.'
      : 'The only expectation that can be met is 100-continue.';
    throw new AppError('invalid_request', detail);
  });
}
