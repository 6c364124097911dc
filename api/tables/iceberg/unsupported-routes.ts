import { z } from 'zod';
import { AppError } from '../../../data/errors.ts';
import type { Routes } from '../../deps.ts';
import { base, main, refuseForeign } from './named.ts';

const anything = z.looseObject({});
const namespaces = `${base}/:prefix/namespaces`;

/**
 * What the specification has and this catalog doesn't: a client is told so, and not that the address is
 * wrong.
 */
const unsupported = [
  ['DELETE', `${namespaces}/:namespace`, "The namespace main can't be dropped."],
  ['POST', `${namespaces}/:namespace/properties`, 'Namespaces have no properties here.'],
  [
    'POST',
    `${namespaces}/:namespace/register`,
    "Tables of other catalogs can't be registered here. Import their files.",
  ],
  ['GET', `${namespaces}/:namespace/views`, "Views aren't shown here. Read them with SQL."],
  ['POST', `${namespaces}/:namespace/views`, 'Views are created with POST /v1/views.'],
  ['POST', `${base}/:prefix/tables/rename`, "Tables aren't renamed here."],
  ['POST', `${base}/:prefix/transactions/commit`, 'Commit to each table by itself.'],
] as const;

/** They are not in the document, as they do nothing. */
export function icebergUnsupportedRoutes(app: Routes): void {
  const config = { scope: 'agent:write', iceberg: 'Namespace', idempotent: false } as const;
  const audit = { none: 'It changes nothing.' };
  for (const [method, url, message] of unsupported)
    app.route({
      method,
      url,
      schema: { hide: true, ...(method === 'POST' ? { body: anything } : {}) },
      config: { ...config, ...(method === 'GET' ? { scope: 'agent:read' as const } : { audit }) },
      handler: async (request) => {
        refuseForeign(request.caller!.organizationId, request.params as { prefix: string });
        throw new AppError('unsupported_option', message);
      },
    });
  app.route({
    method: 'POST',
    url: namespaces,
    schema: { hide: true, body: anything },
    config: { ...config, audit },
    handler: async (request) => {
      refuseForeign(request.caller!.organizationId, request.params as { prefix: string });
      const { namespace } = request.body as { namespace?: unknown };
      if (JSON.stringify(namespace) === JSON.stringify([main]))
        throw new AppError('name_taken', `The namespace ${main} already exists.`);
      throw new AppError('unsupported_option', `There is one namespace, ${main}. No other can be created.`);
    },
  });
}
