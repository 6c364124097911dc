import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../data/errors.ts';
import {
  isSameEmail,
  type Person,
  type ShownPerson,
  showPerson,
} from '../../domain/workspace/people/accounts.ts';
import type { IdentityProvider } from '../../domain/workspace/people/identity-provider.ts';
import { findLink, type LinkKind, type OpenedLink } from '../../domain/workspace/people/links.ts';
import { joinAs, openAccount } from '../../domain/workspace/people/open-account.ts';
import { passwordLength } from '../../domain/workspace/people/passwords.ts';
import type { Routes } from '../deps.ts';
import { addressGroup } from '../plugins/address-group.ts';
import { type Html, html } from './html.ts';
import { describedBy, faultText, isFromElsewhere, sendNotUsable, sendOnward, sendPage } from './layout.ts';
import { type Pages, personIn } from './pages.ts';
import { beginAtProvider, providerForm } from './provider.ts';

const text = z.string().default('');
const given = z.object({ name: text, email: text, password: text });
const form = given.extend({ decision: text });
type Given = z.output<typeof given>;
type Field = keyof Given;

interface FormPage {
  token: string;
  opened: OpenedLink;
  typed: Given;
  fault?: Fault;
}

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
  introduction: (organization: string) => string;
  /** The fields that the person fills in, besides the password. */
  asks: readonly ('name' | 'email')[];
  button: string;
}

const linkPages: Readonly<Record<LinkKind, LinkPage>> = {
  owner: {
    path: '/owner',
    title: 'Become the owner',
    introduction: (organization) => `This link works once. It makes you the owner of ${organization}.`,
    asks: ['name', 'email'],
    button: 'Create account',
  },
  invitation: {
    path: '/invitations',
    title: 'Join the organization',
    introduction: (organization) => `This link works once. It makes you a member of ${organization}.`,
    asks: ['name'],
    button: 'Create account',
  },
  password: {
    path: '/password',
    title: 'Choose a new password',
    introduction: () => 'This link works once. It signs out everybody who is signed in to this account.',
    asks: [],
    button: 'Set password',
  },
};

/** The same for everybody, so that nobody learns here who has an account. */
const knownAccount =
  'Do you already have an account with this email? Enter its password to add the organization to it.';

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
    const opened = await findLink(pages.db, kind, token);
    if (opened === undefined) return sendNotUsable(reply);
    const { link, organization } = opened;
    const body = html`<p>${introduction(organization)}</p>
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

  function sendForm(reply: FastifyReply, { token, opened, typed, fault }: FormPage) {
    const { least, most } = passwordLength;
    const { link, organization } = opened;
    const faultOf = (field: Field) => (field === fault?.field ? fault.text : undefined);
    const body = html`${faultText(fault?.text)}
<p>${introduction(organization)} ${kind === 'password' ? undefined : knownAccount}</p>
<form method="post" action="${path}/${token}">
${pages.formFields(reply)}
${asks.includes('email') ? undefined : knownEmail(link.email, describedBy(faultOf('email')))}
${asks.map((field) => accountField(field, typed, describedBy(faultOf(field))))}
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${least}" maxlength="${most}" required${describedBy(faultOf('password'), { hint: 'rule' })}>
<p class="hint" id="rule">At least ${least} characters.</p>
<button>${button}</button>
</form>`;
    return sendPage(reply, { title, body, fault: fault?.text });
  }

  /** For somebody who is signed in: no name and no password are asked for. */
  function sendJoin(reply: FastifyReply, token: string, { organization }: OpenedLink, person: ShownPerson) {
    const body = html`<p>${introduction(organization)}</p>
<p>You're signed in as ${person.name} (${person.email}). To use another account, <a href="/sign-out">sign out</a> first.</p>
<form method="post" action="${path}/${token}">
${pages.formFields(reply)}
<button name="decision" value="join">Join ${organization}</button>
</form>`;
    return sendPage(reply, { title, body });
  }

  /** Who may join without a password, because they are signed in with the e-mail of the link. */
  async function joiningPerson(request: FastifyRequest, { link }: OpenedLink) {
    const session = kind === 'password' ? undefined : await pages.sessionOf(request);
    if (session === undefined || session.organizationId === link.organization_id) return undefined;
    const person = await showPerson(pages.db, session);
    const isTheirs = kind === 'owner' || (await isSameEmail(pages.db, person.email, link.email));
    return isTheirs ? person : undefined;
  }

  /** Signs in who used the link, instead of who was signed in. */
  async function finish(
    request: FastifyRequest,
    reply: FastifyReply,
    { link }: OpenedLink,
    { person, secret }: { person: Person; secret: string },
  ) {
    const before = await pages.sessionOf(request);
    if (before !== undefined) await pages.endSession(before);
    request.server.forgetTokens(person.organizationId);
    request.log.info({ ...person, linkId: link.id, kind }, 'an account was opened by its link');
    pages.setSession(reply, secret);
    return reply.redirect('/sign-in', 303);
  }

  const action = kind === 'password' ? 'account.password_set' : 'account.opened';

  routes.get(url, { config, schema: { hide: true, params } }, async (request, reply) => {
    const { token } = request.params;
    const opened = await findLink(pages.db, kind, token);
    if (opened === undefined) return sendNotUsable(reply);
    if (isFromElsewhere(request)) return sendOnward(reply, request.url);
    const person = await joiningPerson(request, opened);
    if (person !== undefined) return sendJoin(reply, token, opened, person);
    return sendForm(reply, { token, opened, typed: { name: '', email: '', password: '' } });
  });

  routes.post(url, { config, schema: { hide: true, params, body: form } }, async (request, reply) => {
    const { token } = request.params;
    const opened = await findLink(pages.db, kind, token);
    if (opened === undefined) return sendNotUsable(reply);
    const { name, email, password, decision } = request.body;
    const typed = { name: name.trim(), email: email.trim(), password };
    const refuse = (field: Field, fault: string) =>
      sendForm(reply, { token, opened, typed, fault: { field, text: fault } });
    try {
      const joining = decision === 'join' ? await joiningPerson(request, opened) : undefined;
      if (joining !== undefined) {
        const joined = await pages.recording(request, personIn, { action }, () =>
          joinAs(pages.db, opened, joining),
        );
        return await finish(request, reply, opened, joined);
      }
      for (const field of [...asks, 'password' as const]) {
        const fault = faults[field](typed);
        if (fault !== undefined) return refuse(field, fault);
      }
      const fields = { ...typed, address: addressGroup(request.ip) };
      const outcome = await pages.recording(request, personIn, { action }, () =>
        openAccount(pages.db, opened, fields),
      );
      return outcome === 'wrong_password'
        ? refuse(
            'password',
            'You already have an account with this email. Enter the password of that account.',
          )
        : await finish(request, reply, opened, outcome);
    } catch (error) {
      if (error instanceof AppError && error.code === 'name_taken') return refuse('email', error.message);
      throw error;
    }
  });
}

/** Shown as a field, so that password managers save the password for it. */
const knownEmail = (email: string | null, fault: Html | undefined): Html =>
  html`<label for="email">Email</label>
<input id="email" name="username" type="email" autocomplete="username" readonly value="${email ?? ''}"${fault}>`;

function accountField(field: 'name' | 'email', given: Given, fault: Html | undefined): Html {
  if (field === 'name')
    return html`<label for="name">Name</label>
<input id="name" name="name" autocomplete="name" maxlength="200" required value="${given.name}"${fault}>`;
  return html`<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" maxlength="320" required value="${given.email}"${fault}>`;
}

/** What is wrong with a field, for the person who filled it in. */
const faults: Readonly<Record<Field, (given: Given) => string | undefined>> = {
  name: ({ name }) =>
    name === '' || name.length > 200 || /\p{Cc}/u.test(name)
      ? 'Enter a name of up to 200 characters.'
      : undefined,
  email: ({ email }) => (z.email().max(320).safeParse(email).success ? undefined : 'Enter an email address.'),
  password: ({ password }) => passwordFault(password),
};

function passwordFault(password: string): string | undefined {
  const { least, most } = passwordLength;
  if ([...password].length < least) return `Choose a password of at least ${least} characters.`;
  if (password.length > most) return `Choose a password of up to ${most} characters.`;
  if (password.includes('\u0000')) return 'Choose another password.';
  return undefined;
}
