import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { release } from '../../data/release.ts';
import { version } from '../version.ts';
import { columnTypes } from './column-body.ts';
import { withWholeAlternatives } from './openapi-alternatives.ts';
import { withNames } from './openapi-names.ts';
import type { Tag } from './route-rules.ts';

/** Their order in the document; others come after them, in the order in which they are registered. */
const tagOrder = [
  'Auth',
  'Tenant',
  'Projects',
  'Catalog Entries',
  'Conversations',
  'Reports',
  'Playbooks',
  'Workflows',
  'Schedules',
  'Data Connectors',
  'App Connectors',
  'Files',
  'Runs',
  'Tables',
  'Ingestion',
  'Query Executions',
  'Exports',
  'Views',
  'Grid',
  'Verification Tests',
  'Lake',
  'Apps',
  'Members',
  'System',
];

const description = `A multi-tenant data-analysis workspace over HTTP.

Requests use snake_case and responses use camelCase. A single resource is returned as \`{"data": …}\` and a list as
\`{"items": […], "nextCursor": …}\`. Errors are problem documents (RFC 7807) with a stable \`code\`. Validation
errors have the status 422 and list every fault with its place. Write requests accept an \`Idempotency-Key\`. You can compress rows and pages
(\`Content-Encoding\`: gzip or zstd). Their size limit applies to the uncompressed data.`;

/**
 * The OpenAPI 3.1 document at /openapi.json, generated from the validating schemas, and a page to read it.
 */
export async function openapi(app: FastifyInstance, publicUrl: string | undefined): Promise<void> {
  const tags = tagsOf(app);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Analytics Workspace Service', version, description, ...{ 'x-release': release } },
      servers: [{ url: publicUrl ?? '/' }],
      // Their place in the document.
      tags: [],
      components: {
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An access token. `agent:read`: read the catalog, run queries, and read previews, files and reports. `agent:write`: create and change things. `tables:append`: append rows, ingestion batches and source-sync pages, and register deployed apps.',
          },
        },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: (document) => ({
      ...withNames(withWholeAlternatives(withOwnBodies(withoutUnused(jsonSchemaTransformObject(document))))),
      tags: tags(),
    }),
  });
  app.get('/openapi.json', { schema: { hide: true }, config: { scope: 'public' } }, async () =>
    app.swagger(),
  );
  // As pages and console have: it runs what is served here, and nobody frames it.
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.url?.startsWith('/docs') === true) reply.headers(docsHeaders);
  });
  await app.register(swaggerUi, { routePrefix: '/docs', logLevel: 'warn' });
}

/**
 * The tags of all routes, each with the description that one of its routes declares.
 *
 * @throws Error at startup for a tag without a description
 */
function tagsOf(app: FastifyInstance): () => Tag[] {
  const used = new Set<string>();
  const described = new Map<string, Tag>();
  app.addHook('onRoute', ({ schema, config }) => {
    for (const name of schema?.tags ?? []) used.add(name);
    if (config?.tag !== undefined) described.set(config.tag.name, config.tag);
  });
  app.addHook('onReady', async () => {
    const bare = [...used].filter((name) => !described.has(name));
    if (bare.length > 0) throw new Error(`No route describes the tag ${bare.join(', ')}.`);
  });
  const rank = ({ name }: Tag) => (tagOrder.includes(name) ? tagOrder.indexOf(name) : tagOrder.length);
  return () => [...described.values()].sort((one, other) => rank(one) - rank(other));
}

const docsHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    // Its script sets styles of elements.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
};

/**
 * CSV is text and columns are bytes, so the JSON schema of the same route does not apply to them; and a body
 * that may be null or has a default may be left out.
 */
function withOwnBodies<T extends object>(document: T): T {
  const { paths = {} } = document as { paths?: Record<string, Record<string, WithBody>> };
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const content = operation.requestBody?.content;
    // Replaced, not changed: the same object describes the JSON of the route.
    if (content?.['text/csv'] !== undefined)
      content['text/csv'] = { schema: { type: 'string', contentMediaType: 'text/csv' } };
    for (const type of Object.values(columnTypes))
      if (content?.[type] !== undefined) content[type] = { schema: { type: 'string', format: 'binary' } };
    if (isOptional(content?.['application/json']?.schema)) operation.requestBody!.required = false;
  }
  return document;
}

const isOptional = (schema: { anyOf?: { type?: string }[]; default?: unknown } = {}): boolean =>
  schema.default !== undefined || schema.anyOf?.some(({ type }) => type === 'null') === true;

interface WithBody {
  requestBody?: { required?: boolean; content?: Record<string, { schema: object }> };
}

/** Named schemas are generated once for requests and once for answers; unreferenced ones are removed. */
function withoutUnused<T extends object>(document: T): T {
  const { components } = document as { components?: { schemas?: Record<string, unknown> } };
  const schemas = components?.schemas ?? {};
  const text = JSON.stringify(document);
  const used = Object.entries(schemas).filter(([name]) => text.includes(`"#/components/schemas/${name}"`));
  const left = { ...document, components: { ...components, schemas: Object.fromEntries(used) } };
  // Repeated, because others may have been referenced only by removed ones.
  return used.length === Object.keys(schemas).length ? left : withoutUnused(left);
}
