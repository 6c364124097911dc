import { z } from 'zod';
import { getApp, listLiveApps, slugPattern } from '../../../domain/workspace/apps/apps.ts';
import { createAppChecks } from '../../../domain/workspace/apps/check.ts';
import { registerApp, removeApp } from '../../../domain/workspace/apps/register.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { appAnswer, appExample, appSchema, appView, registerAppBody } from './schemas.ts';

const tag = {
  name: 'Apps',
  description:
    'Register apps that the organization has deployed elsewhere, and list those that still answer.',
};
const path = '/v1/sum-apps';

/** First checks under way in an API process; other registrations wait, organizations in turn. */
const checksAtOnce = 64;

/** What the organization has deployed elsewhere, and whether it answers. */
export function appsRoutes(app: Routes, deps: ApiDeps): void {
  const withChecks = { ...deps, check: createAppChecks(deps.outgoing, checksAtOnce) };
  const apps = resource(app, deps, {
    tag,
    path: `${path}/:slug`,
    schema: appSchema,
    example: appExample,
    load: (db, organizationId, { slug }) => getApp(db, organizationId, slug),
    view: appView,
  });

  apps.list({
    summary: 'List live apps',
    description:
      'Returns live apps by slug. An app is live from its first 2xx response until three checks in a row fail, and again from the next 2xx response.',
    rows: (db, { organizationId }, slice) => listLiveApps(db, organizationId, slice),
    place: { schema: z.string().regex(slugPattern), of: ({ slug }) => slug },
  });
  route(
    app,
    { db: deps.db, tag },
    ['POST', path],
    {
      summary: 'Register an app',
      audit: 'app.registered',
      description:
        "The service requests the health address before it responds, then every 30 seconds, and less often while the app is down. If an app with this slug exists, it is replaced: the response is 200, and the app is live from its own first 2xx response. Redirects aren't followed.",
      scope: 'tables:append',
      body: registerAppBody,
      errors: ['limit_reached'],
    },
    { 200: appAnswer, 201: appAnswer },
    async ({ organizationId, caller, body, reply, audit }) => {
      audit({ resource: { id: body.slug, name: body.name } });
      const put = await registerApp(withChecks, {
        organizationId,
        slug: body.slug,
        name: body.name,
        url: body.url,
        version: body.version,
        environment: body.environment,
        healthPath: body.health_path,
        description: body.description ?? null,
        callerId: caller.id,
      });
      if (put.isNew) reply.code(201);
      return { data: appView(put.app) };
    },
  );
  apps.remove({
    summary: 'Delete an app',
    audit: 'app.removed',
    description: 'Returns the app in its last state.',
    scope: 'tables:append',
    run: ({ organizationId, params }) => removeApp(deps, organizationId, params.slug),
  });
}
