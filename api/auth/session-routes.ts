import { z } from 'zod';
import { notFound } from '../../data/errors.ts';
import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import {
  endOf,
  getLogin,
  type Login,
  listLogins,
  loginOfToken,
  signOut,
} from '../../domain/workspace/logins/logins.ts';
import type { Person } from '../../domain/workspace/people/accounts.ts';
import type { Caller } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { resource } from '../resource.ts';
import { nullableTimestamp, timestamp } from '../schemas.ts';

const sessionSchema = z
  .object({
    id: z.string(),
    clientId: z.string(),
    scopes: z.array(z.string()),
    address: z.string().describe('The address that requested the login.'),
    createdAt: timestamp,
    lastUsedAt: timestamp.describe('When the login was last refreshed.'),
    expiresAt: timestamp.describe('When the login ends, unless it is refreshed before.'),
    endedAt: nullableTimestamp,
    current: z.boolean().describe('Whether the token of this request belongs to this login.'),
  })
  .meta({ id: 'Session' });

const example = {
  id: 'lgn_01kahz3v6dfyvb1s8m3h9q2w4x',
  clientId: 'cli',
  scopes: ['agent:read', 'agent:write'],
  address: '203.0.113.7',
  createdAt: '2026-11-21T08:30:00.000Z',
  lastUsedAt: '2026-11-21T09:30:00.000Z',
  expiresAt: '2026-12-21T09:30:00.000Z',
  endedAt: null,
  current: true,
};

/** One's own logins through public clients. */
export function sessionsRoutes(app: Routes, deps: ApiDeps): void {
  const sessions = resource(app, deps, {
    tag: 'Auth',
    path: '/v1/auth/sessions/:session_id',
    schema: sessionSchema,
    example,
    load: async (db, _organizationId, { session_id: id }, caller) =>
      first(await shown(db, caller, [await getLogin(db, personOf(caller), id)])),
    view: sessionView,
  });

  sessions.list({
    summary: 'List your own logins, newest first',
    operationId: 'listSessions',
    description: "Returns logins that haven't ended. An API client has none.",
    scope: 'signed-in',
    rows: async (db, { caller }, slice) =>
      caller.kind === 'user' ? shown(db, caller, await listLogins(db, personOf(caller), slice)) : [],
  });
  sessions.remove({
    summary: 'End one of your own logins',
    operationId: 'endSession',
    audit: 'login.ended',
    description:
      'Its tokens end within a second. If it is a login of the console in another browser, that browser is signed out. Ending it again has no effect.',
    scope: 'signed-in',
    run: ({ caller, params, transaction }) =>
      transaction(async (db) => {
        const byId = await loginOfToken(db, caller.organizationId, caller.tokenId);
        const login = await signOut(db, personOf(caller), { id: params.session_id, byId });
        return first(await shown(db, caller, [login]));
      }),
  });
}

function personOf({ kind, organizationId, id }: Caller): Person {
  if (kind !== 'user') throw notFound('The session');
  return { organizationId, userId: id };
}

type ShownLogin = Login & { current: boolean };

async function shown(
  db: OrganizationTransaction,
  { organizationId, tokenId }: Caller,
  logins: readonly Login[],
): Promise<ShownLogin[]> {
  const current = await loginOfToken(db, organizationId, tokenId);
  return logins.map((login) => ({ ...login, current: login.id === current }));
}

const first = ([login]: readonly ShownLogin[]) => login!;

function sessionView(login: ShownLogin) {
  return {
    id: login.id,
    clientId: login.client_id,
    scopes: login.scopes,
    address: login.address,
    createdAt: login.created_at.toISOString(),
    lastUsedAt: login.last_used_at.toISOString(),
    expiresAt: endOf(login).toISOString(),
    endedAt: login.ended_at?.toISOString() ?? null,
    current: login.current,
  };
}
