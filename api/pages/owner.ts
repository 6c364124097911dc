import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../data/errors.ts';
import { findLink, useOwnerLink } from '../../domain/workspace/people/links.ts';
import { passwordLength } from '../../domain/workspace/people/passwords.ts';
import type { Routes } from '../deps.ts';
import { addressGroup } from '../plugins/address-group.ts';
import { html } from './html.ts';
import { describedBy, faultText, sendPage } from './layout.ts';
import type { Pages } from './pages.ts';

const text = z.string().default('');
const form = z.object({ name: text, email: text, password: text });
type Given = z.output<typeof form>;
const params = z.object({ token: z.string().max(200) });
const config = { scope: 'public' as const };

/** The one-time address by which the first owner of an organization sets name, e-mail and password. */
export function ownerPages(routes: Routes, pages: Pages): void {
  function sendForm(
    reply: FastifyReply,
    token: string,
    given: Pick<Given, 'name' | 'email'>,
    fault?: string,
  ) {
    const { least, most } = passwordLength;
    const body = html`${faultText(fault)}
<p>This address works once. It makes you the owner of the organization.</p>
<form method="post" action="/owner/${token}">
${pages.formFields(reply)}
<label for="name">Name</label>
<input id="name" name="name" autocomplete="name" maxlength="200" required value="${given.name}"${describedBy(fault)}>
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" maxlength="320" required value="${given.email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${least}" maxlength="${most}" required aria-describedby="rule">
<p class="hint" id="rule">At least ${least} characters.</p>
<button>Create the account</button>
</form>`;
    return sendPage(reply, { title: 'Become the owner', body, fault });
  }

  const notUsable = (reply: FastifyReply) =>
    sendPage(reply, {
      title: 'The address does not work',
      body: html`<p>It has been used, has expired, or was never valid.</p><p><a href="/sign-in">Sign in</a></p>`,
      status: 404,
    });

  routes.get('/owner/:token', { config, schema: { hide: true, params } }, async (request, reply) => {
    const { token } = request.params;
    const link = await findLink(pages.db, 'owner', token);
    return link === undefined ? notUsable(reply) : sendForm(reply, token, { name: '', email: '' });
  });

  routes.post(
    '/owner/:token',
    { config, schema: { hide: true, params, body: form } },
    async (request, reply) => {
      const { token } = request.params;
      const link = await findLink(pages.db, 'owner', token);
      if (link === undefined) return notUsable(reply);
      const given = { ...request.body, name: request.body.name.trim(), email: request.body.email.trim() };
      const fault = faultOf(given);
      if (fault !== undefined) return sendForm(reply, token, given, fault);
      try {
        const secret = await useOwnerLink(pages.db, link, { ...given, address: addressGroup(request.ip) });
        pages.setSession(reply, secret);
        return reply.redirect('/sign-in', 303);
      } catch (error) {
        if (error instanceof AppError && error.code === 'name_taken')
          return sendForm(reply, token, given, error.message);
        throw error;
      }
    },
  );
}

/** What is wrong with a new account's fields, for the person who filled them in. */
export function faultOf({ name, email, password }: Given): string | undefined {
  const { least, most } = passwordLength;
  if (name === '' || name.length > 200 || /\p{Cc}/u.test(name))
    return 'Give a name of at most 200 characters.';
  if (!z.email().max(320).safeParse(email).success) return 'Give an e-mail address.';
  if ([...password].length < least) return `Choose a password of at least ${least} characters.`;
  if (password.length > most) return `Choose a password of at most ${most} characters.`;
  if (password.includes('\u0000')) return 'Choose another password.';
  return undefined;
}
