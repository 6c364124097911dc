import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { inOrganization } from '../../data/postgres/client.ts';
import { showPerson } from '../../domain/workspace/people/accounts.ts';
import { beginSession } from '../../domain/workspace/people/sessions.ts';
import { signIn } from '../../domain/workspace/people/sign-in.ts';
import type { Routes } from '../deps.ts';
import { addressGroup } from '../plugins/address-group.ts';
import { html } from './html.ts';
import { describedBy, faultText, isFromElsewhere, sendOnward, sendPage } from './layout.ts';
import { nextPage } from './next-page.ts';
import { chooseOrganization, organizationPath } from './organization.ts';
import type { Pages } from './pages.ts';
import { providerForm } from './provider.ts';

const page = { config: { scope: 'public' as const } };
const text = z.string().optional();
const begun = { action: 'session.begun' };
const form = z.object({ email: text, password: text, next: text });

/** Sign-in, with a local account unless there is a provider, and sign-out. */
export function signInPages(routes: Routes, pages: Pages): void {
  const { identityProvider } = pages;

  function sendForm(
    reply: FastifyReply,
    { email = '', next, fault, status }: { email?: string; next: string; fault?: string; status?: number },
  ) {
    if (identityProvider !== undefined) {
      const { label } = identityProvider;
      const body = html`${faultText(fault)}${providerForm(pages, reply, { label, action: '/sign-in/oidc', next })}`;
      return sendPage(reply, { title: 'Sign in', body, fault, status });
    }
    const body = html`${faultText(fault)}
<form method="post" action="/sign-in">
${pages.formFields(reply)}
<input type="hidden" name="next" value="${next}">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}"${describedBy(fault, { isFocused: false })}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${describedBy(fault)}>
<button>Sign in</button>
</form>
<p>No password yet? Open the link of your invitation to set it. On a new service, the owner sets it at the address that
the service printed when it started.</p>`;
    return sendPage(reply, { title: 'Sign in', body, fault, status });
  }

  routes.get(
    '/sign-in',
    { ...page, schema: { hide: true, querystring: z.object({ next: text }) } },
    async (request, reply) => {
      const next = nextPage(request.query.next);
      const session = await pages.sessionOf(request);
      if (session === undefined && isFromElsewhere(request)) return sendOnward(reply, request.url);
      if (session === undefined) return sendForm(reply, { next });
      const { name, email, organization, memberships } = await showPerson(pages.db, session);
      const onward =
        next === '/sign-in'
          ? html`<p><a href="/console/">Open the console</a></p>`
          : html`<p><a href="${next}">Continue</a></p>`;
      const body = html`<p>You're signed in as ${name} (${email}) of ${organization}.</p>
${onward}
${memberships.length > 1 ? html`<p><a href="${organizationPath(next)}">Switch to another organization</a></p>` : undefined}
<form method="post" action="/sign-out">${pages.formFields(reply)}<button class="plain">Sign out</button></form>`;
      return sendPage(reply, { title: 'Signed in', body });
    },
  );

  routes.post('/sign-in', { ...page, schema: { hide: true, body: form } }, async (request, reply) => {
    const { email = '', password = '' } = request.body;
    const next = nextPage(request.body.next);
    if (identityProvider !== undefined)
      return sendForm(reply, { next, fault: "This service doesn't use passwords.", status: 403 });
    const memberships = await signIn(pages.db, {
      email: email.trim().slice(0, 320),
      password: password.slice(0, 1_000),
      address: addressGroup(request.ip),
      // Nobody waits for it, so that a known account takes as long as an unknown one.
      refused: (known) => {
        pages
          .record(request, known, 'refused', begun)
          .catch((err: unknown) => request.log.warn({ err }, 'a refused sign-in was not recorded'));
      },
    });
    if (memberships === undefined) {
      request.log.info('a sign-in was refused');
      return sendForm(reply, { email, next, fault: "The email or password isn't right.", status: 401 });
    }
    const [person] = memberships;
    const before = await pages.sessionOf(request);
    if (before !== undefined) await pages.endSession(before);
    const secret = await pages.recording(
      request,
      () => person,
      begun,
      () => inOrganization(pages.db, person.organizationId, (db) => beginSession(db, person)),
    );
    pages.setSession(reply, secret);
    return reply.redirect(chooseOrganization(memberships, next), 303);
  });

  routes.get('/sign-out', { ...page, schema: { hide: true } }, async (_request, reply) => {
    const body = html`<form method="post" action="/sign-out">${pages.formFields(reply)}<button>Sign out</button></form>`;
    return sendPage(reply, { title: 'Sign out', body });
  });

  routes.post(
    '/sign-out',
    { ...page, schema: { hide: true, body: z.object({}) } },
    async (request, reply) => {
      const session = await pages.sessionOf(request);
      if (session !== undefined) {
        await pages.recording(
          request,
          () => session,
          { action: 'session.ended' },
          () => pages.endSession(session),
        );
      }
      pages.clearSession(reply);
      // Otherwise browsers show the pages from before on the way back, which they keep in memory.
      reply.header('Clear-Site-Data', '"cache"');
      return reply.redirect('/sign-in', 303);
    },
  );
}
