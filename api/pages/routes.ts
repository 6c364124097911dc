import cookie from '@fastify/cookie';
import csrfProtection from '@fastify/csrf-protection';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, problems } from '../../data/errors.ts';
import { inOrganization } from '../../data/postgres/client.ts';
import { type DoneEvent, recordedWork } from '../../domain/workspace/audit/recorded-work.ts';
import type { Recorder } from '../../domain/workspace/audit/recorder.ts';
import type { Person } from '../../domain/workspace/people/accounts.ts';
import { endSession, findSession } from '../../domain/workspace/people/sessions.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { toKnownError } from '../plugins/errors.ts';
import { formBody } from '../plugins/form-body.ts';
import { accountLinkPages } from './account-links.ts';
import { authorizePages } from './authorize.ts';
import { devicePages } from './device.ts';
import { html } from './html.ts';
import { sendPage } from './layout.ts';
import { organizationPages } from './organization.ts';
import type { PageEvent, Pages } from './pages.ts';
import { providerPages } from './provider.ts';
import { signInPages } from './sign-in.ts';

const tokenField = 'form_token';

/**
 * The pages on which people sign in and approve: plain forms without scripts. Their cookies are sent by
 * this site alone, and never shown to scripts; each form carries a token that belongs to such a cookie.
 */
export function pagesRoutes(app: Routes, deps: ApiDeps, record: Recorder): void {
  app.register(async (scope) => {
    const routes = scope as Routes;
    const secure = deps.publicUrl?.startsWith('https:') === true;
    const strict = { path: '/', httpOnly: true, sameSite: 'strict', secure } as const;
    // A name that begins with __Host- is refused by browsers from any other host, also from a subdomain.
    const named = (name: string) => (secure ? `__Host-${name}` : name);
    await routes.register(cookie);
    await routes.register(csrfProtection, {
      cookieKey: named('form'),
      cookieOpts: strict,
      getToken: ({ body }) => (body as Record<string, string> | undefined)?.[tokenField],
    });
    formBody(routes);
    routes.setErrorHandler(async (error, request, reply) => sendFault(error, request, reply));
    routes.addHook('onRequest', async (_request, reply) => void reply.header('Cache-Control', 'no-store'));
    // Before validation, which drops the field of the token.
    routes.addHook('preValidation', (request, reply, done) => {
      if (request.method === 'POST') routes.csrfProtection(request, reply, done);
      else done();
    });

    // A navigation from another site, such as the way back from a provider, brings along lax cookies alone.
    const lax = { ...strict, sameSite: 'lax' } as const;
    const [sessionCookie, progressCookie] = [named('session'), named('sign-in')];
    const pages: Pages = {
      ...deps,
      record: (request, person, outcome, event) =>
        record({ ...eventOf(request, person, event), outcome, processId: null }),
      recording: (request, personOf, event, work) => {
        const eventAfter = async (_: unknown, result: unknown) => {
          const person = personOf(result);
          return person && eventOf(request, person, event);
        };
        return recordedWork(record, eventAfter, work);
      },
      formFields: (reply) => html`<input type="hidden" name="${tokenField}" value="${reply.generateCsrf()}">`,
      sessionOf: async (request) => {
        const secret = request.cookies[sessionCookie];
        return secret === undefined ? undefined : findSession(deps.db, secret);
      },
      async endSession(session) {
        await inOrganization(deps.db, session.organizationId, (db) => endSession(db, session));
        app.forgetTokens(session.organizationId);
      },
      setSession: (reply, secret) => void reply.setCookie(sessionCookie, secret, strict),
      clearSession: (reply) => void reply.clearCookie(sessionCookie, strict),
      progressOf: (request) => request.cookies[progressCookie],
      setProgress: (reply, sealed, seconds) =>
        void reply.setCookie(progressCookie, sealed, { ...lax, maxAge: seconds }),
      clearProgress: (reply) => void reply.clearCookie(progressCookie, lax),
    };
    signInPages(routes, pages);
    organizationPages(routes, pages);
    if (deps.identityProvider !== undefined) providerPages(routes, pages, deps.identityProvider);
    accountLinkPages(routes, pages);
    devicePages(routes, pages);
    authorizePages(routes, pages);
  });
}

function eventOf(
  { ip: address, id: requestId }: FastifyRequest,
  { organizationId, userId }: Person,
  event: PageEvent,
): DoneEvent {
  return {
    organizationId,
    actor: { type: 'user', id: userId },
    resource: { id: userId, name: null },
    address,
    requestId,
    detail: null,
    ...event,
  };
}

/** An error as a page. */
export function sendFault(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if ((error as { code?: string }).code?.startsWith('FST_CSRF_') === true) {
    const body = html`<p>The form has expired or didn't come from this site. Go back, reload the page and
try again. Your browser must allow cookies.</p>`;
    return sendPage(reply, { title: 'The form was rejected', body, status: 403 });
  }
  const known = toKnownError(error);
  if (known === undefined) {
    request.log.error({ err: error }, 'request failed');
    const body = html`<p>The service has failed. If you ask the operator for help, mention request ${request.id}.</p>`;
    return sendPage(reply, { title: 'Something went wrong', body, status: 500 });
  }
  if (!(known instanceof AppError))
    return sendPage(reply, {
      title: 'Something went wrong',
      body: html`<p>The form can't be read.</p>`,
      status: 422,
    });
  const [status, title] = problems[known.code];
  const retryAfter = known.retryAfterSeconds ?? (status === 503 ? 2 : undefined);
  if (retryAfter !== undefined) reply.header('Retry-After', String(retryAfter));
  return sendPage(reply, { title, body: html`<p>${known.message}</p>`, status });
}
