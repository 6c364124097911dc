import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { scopes } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { serviceUrl } from '../service-url.ts';

const wellKnown = '/.well-known/oauth-protected-resource';

const metadata = z
  .object({
    resource: z.string(),
    resource_name: z.string(),
    authorization_servers: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    resource_documentation: z.string(),
  })
  .meta({
    examples: [
      {
        resource: 'https://workspace.example.com/mcp',
        resource_name: 'Analytics Workspace',
        authorization_servers: ['https://workspace.example.com'],
        bearer_methods_supported: ['header'],
        scopes_supported: [...scopes],
        resource_documentation: 'https://workspace.example.com/docs',
      },
    ],
  });

/** Where a client without a token learns who gives one. */
export const metadataUrl = (deps: ApiDeps, request: FastifyRequest): string =>
  `${serviceUrl(deps, request)}${wellKnown}/mcp`;

/** RFC 9728, of the service and of its MCP server. */
export function protectedResourceRoutes(app: Routes, deps: ApiDeps): void {
  for (const path of ['', '/mcp'] as const)
    app.get(
      `${wellKnown}${path}`,
      {
        schema: {
          tags: ['Auth'],
          operationId: path === '' ? 'getProtectedResource' : 'getMcpResource',
          summary:
            path === ''
              ? 'Show the resource metadata (RFC 9728)'
              : 'Show the resource metadata of the MCP server (RFC 9728)',
          response: { 200: metadata },
        },
        config: { scope: 'public' },
      },
      async (request) => {
        const issuer = serviceUrl(deps, request);
        return {
          resource: `${issuer}${path}`,
          resource_name: 'Analytics Workspace',
          authorization_servers: [issuer],
          bearer_methods_supported: ['header'],
          scopes_supported: [...scopes],
          resource_documentation: `${issuer}/docs`,
        };
      },
    );
}
