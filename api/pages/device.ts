import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import {
  type DeviceLogin,
  decideDeviceLogin,
  findPendingLogin,
} from '../../domain/workspace/logins/device-logins.ts';
import { findPublicClient, keepPublicClient } from '../../domain/workspace/logins/public-clients.ts';
import { readUserCode, shownUserCode } from '../../domain/workspace/logins/user-code.ts';
import { showPerson } from '../../domain/workspace/people/accounts.ts';
import { countAttempt, takeBackAttempt } from '../../domain/workspace/people/attempts.ts';
import type { PageSession } from '../../domain/workspace/people/sessions.ts';
import type { Routes } from '../deps.ts';
import { consent, deciding, decisionFields } from './consent.ts';
import { html } from './html.ts';
import { describedBy, faultText, isFromElsewhere, sendOnward, sendPage } from './layout.ts';
import type { Pages } from './pages.ts';

const text = z.string().optional();
const config = { scope: 'public' as const };
const unknownCode =
  'There is no login with this code. It may have expired, or somebody has already approved or denied it.';

/** Where a signed-in person approves or denies the login of a program on another device. */
export function devicePages(routes: Routes, pages: Pages): void {
  function sendCodeForm(reply: FastifyReply, code: string, fault?: string) {
    const body = html`${faultText(fault)}
<form method="post" action="/device">
${pages.formFields(reply)}
<label for="user_code">Code shown by the program</label>
<input id="user_code" name="user_code" class="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required value="${code}"${describedBy(fault)}>
<button>Continue</button>
</form>`;
    return sendPage(reply, { title: 'Sign in a program', body, fault });
  }

  async function sendDecision(reply: FastifyReply, session: PageSession, login: DeviceLogin, typed: string) {
    const person = await showPerson(pages.db, session);
    const code = shownUserCode(readUserCode(typed)!);
    const client = (await findPublicClient(pages, login.client_id)) ?? {
      id: login.client_id,
      name: login.client_id,
    };
    const from = { label: 'Requested from', value: login.address };
    const body = html`<p>Approve only if you started this login yourself and the program shows the code
<strong class="code">${code}</strong>.</p>
${consent({ client, from, person, scopes: login.scopes })}
<form method="post" action="/device">
${pages.formFields(reply)}
<input type="hidden" name="user_code" value="${code}">
${decisionFields(person)}
</form>`;
    return sendPage(reply, { title: 'Approve this login?', body });
  }

  /** The login under a code; wrong codes are counted, so that nobody tries them all. */
  async function findCounted(session: PageSession, typed: string): Promise<DeviceLogin | undefined> {
    const counted = { kind: 'code', of: session.userId } as const;
    await countAttempt(pages.db, counted);
    const login = await findPendingLogin(pages.db, typed);
    if (login !== undefined) await takeBackAttempt(pages.db, counted);
    return login;
  }

  const signInFirst = (reply: FastifyReply, code: string) => {
    const read = readUserCode(code);
    const next = read === undefined ? '/device' : `/device?user_code=${shownUserCode(read)}`;
    return reply.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
  };

  routes.get(
    '/device',
    { config, schema: { hide: true, querystring: z.object({ user_code: text }) } },
    async (request, reply) => {
      const { user_code: typed = '' } = request.query;
      const session = await pages.sessionOf(request);
      if (session === undefined && isFromElsewhere(request)) return sendOnward(reply, request.url);
      if (session === undefined) return signInFirst(reply, typed);
      if (typed === '') return sendCodeForm(reply, '');
      const login = await findCounted(session, typed);
      return login === undefined
        ? sendCodeForm(reply, typed.slice(0, 20), unknownCode)
        : sendDecision(reply, session, login, typed);
    },
  );

  routes.post(
    '/device',
    {
      config,
      schema: { hide: true, body: z.object({ user_code: text, decision: text, organization_id: text }) },
    },
    async (request, reply) => {
      const { user_code: typed = '', decision, organization_id: chosen } = request.body;
      const session = await pages.sessionOf(request);
      if (session === undefined) return signInFirst(reply, typed);
      const login = await findCounted(session, typed);
      if (login === undefined) return sendCodeForm(reply, typed.slice(0, 20), unknownCode);
      const person = deciding(await showPerson(pages.db, session), chosen);
      if (person === undefined || (decision !== 'approve' && decision !== 'deny'))
        return sendDecision(reply, session, login, typed);
      const status = decision === 'approve' ? 'approved' : 'denied';
      const event = {
        action: `login.${status}`,
        resource: { id: login.id, name: login.client_id },
      };
      const isDecided = await pages.recording(
        request,
        () => person,
        event,
        () => decideDeviceLogin(pages.db, login.id, person, status),
      );
      if (!isDecided) return sendCodeForm(reply, '', unknownCode);
      if (decision === 'approve') await keepPublicClient(pages.db, login.client_id);
      const { organizationId, userId } = person;
      request.log.info({ organizationId, userId, deviceLoginId: login.id, status }, 'decided on a login');
      return decision === 'approve'
        ? sendPage(reply, {
            title: 'Approved',
            body: html`<p>The program is signed in. You can close this page.</p>`,
          })
        : sendPage(reply, { title: 'Denied', body: html`<p>The program has no access.</p>` });
    },
  );
}
