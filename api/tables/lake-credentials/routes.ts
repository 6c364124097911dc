import { getCredential, listCredentials } from '../../../domain/tables/lake-credentials/credentials.ts';
import { issueCredential, noCredentials } from '../../../domain/tables/lake-credentials/issue.ts';
import { revokeCredential } from '../../../domain/tables/lake-credentials/remove.ts';
import type { ApiDeps, Routes } from '../../deps.ts';
import { resource } from '../../resource.ts';
import { route } from '../../route.ts';
import { envelope, inFuture } from '../../schemas.ts';
import {
  credentialBody,
  credentialExample,
  credentialSchema,
  credentialView,
  issuedCredentialExample,
  issuedCredentialSchema,
  issuedCredentialView,
} from './schemas.ts';

const path = '/v1/lake/credentials';
const issued = envelope(issuedCredentialSchema).meta({ examples: [{ data: issuedCredentialExample }] });

/** What programs outside read the organization's lake with; a matter of its administrators. */
export function lakeCredentialsRoutes(app: Routes, deps: ApiDeps): void {
  const credentials = resource(app, deps, {
    tag: {
      name: 'Lake',
      description:
        'Connect to the lake from outside, and follow the maintenance that keeps it fast and small.',
    },
    path: `${path}/:credential_id`,
    schema: credentialSchema,
    example: credentialExample,
    load: (db, organizationId, { credential_id: id }) => getCredential(db, organizationId, id),
    view: credentialView,
  });

  credentials.list({
    summary: 'List lake credentials, newest first',
    operationId: 'listLakeCredentials',
    description: "Secrets aren't included. Credentials that have ended stay in the list for 30 days.",
    admin: true,
    rows: (db, { organizationId }, slice) => listCredentials(db, organizationId, slice),
  });
  route(
    app,
    { db: deps.db, tag: 'Lake' },
    ['POST', path],
    {
      summary: 'Create a lake credential',
      operationId: 'issueLakeCredential',
      audit: 'lake_credential.issued',
      description:
        "Creates a PostgreSQL role and an object store key that read this organization's lake from outside. They read all of its tables, whatever the grants are. The response shows the secrets once. You can paste `attach.sql` into DuckDB. An organization can have up to 20 credentials. The token also needs `agent:read`.",
      admin: true,
      body: credentialBody,
      handsOut: () => ['agent:read'],
      errors: ['conflict', 'limit_reached', 'storage_unavailable'],
    },
    { 201: issued },
    async ({ caller, organizationId, body, newId, reply }) => {
      const { lakeAddresses } = deps;
      if (lakeAddresses === undefined)
        throw noCredentials('the operator of this service has turned them off (LAKE_CREDENTIALS)');
      const expiresAt = body.expires_at === undefined ? null : inFuture(body.expires_at);
      const { credential, secrets } = await issueCredential(deps, {
        ...{ organizationId, id: newId('lcr'), name: body.name, expiresAt, createdBy: caller.id },
      });
      reply.header('Location', `${path}/${credential.id}`).header('Cache-Control', 'no-store');
      return { data: issuedCredentialView(credential, secrets, lakeAddresses) };
    },
  );
  credentials.show({ summary: 'Show a lake credential', operationId: 'getLakeCredential', admin: true });
  credentials.remove({
    summary: 'Revoke a lake credential',
    operationId: 'revokeLakeCredential',
    audit: 'lake_credential.revoked',
    description: 'When this responds, the sessions of the credential have ended and its key no longer works.',
    admin: true,
    errors: ['storage_unavailable'],
    run: ({ organizationId, params }) =>
      revokeCredential(deps, { organizationId, credentialId: params.credential_id }),
  });
}
