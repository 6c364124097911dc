import type { FastifyInstance } from 'fastify';
import { AppError } from '../../data/errors.ts';
import type { RateLimit } from './rate-limit.ts';

/**
 * Answers requests that no route takes, before authentication and before the body is read: 405 with `Allow`
 * for a path that exists, otherwise 404. A path belongs to the most specific route: `/v1/tables/catalog` is
 * not the table `catalog`, for any method.
 */
export function unknownRoutes(app: FastifyInstance, limit: RateLimit): void {
  const methodsOf = new Map<string, Set<string>>();
  /** For each declared path, more specific ones that match some of the same paths. */
  const closer = new Map<string, string[]>();

  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsOf.set(url, methods);
  });

  app.addHook('onReady', async () => {
    for (const url of methodsOf.keys()) {
      const others = [...methodsOf.keys()].filter((other) => other !== url && matches(url, other));
      if (others.length > 0) closer.set(url, others.sort(byCloseness));
    }
  });

  app.addHook('onRequest', async (request, reply) => {
    const { is404, method } = request;
    const candidates = is404
      ? [...methodsOf.keys()].sort(byCloseness)
      : closer.get(request.routeOptions.url ?? '');
    if (candidates === undefined) return;
    const path = request.url.split('?', 1)[0]!;
    const found = candidates.find((pattern) => matches(pattern, path));
    if (found === undefined && !is404) return;
    limit.byAddress(request, reply);
    if (found === undefined) throw new AppError('not_found', `The route ${method} ${path} doesn't exist.`);
    const allow = [...methodsOf.get(found)!].sort().join(', ');
    reply.header('Allow', allow);
    throw new AppError('method_not_allowed', `${path} accepts ${allow}, not ${method}.`);
  });
}

/** Whether a path, or a more specific pattern, matches a route's pattern, in the router's syntax. */
function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.at(-1) === '*') return wanted.slice(0, -1).every((part, index) => part === given[index]);
  if (wanted.length !== given.length) return false;
  return wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]));
}

/** Sorts as the router does: part by part, fixed parts before parameters, and those before wildcards. */
function byCloseness(a: string, b: string): number {
  const rank = (url: string) =>
    url.split('/').map((part) => (part === '*' ? '2' : part.startsWith(':') ? '1' : '0'));
  return rank(a).join('') < rank(b).join('') ? -1 : 1;
}
