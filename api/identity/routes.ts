import { z } from 'zod';
import { inOrganization } from '../../data/postgres/client.ts';
import { loginOfToken, signOut } from '../../domain/workspace/logins/logins.ts';
import { revokeToken } from '../../domain/workspace/organizations/access.ts';
import { getApiClient } from '../../domain/workspace/organizations/clients.ts';
import { getOrganization, getUser } from '../../domain/workspace/organizations/organizations.ts';
import { callerOf } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { envelope, timestamp } from '../schemas.ts';

const me = z
  .object({
    id: z.string(),
    type: z.enum(['user', 'client']),
    name: z.string(),
    email: z.string().nullable(),
    role: z.string().nullable(),
    admin: z.boolean(),
    organizationId: z.string(),
    scopes: z.array(z.string()),
  })
  .meta({ id: 'Me' });

const oneMe = envelope(me).meta({
  examples: [
    {
      data: {
        id: 'cli_01kahz3v6dfyvb1s8m3h9q2w4x',
        type: 'client',
        name: 'nightly import',
        email: null,
        role: null,
        admin: false,
        organizationId: 'org_01kahz3v6dfyvb1s8m3h9q2w4x',
        scopes: ['agent:read', 'agent:write'],
      },
    },
  ],
});

const authStatus = z.object({
  active: z.boolean(),
  kind: z.enum(['user', 'client']),
  scopes: z.array(z.string()),
  expiresAt: timestamp,
  organizationId: z.string(),
});

const oneAuthStatus = envelope(authStatus).meta({
  examples: [
    {
      data: {
        active: true,
        kind: 'client',
        scopes: ['agent:read'],
        expiresAt: '2026-11-21T09:30:00.000Z',
        organizationId: 'org_01kahz3v6dfyvb1s8m3h9q2w4x',
      },
    },
  ],
});

const revoked = envelope(z.object({ revoked: z.literal(true) })).meta({
  examples: [{ data: { revoked: true } }],
});

const organization = z
  .object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    settings: z.record(z.string(), z.unknown()),
    createdAt: timestamp,
  })
  .meta({ id: 'Organization' });

const oneOrganization = envelope(organization).meta({
  examples: [
    {
      data: {
        id: 'org_01kahz3v6dfyvb1s8m3h9q2w4x',
        name: 'Example',
        slug: 'example',
        settings: {},
        createdAt: '2026-11-21T08:30:00.000Z',
      },
    },
  ],
});

/** The token's caller and organization; needs a valid token, but no scope. */
export function identityRoutes(app: Routes, deps: ApiDeps): void {
  app.get(
    '/v1/me',
    {
      schema: {
        tags: ['Auth'],
        summary: 'Show the person or client behind the token',
        response: { 200: oneMe },
      },
      config: { scope: 'signed-in' },
    },
    async (request) => {
      const caller = callerOf(request);
      const { organizationId, id, kind, scopes, admin } = caller;
      const base = { id, type: kind, admin, organizationId, scopes: [...scopes] };
      return inOrganization(deps.db, organizationId, async (transaction) => {
        if (kind === 'client') {
          const client = await getApiClient(transaction, organizationId, id);
          return { data: { ...base, name: client.name, email: null, role: null } };
        }
        const user = await getUser(transaction, organizationId, id);
        return { data: { ...base, name: user.name, email: user.email, role: user.role } };
      });
    },
  );

  app.get(
    '/v1/auth/status',
    {
      schema: {
        tags: ['Auth'],
        summary: 'Show what the token can do',
        response: { 200: oneAuthStatus },
      },
      config: { scope: 'signed-in' },
    },
    async (request) => {
      const { kind, scopes, expiresAt, organizationId } = callerOf(request);
      return {
        data: { active: true, kind, scopes: [...scopes], expiresAt: expiresAt.toISOString(), organizationId },
      };
    },
  );

  app.post(
    '/v1/auth/logout',
    {
      schema: {
        tags: ['Auth'],
        summary: 'Revoke the token',
        operationId: 'logout',
        response: { 200: revoked },
      },
      config: { scope: 'signed-in', audit: 'login.ended', idempotent: false },
    },
    async (request) => {
      const { organizationId, tokenId, id: userId } = callerOf(request);
      await inOrganization(deps.db, organizationId, async (db) => {
        const id = await loginOfToken(db, organizationId, tokenId);
        if (id !== undefined) await signOut(db, { organizationId, userId }, { id, byId: id });
      });
      await revokeToken(deps.db, organizationId, tokenId);
      return { data: { revoked: true as const } };
    },
  );

  app.get(
    '/v1/organization',
    {
      schema: {
        tags: ['Tenant'],
        summary: 'Show the organization of the token',
        response: { 200: oneOrganization },
      },
      config: { scope: 'signed-in' },
    },
    async (request) => {
      const { organizationId } = callerOf(request);
      const row = await inOrganization(deps.db, organizationId, (transaction) =>
        getOrganization(transaction, organizationId),
      );
      const { id, name, slug, settings, created_at: createdAt } = row;
      return {
        data: {
          id,
          name,
          slug,
          settings: settings as Record<string, unknown>,
          createdAt: createdAt.toISOString(),
        },
      };
    },
  );
}
