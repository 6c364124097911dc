import { scopes } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { serviceUrl } from '../service-url.ts';
import { deviceGrant } from './device-schemas.ts';
import { serverMetadata } from './schemas.ts';

/** RFC 8414. */
export function metadataRoute(app: Routes, deps: ApiDeps): void {
  app.get(
    '/.well-known/oauth-authorization-server',
    {
      schema: {
        tags: ['Auth'],
        summary: 'Show the authorization server metadata (RFC 8414)',
        operationId: 'getAuthorizationServer',
        response: { 200: serverMetadata },
      },
      config: { scope: 'public' },
    },
    async (request) => {
      const issuer = serviceUrl(deps, request);
      const at = (path: string) => `${issuer}/v1/auth/${path}`;
      return {
        issuer,
        authorization_endpoint: at('authorize'),
        token_endpoint: at('token'),
        device_authorization_endpoint: at('device/code'),
        revocation_endpoint: at('revoke'),
        ...(deps.allowClientRegistration ? { registration_endpoint: at('register') } : {}),
        token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
        revocation_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
        grant_types_supported: ['authorization_code', 'refresh_token', deviceGrant, 'client_credentials'],
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        scopes_supported: [...scopes],
        service_documentation: `${issuer}/docs`,
      };
    },
  );
}
