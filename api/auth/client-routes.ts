import { AppError } from '../../data/errors.ts';
import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import {
  getApiClient,
  issueClient,
  listApiClients,
  revokeClient,
  rotateSecret,
} from '../../domain/workspace/organizations/clients.ts';
import { getUser } from '../../domain/workspace/organizations/organizations.ts';
import type { Caller, Scope } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { endIssued, pauseAllOf, removeEnded } from '../members/issued.ts';
import { refuseWider } from '../never-wider.ts';
import { resource } from '../resource.ts';
import { route } from '../route.ts';
import { envelope, inFuture } from '../schemas.ts';
import {
  clientExample,
  clientSchema,
  clientView,
  issueBody,
  issuedClientExample,
  issuedClientSchema,
  rotateBody,
} from './client-schemas.ts';

const path = '/v1/auth/m2m/clients';
const issued = envelope(issuedClientSchema).meta({ examples: [{ data: issuedClientExample }] });

/** API clients of the organization, issued and revoked by its administrators. */
export function apiClientsRoutes(app: Routes, deps: ApiDeps): void {
  const clients = resource(app, deps, {
    tag: { name: 'Auth', description: 'Log in people and programs, and manage API clients.' },
    path: `${path}/:client_id`,
    schema: clientSchema,
    example: clientExample,
    load: (db, organizationId, { client_id: id }) => getApiClient(db, organizationId, id),
    view: clientView,
  });

  clients.list({
    summary: 'List API clients, newest first',
    operationId: 'listApiClients',
    description: 'The list includes revoked and expired clients.',
    admin: true,
    rows: (db, { organizationId }, slice) => listApiClients(db, organizationId, slice),
  });
  route(
    app,
    { db: deps.db, tag: 'Auth' },
    ['POST', path],
    {
      summary: 'Create an API client',
      operationId: 'issueApiClient',
      audit: 'client.issued',
      description:
        'The response shows the secret once. A client can have at most the scopes of the token that creates it. Only an owner can set `admin`.',
      admin: true,
      body: issueBody,
      handsOut: ({ scopes }) => scopes,
      errors: ['limit_reached'],
    },
    { 201: issued },
    async ({ caller, organizationId, body, newId, transaction, reply }) => {
      const expiresAt = body.expires_at === undefined ? null : inFuture(body.expires_at);
      const { client, secret } = await transaction(async (db) => {
        if (body.admin) await refuseUnlessOwner(db, caller);
        return issueClient(db, {
          organizationId,
          id: newId('cli'),
          name: body.name,
          scopes: body.scopes,
          admin: body.admin,
          expiresAt,
          createdBy: caller.id,
        });
      });
      reply.header('Location', `${path}/${client.id}`).header('Cache-Control', 'no-store');
      return { data: { ...clientView(client), clientSecret: secret } };
    },
  );
  clients.show({ summary: 'Show an API client', operationId: 'getApiClient', admin: true });
  clients.remove({
    summary: 'Revoke an API client',
    operationId: 'revokeApiClient',
    audit: 'client.revoked',
    description:
      "Its tokens end within a second, and so do the lake credentials, invitations and password links that it issued. Schedules and workflows that run as this client are paused. A revoked client stays in the list and can't be restored.",
    admin: true,
    run: async ({ organizationId, params, transaction }) => {
      const { client, issued } = await transaction(async (db) => {
        const revoked = await revokeClient(db, organizationId, params.client_id);
        await pauseAllOf(db, organizationId, revoked.id);
        return { client: revoked, issued: await endIssued(db, organizationId, revoked.id, undefined) };
      });
      await removeEnded(deps, issued.credentials);
      return client;
    },
  });
  route(
    app,
    { db: deps.db, tag: 'Auth' },
    ['POST', `${path}/:client_id/secret`],
    {
      summary: 'Rotate the secret of an API client',
      operationId: 'replaceApiClientSecret',
      audit: 'client.secret_replaced',
      description:
        'The response shows the new secret once. The old secret ends at once, or after `overlap_seconds`. Existing access tokens keep their lifetime.',
      admin: true,
      body: rotateBody,
      idempotent: false,
      errors: ['conflict'],
      exists: (db, organizationId, { client_id: id }) => getApiClient(db, organizationId, id),
    },
    { 200: issued },
    async ({ caller, organizationId, params, body, transaction, reply }) => {
      const { client, secret } = await transaction(async (db) => {
        const before = await getApiClient(db, organizationId, params.client_id);
        // Anyone who has the secret acts with the rights of the client.
        refuseWider(caller, before.scopes as Scope[]);
        if (before.admin && caller.id !== before.id) await refuseUnlessOwner(db, caller);
        return rotateSecret(db, organizationId, before.id, body?.overlap_seconds ?? 0);
      });
      reply.header('Cache-Control', 'no-store');
      return { data: { ...clientView(client), clientSecret: secret } };
    },
  );
}

async function refuseUnlessOwner(db: OrganizationTransaction, caller: Caller): Promise<void> {
  const { organizationId, kind, id } = caller;
  if (kind === 'user' && (await getUser(db, organizationId, id)).role === 'owner') return;
  throw new AppError('admin_required', 'Only a person with the role owner can do this.');
}
