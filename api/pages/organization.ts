import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { inOrganization } from '../../data/postgres/client.ts';
import { type Membership, showPerson } from '../../domain/workspace/people/accounts.ts';
import { beginSession, type PageSession } from '../../domain/workspace/people/sessions.ts';
import type { Routes } from '../deps.ts';
import { html } from './html.ts';
import { faultText, isFromElsewhere, sendOnward, sendPage } from './layout.ts';
import { asksOrganization, nextPage } from './next-page.ts';
import type { Pages } from './pages.ts';

const path = '/sign-in/organization';
const config = { scope: 'public' as const };
const text = z.string().optional();

export const organizationPath = (next: string): string => `${path}?next=${encodeURIComponent(next)}`;

/** What follows a sign-in: who belongs to several organizations chooses one, unless the next page asks. */
export const chooseOrganization = (memberships: readonly Membership[], next: string): string =>
  memberships.length < 2 || asksOrganization(next) ? next : organizationPath(next);

/** Where somebody who belongs to several organizations chooses the one that a session is of. */
export function organizationPages(routes: Routes, pages: Pages): void {
  async function sendChoice(reply: FastifyReply, session: PageSession, next: string, fault?: string) {
    const { organizationId: current, name, email, memberships } = await showPerson(pages.db, session);
    const buttons = memberships.map(({ organizationId, organization }) => {
      const isCurrent = organizationId === current;
      return html`<button name="organization_id" value="${organizationId}"${isCurrent ? html` aria-current="true"` : html` class="plain"`}>${organization}</button>`;
    });
    const body = html`${faultText(fault)}
<p>You're signed in as ${name} (${email}). Choose the organization to work in.</p>
<form method="post" action="${path}">
${pages.formFields(reply)}
<input type="hidden" name="next" value="${next}">
<div class="choices">${buttons}</div>
</form>`;
    return sendPage(reply, { title: 'Choose an organization', body, fault });
  }

  routes.get(
    path,
    { config, schema: { hide: true, querystring: z.object({ next: text }) } },
    async (request, reply) => {
      const next = nextPage(request.query.next);
      const session = await pages.sessionOf(request);
      if (session === undefined && isFromElsewhere(request)) return sendOnward(reply, request.url);
      if (session === undefined) return reply.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
      return sendChoice(reply, session, next);
    },
  );

  routes.post(
    path,
    { config, schema: { hide: true, body: z.object({ organization_id: text, next: text }) } },
    async (request, reply) => {
      const next = nextPage(request.body.next);
      const session = await pages.sessionOf(request);
      if (session === undefined) return reply.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303);
      const { memberships } = await showPerson(pages.db, session);
      const chosen = memberships.find(
        ({ organizationId }) => organizationId === request.body.organization_id,
      );
      if (chosen === undefined)
        return sendChoice(reply, session, next, 'You are not a member of this organization.');
      if (chosen.organizationId === session.organizationId) return reply.redirect(next, 303);
      const secret = await pages.recording(
        request,
        () => chosen,
        { action: 'session.begun' },
        () => inOrganization(pages.db, chosen.organizationId, (db) => beginSession(db, chosen)),
      );
      await pages.recording(
        request,
        () => session,
        { action: 'session.ended' },
        () => pages.endSession(session),
      );
      pages.setSession(reply, secret);
      return reply.redirect(next, 303);
    },
  );
}
