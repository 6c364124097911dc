import { createMcpHandler } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../data/errors.ts';
import { type Caller, callerOf } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { bodyLimits } from '../plugins/json-body.ts';
import { clientGone } from '../reply.ts';
import { serviceUrl } from '../service-url.ts';
import { createInside, type Inside } from './inside.ts';
import { metadataUrl, protectedResourceRoutes } from './protected-resource.ts';
import { createServer } from './server.ts';

/** Calls of one caller under way at once in this process: each may wait for minutes. */
const maxAtOnce = 20;

/**
 * The tools of the Model Context Protocol over its streamable HTTP transport, without sessions: any API
 * process answers any request, in the revision that the client speaks.
 */
export function mcpRoutes(app: Routes, deps: ApiDeps): void {
  protectedResourceRoutes(app, deps);
  const closing = new AbortController();
  const handler = createMcpHandler(({ authInfo }) => createServer(authInfo!.extra!['inside'] as Inside), {
    // A stream shows proxies and clients that the call is alive, from its beginning.
    responseMode: 'sse',
    // Nothing that is listed changes while a client looks.
    maxSubscriptions: 0,
    onerror: (error) => deps.logger.debug({ err: error }, 'an MCP request was not served'),
  });
  app.addHook('preClose', async () => closing.abort());
  app.addHook('onClose', () => handler.close());
  const underWay = new Map<string, number>();

  function begin({ id }: Caller): () => void {
    const count = underWay.get(id) ?? 0;
    if (count >= maxAtOnce)
      throw new AppError(
        'rate_limited',
        `A caller can have up to ${maxAtOnce} MCP calls in progress. Wait for one to end.`,
        { retryAfterSeconds: 5 },
      );
    underWay.set(id, count + 1);
    return () => {
      const left = underWay.get(id)! - 1;
      if (left === 0) underWay.delete(id);
      else underWay.set(id, left);
    };
  }

  app.post(
    '/mcp',
    {
      bodyLimit: bodyLimits.report,
      schema: { hide: true, operationId: 'callMcp', body: z.unknown() },
      config: {
        scope: 'signed-in',
        audit: { none: 'Its tools are recorded as the routes that they call.' },
        idempotent: false,
        resourceMetadata: (request) => metadataUrl(deps, request),
      },
    },
    async (request, reply) => {
      refuseOtherOrigins(deps, request);
      refuseBatches(request.body);
      const end = begin(callerOf(request));
      if (reply.raw.closed) end();
      else reply.raw.once('close', end);
      const signal = clientGone(reply);
      const { scopes, id, expiresAt } = callerOf(request);
      const answer = await handler.fetch(toWebRequest(request, signal), {
        // Read as every body: a large one in a thread, within the same bounds.
        parsedBody: request.body,
        authInfo: {
          token: '',
          clientId: id,
          scopes: [...scopes],
          expiresAt: Math.floor(expiresAt.getTime() / 1_000),
          resourceMetadataUrl: metadataUrl(deps, request),
          extra: { inside: createInside(app, request, { signal, closing: closing.signal }) },
        },
      });
      return reply.send(answer);
    },
  );
}

/** A page of another site could reach a service in its visitor's network; browsers say where it is from. */
function refuseOtherOrigins(deps: ApiDeps, request: FastifyRequest): void {
  const { origin } = request.headers;
  if (origin === undefined || origin === URL.parse(serviceUrl(deps, request))?.origin) return;
  throw new AppError('origin_refused', "Pages of another site can't call the MCP server.");
}

/** One request must not be many: batches left the protocol in 2025. */
function refuseBatches(body: unknown): void {
  if (Array.isArray(body))
    throw new AppError(
      'invalid_request',
      'Send one message per request. The protocol no longer supports batches.',
    );
}

/** The request without its body, which is parsed already. */
function toWebRequest(request: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && name !== 'authorization' && name !== 'content-length')
      headers.set(name, String(value));
  return new Request('http://workspace/mcp', { method: 'POST', headers, signal });
}
