import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../data/errors.ts';

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Buckets kept at once; the least recently used one is forgotten, which only ever favours its owner. */
const maxBuckets = 10_000;

/**
 * A token bucket per credential, or per address where there is none, held by each API process. The headers
 * are those of the IETF draft: the policy, and what is left of it.
 *
 * @returns what admits one request, for answers that come before any hook
 */
export function rateLimit(
  app: FastifyInstance,
  perMinute: number,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const buckets = new Map<string, Bucket>();
  const perMs = perMinute / 60_000;
  const policy = `"default";q=${perMinute};w=60`;

  function admit(request: FastifyRequest, reply: FastifyReply): void {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const isPublic = request.routeOptions.config?.scope === 'public';
    const credential = token === undefined || isPublic ? `address ${request.ip}` : token;
    const nowMs = Date.now();
    const bucket = buckets.get(credential) ?? { tokens: perMinute, atMs: nowMs };
    bucket.tokens = Math.min(perMinute, bucket.tokens + (nowMs - bucket.atMs) * perMs);
    bucket.atMs = nowMs;
    buckets.delete(credential);
    buckets.set(credential, bucket);
    if (buckets.size > maxBuckets) buckets.delete(buckets.keys().next().value!);

    const admitted = bucket.tokens >= 1;
    if (admitted) bucket.tokens -= 1;
    const resetSeconds = Math.ceil((1 - Math.min(1, bucket.tokens)) / perMs / 1_000);
    reply.header('RateLimit-Policy', policy);
    reply.header('RateLimit', `"default";r=${Math.floor(bucket.tokens)};t=${resetSeconds}`);
    if (!admitted) {
      throw new AppError(
        'rate_limited',
        `At most ${perMinute} requests a minute are served for one credential.`,
        {
          retryAfterSeconds: Math.max(1, resetSeconds),
        },
      );
    }
  }

  app.addHook('onRequest', async (request, reply) => admit(request, reply));
  return admit;
}
