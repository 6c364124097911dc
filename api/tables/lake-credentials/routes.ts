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
    tag: 'Lake',
    path: `${path}/:credential_id`,
    schema: credentialSchema,
    example: credentialExample,
    load: (db, organizationId, { credential_id: id }) => getCredential(db, organizationId, id),
    view: credentialView,
  });

  credentials.list({
    summary: 'List lake credentials, newest first',
    description: 'Without their secrets. Those that have ended are listed for 30 days.',
    admin: true,
    rows: (db, { organizationId }, slice) => listCredentials(db, organizationId, slice),
  });
  route(
    app,
    { db: deps.db, tag: 'Lake' },
    ['POST', path],
    {
      summary: 'Issue a credential that reads the lake from outside',
      description:
        'A role of PostgreSQL and a key of the object store that read this organization’s lake: all of its tables, whatever is granted on them. The answer shows the secrets, once; `attach.sql` can be pasted into DuckDB. At most 20 of an organization. The token needs `agent:read` besides.',
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
  credentials.show({ summary: 'Show a lake credential, without its secrets', admin: true });
  credentials.remove({
    summary: 'Revoke a lake credential',
    description: 'Its sessions are ended and its key opens nothing when this is answered.',
    admin: true,
    errors: ['storage_unavailable'],
    run: ({ organizationId, params }) =>
      revokeCredential(deps, { organizationId, credentialId: params.credential_id }),
  });
}
