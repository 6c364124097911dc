import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../data/errors.ts';
import type { IdentityProvider } from '../../domain/workspace/people/identity-provider.ts';
import { type AccountLink, findLink, type LinkKind } from '../../domain/workspace/people/links.ts';
import { openAccount } from '../../domain/workspace/people/open-account.ts';
import { passwordLength } from '../../domain/workspace/people/passwords.ts';
import type { Routes } from '../deps.ts';
import { addressGroup } from '../plugins/address-group.ts';
import { type Html, html } from './html.ts';
import { describedBy, faultText, sendNotUsable, sendPage } from './layout.ts';
import { type Pages, personIn } from './pages.ts';
import { beginAtProvider, providerForm } from './provider.ts';

const text = z.string().default('');
const form = z.object({ name: text, email: text, password: text });
type Given = z.output<typeof form>;
type Field = keyof Given;

/** What is wrong with the form that was sent, and with which field. */
interface Fault {
  field: Field;
  text: string;
}

const params = z.object({ token: z.string().max(200) });
const config = { scope: 'public' as const };

interface LinkPage {
  path: string;
  title: string;
  introduction: string;
  /** The fields that the person fills in, besides the password. */
  asks: readonly ('name' | 'email')[];
  button: string;
}

const linkPages: Readonly<Record<LinkKind, LinkPage>> = {
  owner: {
    path: '/owner',
    title: 'Become the owner',
    introduction: 'This address works once. It makes you the owner of the organization.',
    asks: ['name', 'email'],
    button: 'Create the account',
  },
  invitation: {
    path: '/invitations',
    title: 'Join the organization',
    introduction: 'This address works once. It makes you a member of the organization.',
    asks: ['name'],
    button: 'Create the account',
  },
  password: {
    path: '/password',
    title: 'Choose a new password',
    introduction: 'This address works once. Everybody who is signed in to this account will be signed out.',
    asks: [],
    button: 'Set the password',
  },
};

/** One-time addresses: of the first owner, of invitations, and for new passwords. */
export function accountLinkPages(routes: Routes, pages: Pages): void {
  const { identityProvider } = pages;
  for (const kind of ['owner', 'invitation', 'password'] as const) {
    if (identityProvider === undefined) linkPage(routes, pages, kind);
    else if (kind === 'password') noPasswordPage(routes);
    else providerLinkPage(routes, pages, kind, identityProvider);
  }
}

/** The person signs in at the provider: the account gets its name, and the owner's its e-mail, from there. */
function providerLinkPage(
  routes: Routes,
  pages: Pages,
  kind: 'owner' | 'invitation',
  provider: IdentityProvider,
): void {
  const { path, title, introduction } = linkPages[kind];
  const url = `${path}/:token`;

  routes.get(url, { config, schema: { hide: true, params } }, async (request, reply) => {
    const { token } = request.params;
    const link = await findLink(pages.db, kind, token);
    if (link === undefined) return sendNotUsable(reply);
    const body = html`<p>${introduction}</p>
${kind === 'owner' ? undefined : html`<p>The invitation is for <strong>${link.email}</strong>.</p>`}
${providerForm(pages, reply, { label: provider.label, action: `${path}/${token}` })}`;
    return sendPage(reply, { title, body });
  });

  routes.post(url, { config, schema: { hide: true, params, body: z.object({}) } }, async (request, reply) => {
    const { token } = request.params;
    const link = await findLink(pages.db, kind, token);
    if (link === undefined) return sendNotUsable(reply);
    return beginAtProvider(pages, provider, request, reply, { next: '/sign-in', link: { kind, token } });
  });
}

/** Where people sign in at a provider, a new password would be of no use. */
function noPasswordPage(routes: Routes): void {
  const url = `${linkPages.password.path}/:token`;
  routes.get(url, { config, schema: { hide: true } }, async (_request, reply) => sendNotUsable(reply));
}

function linkPage(routes: Routes, pages: Pages, kind: LinkKind): void {
  const { path, title, introduction, asks, button } = linkPages[kind];
  const url = `${path}/:token`;

  function sendForm(
    reply: FastifyReply,
    { token, link, given, fault }: { token: string; link: AccountLink; given: Given; fault?: Fault },
  ) {
    const { least, most } = passwordLength;
    const faultOf = (field: Field) => (field === fault?.field ? fault.text : undefined);
    const body = html`${faultText(fault?.text)}
<p>${introduction}</p>
<form method="post" action="${path}/${token}">
${pages.formFields(reply)}
${asks.includes('email') ? undefined : knownEmail(link.email, describedBy(faultOf('email')))}
${asks.map((field) => accountField(field, given, describedBy(faultOf(field))))}
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${least}" maxlength="${most}" required${describedBy(faultOf('password'), { hint: 'rule' })}>
<p class="hint" id="rule">At least ${least} characters.</p>
<button>${button}</button>
</form>`;
    return sendPage(reply, { title, body, fault: fault?.text });
  }

  routes.get(url, { config, schema: { hide: true, params } }, async (request, reply) => {
    const { token } = request.params;
    const link = await findLink(pages.db, kind, token);
    if (link === undefined) return sendNotUsable(reply);
    return sendForm(reply, { token, link, given: { name: '', email: '', password: '' } });
  });

  routes.post(url, { config, schema: { hide: true, params, body: form } }, async (request, reply) => {
    const { token } = request.params;
    const link = await findLink(pages.db, kind, token);
    if (link === undefined) return sendNotUsable(reply);
    const { name, email, password } = request.body;
    const given = { name: name.trim(), email: email.trim(), password };
    const fault = [...asks, 'password' as const]
      .map((field) => ({ field, text: faults[field](given) }))
      .find((found): found is Fault => found.text !== undefined);
    if (fault !== undefined) return sendForm(reply, { token, link, given, fault });
    try {
      const fields = { ...given, address: addressGroup(request.ip) };
      const action = kind === 'password' ? 'account.password_set' : 'account.opened';
      const { person, secret } = await pages.recording(request, personIn, { action }, () =>
        openAccount(pages.db, link, fields),
      );
      request.server.forgetTokens(person.organizationId);
      request.log.info({ ...person, linkId: link.id, kind }, 'an account was opened by its link');
      pages.setSession(reply, secret);
      return reply.redirect('/sign-in', 303);
    } catch (error) {
      if (error instanceof AppError && error.code === 'name_taken')
        return sendForm(reply, { token, link, given, fault: { field: 'email', text: error.message } });
      throw error;
    }
  });
}

/** Shown as a field, so that password managers save the password for it. */
const knownEmail = (email: string | null, fault: Html | undefined): Html =>
  html`<label for="email">E-mail</label>
<input id="email" name="username" type="email" autocomplete="username" readonly value="${email ?? ''}"${fault}>`;

function accountField(field: 'name' | 'email', given: Given, fault: Html | undefined): Html {
  if (field === 'name')
    return html`<label for="name">Name</label>
<input id="name" name="name" autocomplete="name" maxlength="200" required value="${given.name}"${fault}>`;
  return html`<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" maxlength="320" required value="${given.email}"${fault}>`;
}

/** What is wrong with a field, for the person who filled it in. */
const faults: Readonly<Record<Field, (given: Given) => string | undefined>> = {
  name: ({ name }) =>
    name === '' || name.length > 200 || /\p{Cc}/u.test(name)
      ? 'Give a name of at most 200 characters.'
      : undefined,
  email: ({ email }) => (z.email().max(320).safeParse(email).success ? undefined : 'Give an e-mail address.'),
  password: ({ password }) => passwordFault(password),
};

function passwordFault(password: string): string | undefined {
  const { least, most } = passwordLength;
  if ([...password].length < least) return `Choose a password of at least ${least} characters.`;
  if (password.length > most) return `Choose a password of at most ${most} characters.`;
  if (password.includes('\u0000')) return 'Choose another password.';
  return undefined;
}
