import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { release } from '../../data/release.ts';
import { version } from '../version.ts';
import { columnTypes } from './column-body.ts';
import { withWholeAlternatives } from './openapi-alternatives.ts';
import { withNames } from './openapi-names.ts';

const tags: [string, string][] = [
  ['Auth', 'Log in people and programs, and manage API clients.'],
  ['Tenant', 'The organization of the caller.'],
  [
    'Projects',
    'Create and manage projects. A project contains conversations, reports, playbooks, files and catalog entries.',
  ],
  ['Catalog Entries', 'Choose the tables and views that the analyst of a project can see.'],
  ['Conversations', 'Talk with the analyst: messages, their queue, and a stream of events.'],
  ['Reports', 'Write and read reports: Markdown with charts and tables, also as PDF and DOCX.'],
  ['Playbooks', 'Write instructions with parameters that the analyst carries out on its own.'],
  ['Workflows', 'Build graphs of steps that run on their own, as their owner.'],
  ['Schedules', 'Run playbooks at set times in a time zone, follow their runs, and backfill past ones.'],
  ['Data Connectors', 'Connect databases, object stores and HTTP APIs, and copy their data into the lake.'],
  [
    'App Connectors',
    'Connect servers of the Model Context Protocol whose tools the analyst can use, and decide on each tool.',
  ],
  [
    'Files',
    'Manage the files of a project: small writes, large presigned uploads, previews, and imports into tables.',
  ],
  ['Runs', 'List, follow and cancel the background work of a project.'],
  ['Tables', 'Read table metadata, catalog and profiles, and append or upsert rows.'],
  ['Ingestion', 'Load data exactly once with batches, provider snapshots and data syncs.'],
  ['Query Executions', 'Run read-only SQL.'],
  ['Exports', 'Export tables and query results of any size as files.'],
  ['Views', 'Save SELECTs that can be used like tables, with their metadata, catalog and lineage.'],
  ['Grid', 'Create tables and change their columns, and keep calculated tables up to date.'],
  [
    'Verification Tests',
    'Test the data of tables: definitions, overlays for some tables, and runs with their results.',
  ],
  ['Lake', 'Connect to the lake from outside, and follow the maintenance that keeps it fast and small.'],
  ['Apps', 'Register apps that the organization has deployed elsewhere, and list those that still answer.'],
  ['Members', 'Manage the people of the organization and invite others.'],
  ['System', 'Check the health of the service and look up problems.'],
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
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Analytics Workspace Service', version, description, ...{ 'x-release': release } },
      servers: [{ url: publicUrl ?? '/' }],
      tags: tags.map(([name, text]) => ({ name, description: text })),
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
    transformObject: (document) =>
      withNames(withWholeAlternatives(withOwnBodies(withoutUnused(jsonSchemaTransformObject(document))))),
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
