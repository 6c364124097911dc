import type { FastifyInstance } from 'fastify';
import { AppError } from '../../data/errors.ts';

/**
 * Answers what no route takes, before anybody is asked who they are or what they sent: 405 with `Allow` for a path
 * that exists, else 404.
 */
export function unknownRoutes(app: FastifyInstance): void {
  const methodsOf = new Map<string, Set<string>>();

  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    methodsOf.set(url, methods);
  });

  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const path = request.url.split('?', 1)[0]!;
    const allowed = new Set<string>();
    for (const [pattern, methods] of methodsOf)
      if (matches(pattern, path)) for (const method of methods) allowed.add(method);
    if (allowed.size === 0) throw new AppError('not_found', `There is no ${request.method} ${path}.`);
    const allow = [...allowed].sort().join(', ');
    reply.header('Allow', allow);
    throw new AppError('method_not_allowed', `${path} takes ${allow}, not ${request.method}.`);
  });
}

/** Whether a path is one of a route's, in the syntax that routes are declared in. */
function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  if (wanted.at(-1) === '*') return wanted.slice(0, -1).every((part, index) => part === given[index]);
  if (wanted.length !== given.length) return false;
  return wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]));
}
