import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { release } from '../../data/release.ts';
import { version } from '../version.ts';
import { withWholeAlternatives } from './openapi-alternatives.ts';
import { withNames } from './openapi-names.ts';

const tags: [string, string][] = [
  ['Auth', 'Machine authentication for API clients.'],
  ['Tenant', 'Organization and tenant context.'],
  ['Projects', 'A project scopes conversations, reports, playbooks, files and catalog entries.'],
  ['Catalog Entries', "What of the data a project's analyst can see."],
  ['Conversations', 'Conversations with the analyst: messages, their queue, and the stream of what happens.'],
  ['Reports', 'What was written of the data: Markdown with charts and tables, read as PDF and DOCX too.'],
  ['Playbooks', 'Instructions with parameters, which the analyst carries out unattended.'],
  ['Workflows', 'Graphs of steps that run by themselves, as their owner.'],
  [
    'Schedules',
    'What fires again and again, by the clock of a time zone: its runs, and what of the past is fired again.',
  ],
  ['Data Connectors', 'Reusable connections to sources of data, which may be copied into the lake.'],
  [
    'App Connectors',
    'Servers of the Model Context Protocol whose tools the analyst can use, and who decides on each.',
  ],
  ['Files', 'Project files: small writes, large presigned uploads, previews, imports into tables.'],
  ['Runs', 'Every process of a project: listed, followed step by step, cancelled.'],
  ['Tables', 'Table metadata, catalog and profiles, row appends and upserts.'],
  ['Ingestion', 'Exactly-once batches, provider snapshots and data syncs.'],
  ['Query Executions', 'Read-only SQL execution.'],
  ['Exports', 'Tables and answers to queries as files, of any size.'],
  ['Views', 'Saved SELECTs, read wherever a table is: their metadata, catalog and lineage.'],
  ['Grid', 'Grid tables: creation and columns, calculated tables and how fresh they are.'],
  [
    'Verification Tests',
    'What should hold of tables: definitions, what changes them for some tables, and runs with their results.',
  ],
  ['Lake', 'Access to the lake from outside, and the background work that keeps it fast and small.'],
  ['Apps', 'What the organization has deployed elsewhere, as long as it answers.'],
  ['Members', 'The people of the organization, and invitations to it.'],
  ['System', 'Liveness, readiness and explanations of problems.'],
];

const description = `A multi-tenant data-analysis workspace over HTTP.

Requests are snake_case, answers camelCase. One resource comes as \`{"data": …}\`, a list as
\`{"items": […], "nextCursor": …}\`. Errors are problem documents (RFC 7807) with a stable \`code\`; validation
errors are 422 with every fault at its place. Writes take an \`Idempotency-Key\`. Rows and pages may be sent compressed
(\`Content-Encoding\`: gzip or zstd); their limit is that of what they unpack to.`;

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
              'An access token. `agent:read`: catalog, query, previews, file and report content. `agent:write`: mutations. `tables:append`: row appends, ingestion batches, source-sync pages, deployed-app registration.',
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
 * CSV is text, so the JSON schema of the same route does not apply to it; and a body that may be null or has
 * a default may be left out.
 */
function withOwnBodies<T extends object>(document: T): T {
  const { paths = {} } = document as { paths?: Record<string, Record<string, WithBody>> };
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    const content = operation.requestBody?.content;
    // Replaced, not changed: the same object describes the JSON of the route.
    if (content?.['text/csv'] !== undefined)
      content['text/csv'] = { schema: { type: 'string', contentMediaType: 'text/csv' } };
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
