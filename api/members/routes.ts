import { AppError } from '../../data/errors.ts';
import { pauseSchedulesOf } from '../../domain/automation/schedules/pause.ts';
import { pauseWorkflowsOf } from '../../domain/automation/workflows/definitions/pause-all.ts';
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
import { mailLink } from './mail-link.ts';
import {
  changeMemberBody,
  memberExample,
  memberSchema,
  memberView,
  removedMemberExample,
  removedMemberSchema,
  resetSchema,
} from './schemas.ts';

const path = '/v1/members/:user_id';

/** The people of the organization: everybody sees them, administrators change and remove them. */
export function membersRoutes(app: Routes, deps: ApiDeps): void {
  const at = { db: deps.db, tag: 'Members' };
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
  members.change({
    summary: 'Change the role of a member',
    description:
      'Takes effect within a second. Only an owner changes an owner or makes one; the last owner cannot step down (409). To make somebody admin or owner, the token needs every scope.',
    admin: true,
    body: changeMemberBody,
    handsOut: ({ role }) => (role === 'member' ? [] : ofAPerson),
    errors: ['conflict'],
    run: ({ caller, organizationId, params, body, transaction, audit }) =>
      transaction(async (db) => {
        const { role: from } = await getMember(db, organizationId, params.user_id);
        audit({ detail: { from, to: body.role } });
        return changeRole(db, organizationId, params.user_id, body.role, {
          isOwner: () => isOwner(db, caller),
        });
      }),
  });
  route(
    app,
    at,
    ['DELETE', path],
    {
      summary: 'Remove a member',
      description:
        'Sessions and tokens of the person end within a second. What the person made stays; schedules and workflows that run as the person are paused, and listed in the answer. Only an owner removes an owner, and the last one stays (409).',
      admin: true,
      errors: ['conflict'],
      exists: (db, organizationId, { user_id: id }) => getMember(db, organizationId, id),
    },
    { 200: envelope(removedMemberSchema).meta({ examples: [{ data: removedMemberExample }] }) },
    ({ caller, organizationId, params, transaction }) =>
      transaction(async (db) => {
        const { user_id: userId } = params;
        const member = await removeMember(db, organizationId, userId, {
          isOwner: () => isOwner(db, caller),
        });
        // Workflows before schedules; an activation locks them in the same order.
        const workflows = await pauseWorkflowsOf(db, organizationId, { ownerId: userId });
        const schedules = await pauseSchedulesOf(db, organizationId, { makerId: userId }, Date.now());
        const paused = [
          ...workflows.map(({ id, title }) => ({ type: 'workflow', id, name: title })),
          ...schedules.map(({ id, description }) => ({ type: 'schedule', id, name: description })),
        ];
        return { data: { ...memberView(member), paused } };
      }),
  );
  route(
    app,
    at,
    ['POST', `${path}/password-reset`],
    {
      summary: 'Let a member choose a new password',
      description:
        'Answers a one-time address, valid for one hour, and mails it where mail is configured. The password before stays valid until a new one is chosen, which ends every session and login of the person. Only an owner does it for an owner. The token needs every scope. Where people sign in by OpenID Connect there are no passwords (409).',
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
          `People sign in with ${deps.identityProvider.label}, without passwords.`,
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
      const url = `${serviceUrl(deps, request)}/password/${secret}`;
      mailLink(deps, link, url);
      reply.header('Cache-Control', 'no-store');
      return { data: { url, expiresAt: link.expires_at.toISOString() } };
    },
  );
}
