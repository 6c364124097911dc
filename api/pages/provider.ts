import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { showPerson } from '../../domain/workspace/people/accounts.ts';
import {
  type Identity,
  type IdentityProvider,
  ProviderFailure,
  type ProviderFault,
} from '../../domain/workspace/people/identity-provider.ts';
import { findLink } from '../../domain/workspace/people/links.ts';
import { openAccountAs, type Refusal, signInAs } from '../../domain/workspace/people/oidc-accounts.ts';
import type { SignedIn } from '../../domain/workspace/people/open-account.ts';
import type { Routes } from '../deps.ts';
import { serviceUrl } from '../service-url.ts';
import { type Html, html } from './html.ts';
import { sendNotUsable, sendOnward, sendPage } from './layout.ts';
import { nextPage } from './next-page.ts';
import { chooseOrganization } from './organization.ts';
import { type Pages, personIn } from './pages.ts';
import { openProgress, type Progress, progressSeconds, sealProgress } from './progress.ts';

const callbackPath = '/sign-in/oidc/callback';
const config = { scope: 'public' as const };
const again = html`<p><a href="/sign-in">Sign in</a></p>`;

/** The button that begins a sign-in at the provider, in a form of its own. */
export function providerForm(
  pages: Pages,
  reply: FastifyReply,
  { label, action, next }: { label: string; action: string; next?: string },
): Html {
  const kept = next === undefined ? undefined : html`<input type="hidden" name="next" value="${next}">`;
  return html`<form method="post" action="${action}">
${pages.formFields(reply)}
${kept}
<button>Sign in with ${label}</button>
</form>`;
}

/** Sends the person to the provider; `link` is the one-time address that brought them. */
export async function beginAtProvider(
  pages: Pages,
  provider: IdentityProvider,
  request: FastifyRequest,
  reply: FastifyReply,
  { next, link }: Pick<Progress, 'next' | 'link'>,
): Promise<FastifyReply> {
  try {
    const { url, checks } = await provider.begin(callbackOf(pages, request).href);
    // On the way back from the provider, the browser does not send the cookie of this session.
    const before = await pages.sessionOf(request);
    pages.setProgress(reply, sealProgress(pages.cipher, { checks, next, link, before }), progressSeconds);
    // A page instead of a redirect: browsers apply the policy of the form's page to every redirect after it,
    // and providers send people on to sites of their own.
    return sendOnward(reply, url);
  } catch (error) {
    return sendFailure(request, reply, provider, error);
  }
}

/** Sign-in at the operator's OpenID Connect provider: the button, and the way back. */
export function providerPages(routes: Routes, pages: Pages, provider: IdentityProvider): void {
  routes.post(
    '/sign-in/oidc',
    { config, schema: { hide: true, body: z.object({ next: z.string().optional() }) } },
    (request, reply) =>
      beginAtProvider(pages, provider, request, reply, { next: nextPage(request.body.next) }),
  );

  routes.get(callbackPath, { config, schema: { hide: true } }, async (request, reply) => {
    const sealed = pages.progressOf(request);
    pages.clearProgress(reply);
    const progress = sealed === undefined ? undefined : openProgress(pages.cipher, sealed);
    if (progress === undefined) {
      request.log.info('a sign-in came back to a browser that began none');
      return sendFault(reply, provider, 'invalid');
    }
    let identity: Identity;
    try {
      identity = await provider.finish(callbackOf(pages, request), progress.checks);
    } catch (error) {
      return sendFailure(request, reply, provider, error);
    }
    const { link, before, next } = progress;
    const found = link && (await findLink(pages.db, link.kind, link.token));
    if (link !== undefined && found === undefined) return sendNotUsable(reply);
    const action = found === undefined ? 'session.begun' : 'account.opened';
    const outcome = await pages.recording(request, personIn, { action }, () =>
      found === undefined ? signInAs(pages.db, identity) : openAccountAs(pages.db, found, identity),
    );
    if (typeof outcome === 'string') {
      request.log.info({ refusal: outcome, linkId: found?.link.id }, 'a sign-in was refused');
      return sendRefusal(reply, provider, outcome, identity);
    }
    const { person, secret }: SignedIn = outcome;
    if (found !== undefined)
      request.log.info(
        { ...person, linkId: found.link.id, kind: found.link.kind },
        'an account was opened by its link',
      );
    const { memberships } = await showPerson(pages.db, person);
    if (before !== undefined) await pages.endSession(before);
    pages.setSession(reply, secret);
    return sendOnward(reply, found === undefined ? chooseOrganization(memberships, next) : next);
  });
}

/** Where the provider sends people back to, with what came along. */
function callbackOf(pages: Pages, request: FastifyRequest): URL {
  const url = new URL(callbackPath, serviceUrl(pages, request));
  const isBack = request.routeOptions.url === callbackPath;
  if (isBack) url.search = new URL(request.url, url).search;
  return url;
}

function sendFailure(
  request: FastifyRequest,
  reply: FastifyReply,
  provider: IdentityProvider,
  error: unknown,
): FastifyReply {
  if (!(error instanceof ProviderFailure)) throw error;
  const level = error.fault === 'unavailable' ? 'warn' : 'info';
  request.log[level]({ err: error, fault: error.fault, answer: error.answer }, 'a sign-in failed');
  return sendFault(reply, provider, error.fault);
}

const faults: Readonly<
  Record<ProviderFault, { title: string; status: number; say: (at: string) => string }>
> = {
  unavailable: {
    title: "Sign-in doesn't work at the moment",
    status: 503,
    say: (at) =>
      `${at} doesn't answer as expected. Try again in a moment. If that doesn't help, tell the operator of this service.`,
  },
  denied: { title: 'Not signed in', status: 403, say: (at) => `${at} didn't sign you in.` },
  invalid: {
    title: 'Not signed in',
    status: 400,
    say: () =>
      'This sign-in has expired, is already finished, or started in another browser. Start again, and allow cookies.',
  },
};

function sendFault(reply: FastifyReply, { label }: IdentityProvider, fault: ProviderFault): FastifyReply {
  const { title, status, say } = faults[fault];
  if (status === 503) reply.header('Retry-After', '10');
  return sendPage(reply, { title, body: html`<p>${say(label)}</p>${again}`, status });
}

const refusals: Readonly<Record<Refusal, (at: string, email: string) => string>> = {
  unverified: (at) => `${at} has no verified email for you. Verify your email there, and sign in again.`,
  unknown: (at, email) =>
    `${at} signed you in as ${email}, which has no account here. If you were invited, open the link of the invitation. If not, ask an administrator to invite you.`,
  other_email: (at, email) =>
    `${at} signed you in as ${email}, but the invitation is for another email. Sign in there with the invited email, or ask for another invitation.`,
  is_member: (_at, email) =>
    `You're already a member of this organization, or another member has the email ${email}. Sign in instead.`,
};

function sendRefusal(
  reply: FastifyReply,
  { label }: IdentityProvider,
  refusal: Refusal,
  { email = '' }: Identity,
): FastifyReply {
  const body = html`<p>${refusals[refusal](label, email)}</p>${again}`;
  return sendPage(reply, { title: 'Not signed in', body, status: 403 });
}
