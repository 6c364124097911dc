import { AppError } from '../../data/errors.ts';
import { makeLink } from '../../domain/workspace/people/links.ts';
import {
  changeRole,
  getMember,
  listMembers,
  refuseUnlessOwner,
  removeMember,
} from '../../domain/workspace/people/members.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { ofAPerson } from '../never-wider.ts';
import { resource } from '../resource.ts';
import { route } from '../route.ts';
import { envelope } from '../schemas.ts';
import { serviceUrl } from '../service-url.ts';
import { isOwner } from './changer.ts';
import { endIssued, pauseAllOf, removeEnded } from './issued.ts';
import { mailLink } from './mail-link.ts';
import {
  changedMemberExample,
  changedMemberSchema,
  changeMemberBody,
  memberExample,
  memberSchema,
  memberView,
  resetSchema,
} from './schemas.ts';

const path = '/v1/members/:user_id';

/** The people of the organization: everybody sees them, administrators change and remove them. */
export function membersRoutes(app: Routes, deps: ApiDeps): void {
  const at = {
    db: deps.db,
    tag: { name: 'Members', description: 'Manage the people of the organization and invite others.' },
  };
  const members = resource(app, deps, {
    tag: at.tag,
    path,
    schema: memberSchema,
    example: memberExample,
    load: (db, organizationId, { user_id: id }) => getMember(db, organizationId, id),
    view: memberView,
  });

  members.list({
    summary: 'List the members of the organization, newest first',
    rows: (db, { organizationId }, slice) => listMembers(db, organizationId, slice),
  });
  route(
    app,
    at,
    ['PATCH', path],
    {
      summary: 'Change the role of a member',
      audit: 'member.role_changed',
      description:
        "Takes effect within a second. Only an owner can change an owner or make somebody an owner. The last owner can't step down (409). To make somebody an admin or owner, the token needs every scope. Whatever the person issued but couldn't issue in the new role ends, and the response lists it.",
      admin: true,
      body: changeMemberBody,
      handsOut: ({ role }) => (role === 'member' ? [] : ofAPerson),
      errors: ['conflict'],
      exists: (db, organizationId, { user_id: id }) => getMember(db, organizationId, id),
    },
    { 200: envelope(changedMemberSchema).meta({ examples: [{ data: changedMemberExample }] }) },
    async ({ caller, organizationId, params, body, transaction, audit }) => {
      const { user_id: userId } = params;
      const { member, issued } = await transaction(async (db) => {
        const { role: from } = await getMember(db, organizationId, userId);
        const changed = await changeRole(db, organizationId, userId, body.role, {
          isOwner: () => isOwner(db, caller),
        });
        const issued = await endIssued(db, organizationId, userId, changed.role);
        audit({ detail: { from, to: body.role, ended: issued.ended.map(({ id }) => id) } });
        return { member: changed, issued };
      });
      await removeEnded(deps, issued.credentials);
      const { ended, paused } = issued;
      return { data: { ...memberView(member), paused, ended } };
    },
  );
  route(
    app,
    at,
    ['DELETE', path],
    {
      summary: 'Remove a member',
      audit: 'member.removed',
      description:
        "The person's sessions and tokens end within a second. So do the lake credentials, API clients with `admin`, invitations and password links that the person issued; `ended` lists them. Links of shares that the person made end too. Everything else that the person created stays. Schedules and workflows that run as the person are paused and listed in `paused`. Only an owner can remove an owner, and the last owner can't be removed (409).",
      admin: true,
      errors: ['conflict'],
      exists: (db, organizationId, { user_id: id }) => getMember(db, organizationId, id),
    },
    { 200: envelope(changedMemberSchema).meta({ examples: [{ data: changedMemberExample }] }) },
    async ({ caller, organizationId, params, transaction, audit }) => {
      const { user_id: userId } = params;
      const { member, issued, paused } = await transaction(async (db) => {
        const removed = await removeMember(db, organizationId, userId, {
          isOwner: () => isOwner(db, caller),
        });
        const paused = await pauseAllOf(db, organizationId, userId);
        const issued = await endIssued(db, organizationId, userId, undefined);
        audit({ detail: { ended: issued.ended.map(({ id }) => id) } });
        return { member: removed, paused, issued };
      });
      await removeEnded(deps, issued.credentials);
      const { ended } = issued;
      return { data: { ...memberView(member), paused: [...paused, ...issued.paused], ended } };
    },
  );
  route(
    app,
    at,
    ['POST', `${path}/password-reset`],
    {
      summary: 'Create a password link for a member',
      operationId: 'resetMemberPassword',
      audit: 'member.password_reset_issued',
      description:
        "Returns a link that works once, within one hour. If email is configured, the service also sends it. The old password stays valid until the person chooses a new one. Then every session and login of the person in this organization ends. A password chosen with the returned link doesn't open any other organization of the person. Only an owner can do this for an owner. The token needs every scope. If people sign in with OpenID Connect, there are no passwords (409).",
      admin: true,
      errors: ['conflict'],
      idempotent: false,
      handsOut: () => ofAPerson,
      exists: (db, organizationId, { user_id: id }) => getMember(db, organizationId, id),
    },
    {
      200: envelope(resetSchema).meta({
        examples: [
          {
            data: {
              url: 'https://workspace.example.com/password/wal_…',
              expiresAt: '2026-11-24T09:30:00.000Z',
            },
          },
        ],
      }),
    },
    async ({ caller, organizationId, params, transaction, request, reply, audit }) => {
      if (deps.identityProvider !== undefined)
        throw new AppError(
          'conflict',
          `People sign in with ${deps.identityProvider.label}, so they have no passwords here.`,
        );
      const { link, secret } = await transaction(async (db) => {
        const { email, name, role, id: userId } = await getMember(db, organizationId, params.user_id);
        audit({ resource: { id: userId, name: name || email } });
        if (role === 'owner') refuseUnlessOwner(await isOwner(db, caller));
        return makeLink(db, {
          organizationId,
          kind: 'password',
          email,
          role,
          userId,
          createdBy: caller.id,
        });
      });
      const at = `${serviceUrl(deps, request)}/password`;
      const url = `${at}/${secret.shown}`;
      mailLink(deps, link, `${at}/${secret.mailed}`);
      reply.header('Cache-Control', 'no-store');
      return { data: { url, expiresAt: link.expires_at.toISOString() } };
    },
  );
}
