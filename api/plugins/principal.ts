import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import { actingFor } from '../../data/postgres/principal.ts';
import type { Caller } from '../caller.ts';

/** Whom the work of a request acts for; administrators see every table. */
const principalOf = (caller: Caller | undefined): string | undefined =>
  caller === undefined || caller.admin ? undefined : caller.id;

/** Every handler works for its caller: tables that are not granted to the caller do not exist for it. */
export function principal(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { handler, config } = route;
    const act: RouteHandlerMethod = function (request, reply) {
      return actingFor(principalOf(request.caller), () => handler.call(this, request, reply));
    };
    route.handler = act;
    const exists = config?.exists;
    if (exists !== undefined)
      route.config = {
        ...config!,
        exists: (organizationId, params, caller) =>
          actingFor(principalOf(caller), () => exists(organizationId, params, caller)),
      };
  });
}
