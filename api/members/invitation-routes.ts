import {
  deleteInvitation,
  getInvitation,
  listInvitations,
  makeLink,
} from '../../domain/workspace/people/links.ts';
import { refuseMemberEmail } from '../../domain/workspace/people/members.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { ofAPerson } from '../never-wider.ts';
import { resource } from '../resource.ts';
import { route } from '../route.ts';
import { envelope } from '../schemas.ts';
import { serviceUrl } from '../service-url.ts';
import { mailLink } from './mail-link.ts';
import {
  invitationBody,
  invitationExample,
  invitationSchema,
  invitationView,
  sentInvitationSchema,
} from './schemas.ts';

const path = '/v1/invitations/:invitation_id';

/** Invitations to the organization: one-time addresses at which people open their accounts. */
export function invitationsRoutes(app: Routes, deps: ApiDeps): void {
  const invitations = resource(app, deps, {
    tag: 'Members',
    path,
    schema: invitationSchema,
    example: invitationExample,
    load: (db, organizationId, { invitation_id: id }) => getInvitation(db, organizationId, id),
    view: invitationView,
  });
  invitations.list({
    summary: 'List open invitations, newest first',
    description: "Returns the invitations that were neither accepted nor deleted and haven't expired.",
    admin: true,
    rows: (db, { organizationId }, slice) => listInvitations(db, organizationId, slice),
  });
  route(
    app,
    { db: deps.db, tag: 'Members' },
    ['POST', '/v1/invitations'],
    {
      summary: 'Create an invitation',
      audit: 'invitation.created',
      description:
        'The response shows the link once. If email is configured, the service also sends it. The link works once, within seven days. It looks the same whether or not the email address has an account, because a person can belong to several organizations. Another invitation to the same email address replaces this one. The token needs every scope, because the person who accepts can use them all.',
      admin: true,
      body: invitationBody,
      handsOut: () => ofAPerson,
      errors: ['name_taken', 'conflict', 'limit_reached'],
    },
    {
      201: envelope(sentInvitationSchema).meta({
        examples: [
          {
            data: { ...invitationExample, url: 'https://workspace.example.com/invitations/wal_…' },
          },
        ],
      }),
    },
    async ({ caller, organizationId, body, newId, transaction, request, reply }) => {
      const { link, secret } = await transaction(async (db) => {
        await refuseMemberEmail(db, organizationId, body.email);
        return makeLink(db, {
          ...body,
          organizationId,
          id: newId('inv'),
          kind: 'invitation',
          createdBy: caller.id,
        });
      });
      const at = `${serviceUrl(deps, request)}/invitations`;
      const url = `${at}/${secret.shown}`;
      mailLink(deps, link, `${at}/${secret.mailed}`);
      reply.header('Cache-Control', 'no-store');
      return { data: { ...invitationView(link), url } };
    },
  );
  invitations.remove({
    summary: 'Delete an invitation',
    audit: 'invitation.deleted',
    description: 'Its link stops working at once.',
    admin: true,
    run: ({ organizationId, params, transaction }) =>
      transaction((db) => deleteInvitation(db, organizationId, params.invitation_id)),
  });
}
