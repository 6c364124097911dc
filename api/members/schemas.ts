import { z } from 'zod';
import type { AccountLink } from '../../domain/workspace/people/links.ts';
import type { Member } from '../../domain/workspace/people/members.ts';
import { nullableTimestamp, timestamp } from '../schemas.ts';

const roles = ['owner', 'admin', 'member'] as const;

export const memberSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role: z.enum(roles),
    createdAt: timestamp,
    lastSeenAt: nullableTimestamp.describe(
      'When the person last signed in, or when one of their logins was last refreshed.',
    ),
  })
  .meta({ id: 'Member' });

export const memberExample: z.input<typeof memberSchema> = {
  id: 'usr_01kahz3v6dfyvb1s8m3h9q2w4x',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'admin',
  createdAt: '2026-11-21T08:30:00.000Z',
  lastSeenAt: '2026-11-24T07:12:00.000Z',
};

export function memberView(row: Member): z.input<typeof memberSchema> {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    createdAt: row.created_at.toISOString(),
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
  };
}

export const changeMemberBody = z.strictObject({ role: z.enum(roles) }).meta({ example: { role: 'admin' } });

const pausedSchema = z.object({
  type: z.enum(['schedule', 'workflow']),
  id: z.string(),
  name: z.string(),
});

const endedSchema = z.object({
  type: z.enum(['api_client', 'lake_credential', 'invitation', 'password_reset']),
  id: z.string(),
  name: z.string().describe('The name, or the email address of an invitation or password link.'),
});

export const changedMemberSchema = memberSchema
  .extend({
    paused: z
      .array(pausedSchema)
      .describe('What ran as the person, or as a client that ended. An administrator can take it over.'),
    ended: z
      .array(endedSchema)
      .describe('What the person had issued and what ended together with their rights.'),
  })
  .meta({ id: 'ChangedMember' });

export const changedMemberExample: z.input<typeof changedMemberSchema> = {
  ...memberExample,
  paused: [{ type: 'schedule', id: 'sch_01kahz3v6dfyvb1s8m3h9q2w4x', name: 'Every morning' }],
  ended: [{ type: 'lake_credential', id: 'lcr_01kahz3v6dfyvb1s8m3h9q2w4x', name: 'Notebook' }],
};

export const resetSchema = z
  .object({
    url: z.string().describe('The link, shown only in this response. It works once.'),
    expiresAt: timestamp,
  })
  .meta({ id: 'PasswordReset' });

export const invitationSchema = z
  .object({
    id: z.string(),
    email: z.string(),
    role: z.enum(roles),
    createdAt: timestamp,
    expiresAt: timestamp,
  })
  .meta({ id: 'Invitation' });

export const invitationExample: z.input<typeof invitationSchema> = {
  id: 'inv_01kahz3v6dfyvb1s8m3h9q2w4x',
  email: 'ada@example.com',
  role: 'member',
  createdAt: '2026-11-24T08:30:00.000Z',
  expiresAt: '2026-12-01T08:30:00.000Z',
};

export const sentInvitationSchema = invitationSchema
  .extend({ url: z.string().describe('The link where the person accepts. Shown only in this response.') })
  .meta({ id: 'SentInvitation' });

export const invitationBody = z
  .strictObject({
    email: z.email().max(320),
    role: z.enum(['admin', 'member']),
  })
  .meta({ example: { email: 'ada@example.com', role: 'member' } });

export function invitationView(link: AccountLink): z.input<typeof invitationSchema> {
  return {
    id: link.id,
    email: link.email,
    role: link.role,
    createdAt: link.created_at.toISOString(),
    expiresAt: link.expires_at.toISOString(),
  };
}
