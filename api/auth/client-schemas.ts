import { z } from 'zod';
import type { ApiClient } from '../../domain/workspace/organizations/clients.ts';
import { scopes } from '../caller.ts';
import { nullableTimestamp, timestamp, visibleName } from '../schemas.ts';

export const clientSchema = z
  .object({
    clientId: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    admin: z.boolean().describe('Whether the client can do what needs an administrator.'),
    createdByUserId: z
      .string()
      .nullable()
      .describe('The user that created the client. Null if no person did.'),
    createdAt: timestamp,
    lastUsedAt: nullableTimestamp.describe('When the client last got a token.'),
    expiresAt: nullableTimestamp,
    revokedAt: nullableTimestamp,
  })
  .meta({ id: 'ApiClient' });

export const issuedClientSchema = clientSchema
  .extend({
    clientSecret: z.string().describe('Shown only in this response. The service stores only its hash.'),
  })
  .meta({ id: 'IssuedApiClient' });

export const clientExample = {
  clientId: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
  name: 'nightly import',
  scopes: ['agent:read', 'tables:append'],
  admin: false,
  createdByUserId: 'usr_01kahz3v6dfyvb1s8m3h9q2w4x',
  createdAt: '2026-11-21T08:30:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
};

export const issuedClientExample = { ...clientExample, clientSecret: 'wcs_…' };

export const issueBody = z
  .strictObject({
    name: visibleName(255).overwrite((text) => text.trim()),
    scopes: z
      .array(z.enum(scopes))
      .min(1)
      .max(scopes.length)
      .refine((names) => new Set(names).size === names.length, 'Scopes must be unique.')
      .meta({ uniqueItems: true }),
    admin: z
      .boolean()
      .default(false)
      .describe('Whether the client can do what needs an administrator. Only an owner can set this.'),
    expires_at: z.iso
      .datetime({ offset: true })
      .optional()
      .describe("When the client and its tokens expire, in RFC 3339. By default they don't expire."),
  })
  .meta({ examples: [{ name: 'nightly import', scopes: ['agent:read', 'tables:append'] }] });

export const rotateBody = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(86_400)
      .default(0)
      .describe('How long the old secret stays valid, in seconds.'),
  })
  .nullish()
  .meta({ examples: [{ overlap_seconds: 3_600 }] });

export function clientView(client: ApiClient): z.infer<typeof clientSchema> {
  const { created_by: createdBy } = client;
  return {
    clientId: client.id,
    name: client.name,
    scopes: client.scopes,
    admin: client.admin,
    createdByUserId: createdBy?.startsWith('usr_') === true ? createdBy : null,
    createdAt: client.created_at.toISOString(),
    lastUsedAt: client.last_used_at?.toISOString() ?? null,
    expiresAt: client.expires_at?.toISOString() ?? null,
    revokedAt: client.revoked_at?.toISOString() ?? null,
  };
}
