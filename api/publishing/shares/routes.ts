import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { AppError, ValidationError } from '../../../data/errors.ts';
import { openShare } from '../../../domain/publishing/shares/open.ts';
import { getShare, listShares, makeShare, revokeShare } from '../../../domain/publishing/shares/shares.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { html } from '../../pages/html.ts';
import { sendPage } from '../../pages/layout.ts';
import { sendFault } from '../../pages/routes.ts';
import { clientGone } from '../../reply.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { envelope } from '../../schemas.ts';
import { serviceUrl } from '../../service-url.ts';
import { sendPublished } from '../page.ts';
import { sharePage } from './page.ts';
import {
  endOf,
  madeShareExample,
  madeShareSchema,
  shareBody,
  shareExample,
  shareSchema,
  shareView,
} from './schemas.ts';

const path = '/v1/shares';

/** Of one organization: each may run a statement for each of its tiles. */
const mostLooksAtOnce = 8;

/** Links by which anybody reads what they show, and the page behind them. */
export function sharesRoutes(app: Routes, deps: ApiDeps): void {
  const tag = {
    name: 'Shares',
    description: 'Show a dashboard, a report or a query to people without an account, by a link.',
  };
  const shares = resource(app, deps, {
    tag,
    path: `${path}/:share_id`,
    schema: shareSchema,
    example: shareExample,
    load: (db, organizationId, { share_id: id }) => getShare(db, organizationId, id),
    view: shareView,
  });

  shares.list({
    summary: 'List shares, newest first',
    description: "Links aren't included. Shares that have ended stay in the list for 30 days.",
    rows: (db, { organizationId }, slice) => listShares(db, organizationId, slice),
  });
  route(
    app,
    { db: deps.db, tag },
    ['POST', path],
    {
      summary: 'Share a dashboard, a report or a query',
      audit: 'share.created',
      description:
        'Returns a link to a page, which is shown only once. Anyone who has the link can read the page, with the rights that you have at that moment. The link ends with its time, when you or the API client are removed, when its project is archived, or when what it shows is deleted. The token also needs `agent:read`.',
      body: shareBody,
      handsOut: () => ['agent:read'],
      errors: ['not_found', 'conflict', 'limit_reached'],
    },
    { 201: envelope(madeShareSchema).meta({ examples: [{ data: madeShareExample }] }) },
    async ({ organizationId, caller, body, newId, request, reply, transaction }) => {
      const expiresAt = endOf(body.expires_at);
      const { share, secret } = await transaction((db) =>
        makeShare(db, {
          ...{ organizationId, id: newId('shr'), expiresAt, createdBy: caller.id },
          ...{ type: body.resource.type, resourceId: body.resource.id },
          ...{ embedOrigins: body.embed_origins, openFilters: body.open_filters },
        }),
      );
      reply.header('Cache-Control', 'no-store');
      return { data: { ...shareView(share), url: `${serviceUrl(deps, request)}/shared/${secret}` } };
    },
  );
  shares.remove({
    summary: 'Revoke a share',
    operationId: 'revokeShare',
    audit: 'share.revoked',
    description: 'The link ends at once. Revoking twice has the same result.',
    run: ({ organizationId, params, transaction }) =>
      transaction((db) => revokeShare(db, organizationId, params.share_id)),
  });

  app.register(async (scope) => {
    const pages = scope as Routes;
    pages.setErrorHandler(async (error, request, reply) => {
      reply.header('Cache-Control', 'no-store');
      if (error instanceof ValidationError) return sendInvalid(reply, error);
      if (error instanceof AppError && error.code === 'not_found') return sendGone(reply);
      return sendFault(error, request, reply);
    });
    const looks = boundedLooks();
    const schema = { hide: true, params: z.object({ token: z.string() }) };
    pages.get('/shared/:token', { config: { scope: 'public' }, schema }, async (request, reply) => {
      const opened = await openShare(deps.db, request.params.token);
      if (opened === undefined) return sendGone(reply);
      const query = request.query as Record<string, unknown>;
      const page = await looks(opened.share.organization_id, () =>
        sharePage(deps, opened, query, clientGone(reply)),
      );
      return sendPublished(reply, page);
    });
  });
}

/** Refuses a look while too many others of its organization are under way. */
function boundedLooks() {
  const underWay = new Map<string, number>();
  return async <T>(organizationId: string, work: () => Promise<T>): Promise<T> => {
    const count = underWay.get(organizationId) ?? 0;
    if (count >= mostLooksAtOnce)
      throw new AppError('queries_saturated', 'Too many people look at this page. Try again in a moment.', {
        retryAfterSeconds: 2,
      });
    underWay.set(organizationId, count + 1);
    try {
      return await work();
    } finally {
      const left = underWay.get(organizationId)! - 1;
      if (left === 0) underWay.delete(organizationId);
      else underWay.set(organizationId, left);
    }
  };
}

/** The same for every link that shows nothing. */
function sendGone(reply: FastifyReply): FastifyReply {
  reply.header('Cache-Control', 'no-store');
  return sendPage(reply, {
    title: "This link doesn't work",
    body: html`<p>The link has ended or was never valid. Ask the person who gave it to you for a new one.</p>`,
    status: 404,
  });
}

function sendInvalid(reply: FastifyReply, { faults }: ValidationError): FastifyReply {
  const told = faults.map(({ loc, msg }) => html`<li>${loc.slice(1).join('.')}: ${msg}</li>`);
  return sendPage(reply, { title: "The filters aren't valid", body: html`<ul>${told}</ul>`, status: 422 });
}
