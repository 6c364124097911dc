import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { issueCode } from '../../domain/workspace/logins/authorization-codes.ts';
import {
  findPublicClient,
  isRedirectUri,
  keepPublicClient,
  type PublicClient,
} from '../../domain/workspace/logins/public-clients.ts';
import { type Person, showPerson } from '../../domain/workspace/people/accounts.ts';
import type { PageSession } from '../../domain/workspace/people/sessions.ts';
import { askedScopes } from '../auth/asked-scopes.ts';
import { isOurs } from '../auth/resource-indicator.ts';
import type { Routes } from '../deps.ts';
import { serviceUrl } from '../service-url.ts';
import { consent, deciding, decisionFields } from './consent.ts';
import { html } from './html.ts';
import { isFromElsewhere, sendOnward, sendPage } from './layout.ts';
import type { Pages } from './pages.ts';

const path = '/v1/auth/authorize';
const text = z.string().max(2_000).optional();
/** RFC 6749 §3.1: a parameter without a value is left out. */
const withValues = (asked: Record<string, string | undefined>): Asked =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== ''));
const parameters = z.object({
  response_type: text,
  client_id: text,
  redirect_uri: text,
  scope: text,
  state: text,
  code_challenge: text,
  code_challenge_method: text,
  resource: text,
});
type Asked = z.output<typeof parameters>;

/** A request whose client and address are right: from here on, faults are reported to the client. */
interface Request {
  client: PublicClient;
  redirectUri: string;
  issuer: string;
  asked: Asked;
}

interface Grant {
  scopes: string[];
  codeChallenge: string;
}

interface Approved {
  right: Request;
  grant: Grant;
  session: PageSession;
  /** Who approves: the person of the session, or the same one in another organization. */
  person: Person;
}

/** The authorization endpoint (RFC 6749 §4.1 with RFC 7636): a program sends a person's browser here. */
export function authorizePages(routes: Routes, pages: Pages): void {
  /** Undefined after a page that shows the fault: nothing is sent to an address that is not the client's. */
  async function requestOf(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: Asked,
  ): Promise<Request | undefined> {
    const refuse = (fault: string) => {
      sendFault(reply, fault);
      return undefined;
    };
    const { client_id: clientId = '', redirect_uri: redirectUri = '' } = asked;
    const client = await findPublicClient(pages, clientId);
    if (client === undefined) return refuse('There is no program with this client_id.');
    const issuer = serviceUrl(pages, request);
    if (!isRedirectUri(client, redirectUri, issuer))
      return refuse('The redirect_uri is not registered for this program.');
    return { client, redirectUri, issuer, asked };
  }

  async function sendConsent(reply: FastifyReply, session: PageSession, request: Request, grant: Grant) {
    const { client, redirectUri, asked } = request;
    const person = await showPerson(pages.db, session);
    const kept = Object.entries(asked).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    );
    const body = html`<p>Approve only if you started this login yourself.</p>
${consent({ client, from: { label: 'Sends you back to', value: shownTarget(redirectUri) }, person, scopes: grant.scopes })}
<form method="post" action="${path}">
${pages.formFields(reply)}
${kept}
${decisionFields(person)}
</form>`;
    return sendPage(reply, { title: 'Approve this login?', body, formTarget: formTarget(redirectUri) });
  }

  /** Sends the browser back with a code. */
  async function approve(
    request: FastifyRequest,
    reply: FastifyReply,
    { right, grant, session, person }: Approved,
  ) {
    const { organizationId, userId } = person;
    const { client, redirectUri } = right;
    const issued = {
      organizationId,
      userId,
      clientId: client.id,
      redirectUri,
      address: request.ip,
      pageSessionId: needsNoConsent(right) ? session.id : null,
      ...grant,
    };
    const code = await pages.recording(
      request,
      () => person,
      eventOf(right, 'approved'),
      () => issueCode(pages.db, issued),
    );
    await keepPublicClient(pages.db, client.id);
    return sendBack(reply, right, { code });
  }

  routes.get(
    path,
    {
      config: { scope: 'public' },
      schema: {
        hide: true,
        querystring: parameters,
      },
    },
    async (request, reply) => {
      const right = await requestOf(request, reply, withValues(request.query));
      if (right === undefined) return reply;
      const grant = grantOf(right);
      if ('error' in grant) return refuseGrant(reply, right, grant);
      const session = await pages.sessionOf(request);
      if (session !== undefined && needsNoConsent(right))
        return approve(request, reply, { right, grant, session, person: session });
      if (session !== undefined) return sendConsent(reply, session, right, grant);
      if (isFromElsewhere(request)) return sendOnward(reply, request.url);
      return reply.redirect(`/sign-in?next=${encodeURIComponent(request.url)}`, 303);
    },
  );

  routes.post(
    path,
    {
      config: { scope: 'public' },
      schema: { hide: true, body: parameters.extend({ decision: text, organization_id: text }) },
    },
    async (request, reply) => {
      const { decision, organization_id: chosen, ...asked } = request.body;
      const right = await requestOf(request, reply, asked);
      if (right === undefined) return reply;
      const grant = grantOf(right);
      if ('error' in grant) return refuseGrant(reply, right, grant);
      const session = await pages.sessionOf(request);
      if (session === undefined) {
        const next = `${path}?${new URLSearchParams(asked as Record<string, string>)}`;
        return reply.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
      }
      const person = deciding(await showPerson(pages.db, session), chosen);
      if (person === undefined) return sendConsent(reply, session, right, grant);
      const { organizationId, userId } = person;
      request.log.info({ organizationId, userId, clientId: right.client.id, decision }, 'decided on a login');
      if (decision === 'deny') {
        await pages.record(request, person, 'done', eventOf(right, 'denied'));
        return sendBack(reply, right, { error: 'access_denied' });
      }
      if (decision !== 'approve') return sendConsent(reply, session, right, grant);
      return approve(request, reply, { right, grant, session, person });
    },
  );
}

function sendFault(reply: FastifyReply, fault: string) {
  const body = html`<p>${fault}</p><p>Please tell the people who run the program that sent you here.</p>`;
  return sendPage(reply, { title: 'The program sent an invalid request', body, status: 400 });
}

/**
 * A fault of the request goes back to the program. Where anybody may have registered it, its address is not
 * opened without a word from the person: that would make this service a redirect to anywhere.
 */
const refuseGrant = (
  reply: FastifyReply,
  right: Request,
  grant: { error: string; error_description: string },
) =>
  right.client.isSelfRegistered === true
    ? sendFault(reply, grant.error_description)
    : sendBack(reply, right, grant);

/** A part of this service, at its own address: another port of a loopback address is another program. */
const needsNoConsent = ({ client, redirectUri, issuer }: Request) =>
  client.isOwn === true && redirectUri.startsWith(`${issuer}/`);

const eventOf = ({ client }: Request, status: 'approved' | 'denied') => ({
  action: `login.${status}` as const,
  resource: { id: null, name: client.id },
});

/** What is asked for, or the error of RFC 6749 §4.1.2.1. */
function grantOf({ asked, issuer }: Request): Grant | { error: string; error_description: string } {
  const { response_type: type, code_challenge: challenge = '', code_challenge_method: method } = asked;
  const refused = (error: string, error_description: string) => ({ error, error_description });
  if (type !== 'code') return refused('unsupported_response_type', 'response_type must be code.');
  if (!/^[\w-]{43}$/.test(challenge))
    return refused('invalid_request', 'code_challenge must be an S256 challenge (RFC 7636).');
  if (method !== 'S256') return refused('invalid_request', 'code_challenge_method must be S256.');
  if (!isOurs(issuer, asked.resource))
    return refused('invalid_target', 'resource must be an address of this service.');
  const scope = askedScopes(asked.scope);
  return 'refusal' in scope
    ? refused('invalid_scope', scope.refusal)
    : { scopes: scope.scopes, codeChallenge: challenge };
}

/** Sends the browser back to the program, with the issuer (RFC 9207) and the state that it sent. */
function sendBack(
  reply: FastifyReply,
  { redirectUri, asked: { state }, issuer }: Request,
  answer: Record<string, string>,
): FastifyReply {
  const members = { ...answer, ...(state === undefined ? {} : { state }), iss: issuer };
  const query = new URLSearchParams(members).toString();
  const joined = `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`;
  return reply.redirect(joined, 303);
}

/**
 * Browsers apply `form-action` to every address that the answer to a form redirects to: to the program's own,
 * and to the page on which it then welcomes people back. The syntax has no IPv6 addresses.
 */
function formTarget(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri);
  const own = protocol === 'http:' && /^[\w.:-]+$/.test(host) ? `http://${host}` : protocol;
  return own === 'https:' ? own : `${own} https:`;
}

const shownTarget = (redirectUri: string) => {
  const { protocol, host } = new URL(redirectUri);
  return host === '' ? protocol : host;
};
