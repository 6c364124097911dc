import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, ValidationError } from '../../data/errors.ts';
import {
  claimKey,
  type IdempotencyKey,
  type KeptAnswer,
  keepAnswer,
  newLease,
  renewEveryMs,
  renewKey,
} from '../../data/postgres/idempotency.ts';
import type { ApiDeps } from '../deps.ts';
import { isUnreached } from './errors.ts';
import { createKeyReturns } from './key-returns.ts';
import { takesIdempotencyKey } from './route-rules.ts';

const keptHeaders = ['content-type', 'location', 'cache-control'] as const;

/** Requests with a claimed key, so that the answer is stored or the key released exactly once. */
const claimed = new WeakMap<FastifyRequest, { id: IdempotencyKey; renewing: NodeJS.Timeout }>();

/** A write repeated with its Idempotency-Key gets its first answer again, byte for byte. */
export function idempotency(app: FastifyInstance, deps: Pick<ApiDeps, 'db' | 'cipher'>): void {
  app.decorateRequest('idempotencySeed', undefined);
  app.decorateRequest('rawBodyHash', undefined);
  const returns = createKeyReturns(deps.db, app.log);

  app.addHook('preHandler', async (request, reply) => {
    const key = request.headers['idempotency-key'];
    const { caller } = request;
    if (typeof key !== 'string' || caller === undefined) return;
    if (!takesIdempotencyKey({ method: request.method, config: request.routeOptions.config })) return;
    const id = { organizationId: caller.organizationId, callerId: caller.id, key, leaseUntil: newLease() };
    const claim = await claimKey(deps.db, deps.cipher, id, hashRequest(request)).catch((error: unknown) => {
      // The claim may have been committed nevertheless, and would then never be released.
      if (!isUnreached(error)) returns.giveLater(id, 'unknown');
      throw error;
    });
    if (claim.state === 'other-request') throw keyInUse();
    if (claim.state === 'running') {
      throw new AppError(
        'idempotency_in_flight',
        'The first request with this key is still running. Wait and send it again.',
        {
          retryAfterSeconds: 1,
        },
      );
    }
    if (claim.state === 'answered') return replay(reply, claim.answer);
    const renewing = setInterval(() => void renewKey(deps.db, id).catch(() => undefined), renewEveryMs);
    claimed.set(request, { id, renewing });
    const route = `${request.method} ${request.routeOptions.url}`;
    request.idempotencySeed = {
      seed: [id.organizationId, id.callerId, route, key].join('\n'),
      atMs: claim.createdAt.getTime(),
    };
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const claim = claimed.get(request);
    if (claim === undefined) return payload;
    claimed.delete(request);
    clearInterval(claim.renewing);
    const { id } = claim;
    if (reply.statusCode >= 200 && reply.statusCode < 300 && typeof payload === 'string') {
      const headers = Object.fromEntries(
        keptHeaders.flatMap((name) => {
          const value = reply.getHeader(name);
          return value === undefined ? [] : [[name, String(value)]];
        }),
      );
      const answer = { status: reply.statusCode, headers, body: payload };
      await keepAnswer(deps.db, deps.cipher, id, answer).catch((error: unknown) => {
        // An answer that could not be stored is not sent: a retry finds what this request did.
        returns.giveLater(id, 'unknown');
        throw error;
      });
    } else {
      await returns.give(id, reply.statusCode >= 500 ? 'unknown' : 'no-effect');
    }
    return payload;
  });
}

function replay(reply: FastifyReply, answer: KeptAnswer): FastifyReply {
  return reply
    .code(answer.status)
    .headers(answer.headers)
    .header('Idempotent-Replayed', 'true')
    .serializer((body: unknown) => body as string)
    .send(answer.body);
}

function hashRequest(request: FastifyRequest): Buffer {
  return createHash('sha256')
    .update(`${request.method} ${request.url}\n${request.headers['content-type'] ?? ''}\n`)
    .update(request.rawBodyHash ?? '')
    .digest();
}

function keyInUse(): ValidationError {
  const msg = 'This key was already used with a different request. Use another key.';
  return new ValidationError([{ loc: ['header', 'idempotency-key'], msg, type: 'value_error' }]);
}
