import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../data/errors.ts';
import type { Caller } from '../caller.ts';
import { addressGroup } from './address-group.ts';
import { type Taken, type TokenBuckets, tokenBuckets } from './token-buckets.ts';

/**
 * A token bucket for each client or user, and one for each address, to which requests of unknown callers
 * count: those without a valid token, and those to public routes. Each API process has its own, unless they
 * are shared (`shared-buckets.ts`). The headers are those of the IETF draft: the policy, and what is left of
 * it.
 */
export interface RateLimit {
  /**
   * Takes a token of the address.
   *
   * @throws AppError rate_limited
   */
  byAddress(request: FastifyRequest, reply: FastifyReply): void;
  /** Returns the token to the address: the caller is known after all. */
  forgiveAddress(request: FastifyRequest): void;
  /**
   * Takes a token of the caller.
   *
   * @throws AppError rate_limited
   */
  byCaller(caller: Caller, reply: FastifyReply): void;
  /**
   * The same for what a caller does without a request.
   *
   * @throws AppError rate_limited
   */
  bySession(caller: Pick<Caller, 'organizationId' | 'kind' | 'id'>): void;
  /**
   * Takes a token of the webhook trigger.
   *
   * @throws AppError rate_limited
   */
  byHook(triggerId: string, reply: FastifyReply): void;
  /** The headers of an answer to invalid HTTP, which counts towards the address like any request. */
  headersFor(address: string): Record<string, string>;
  /** The buckets, by what they are for. */
  buckets: Readonly<Record<string, TokenBuckets>>;
}

export function rateLimit(perMinute: number): RateLimit {
  const addresses = tokenBuckets(perMinute);
  const callers = tokenBuckets(perMinute);
  const hooks = tokenBuckets(perMinute);

  function headersOf({ remaining, waitSeconds }: Taken): Record<string, string> {
    return {
      'RateLimit-Policy': `"default";q=${perMinute};w=60`,
      RateLimit: `"default";r=${remaining};t=${waitSeconds}`,
    };
  }

  function admit(taken: Taken, whose: string, reply?: FastifyReply): void {
    reply?.headers(headersOf(taken));
    if (taken.admitted) return;
    throw new AppError(
      'rate_limited',
      `The limit for ${whose} is ${perMinute} requests a minute. Wait and try again.`,
      {
        retryAfterSeconds: Math.max(1, taken.waitSeconds),
      },
    );
  }

  return {
    byAddress: (request, reply) => admit(addresses.take(addressGroup(request.ip)), 'one address', reply),
    forgiveAddress: (request) => addresses.giveBack(addressGroup(request.ip)),
    byCaller: ({ organizationId, kind, id }, reply) =>
      admit(callers.take(`${organizationId}/${kind}/${id}`), `one ${kind}`, reply),
    bySession: ({ organizationId, kind, id }) =>
      admit(callers.take(`${organizationId}/${kind}/${id}`), `one ${kind}`),
    byHook: (triggerId, reply) => admit(hooks.take(triggerId), 'one hook', reply),
    buckets: { addresses, callers, hooks },
    headersFor: (address) => headersOf(addresses.take(addressGroup(address))),
  };
}
