import type { FastifyRequest } from 'fastify';
import { AppError } from '../../data/errors.ts';
import { authenticateClient, issueClientToken } from '../../domain/workspace/organizations/access.ts';
import { scopes } from '../caller.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { formBody, maxFormBytes } from '../plugins/form-body.ts';
import { serviceUrl } from '../service-url.ts';
import { failedExchanges } from './failed-exchanges.ts';
import { oauthError } from './oauth-error.ts';
import { serverMetadata, tokenAnswer, tokenForm } from './schemas.ts';

/** Machine authentication: exchanges client credentials for an access token, and describes how. */
export function authRoutes(app: Routes, deps: ApiDeps): void {
  const failures = failedExchanges();
  app.register(async (forms) => {
    const routes = forms as Routes;
    formBody(routes);
    routes.post(
      '/v1/auth/m2m/token',
      {
        bodyLimit: maxFormBytes,
        schema: {
          tags: ['Auth'],
          summary: 'Exchange client credentials for an access token',
          description:
            'Form-encoded; the credentials may also come as HTTP Basic. The token lives one hour, or until its client expires.',
          consumes: ['application/x-www-form-urlencoded'],
          body: tokenForm,
          response: { 200: tokenAnswer },
        },
        config: {
          scope: 'public',
          oauth: true,
          errors: [
            'invalid_client',
            'invalid_scope',
            'unsupported_grant_type',
            'unsupported_media_type',
            'body_too_large',
          ],
        },
      },
      async (request, reply) => {
        const { grant_type: given, scope } = request.body;
        const grantType = given === undefined || given === '' ? 'client_credentials' : given;
        if (grantType !== 'client_credentials') {
          throw oauthError(
            'unsupported_grant_type',
            `This route grants client_credentials, not ${grantType}.`,
          );
        }
        const { clientId, secret } = credentials(request);
        failures.admit(request.ip);
        const client = await authenticateClient(deps.db, clientId, secret).catch((error: unknown) => {
          const isFailure = error instanceof AppError && error.code === 'invalid_client';
          throw isFailure ? failures.refuse(request.ip, clientId, error) : error;
        });
        const asked =
          scope === undefined || scope.trim() === ''
            ? client.scopes
            : [...new Set(scope.trim().split(/\s+/))];
        const refused = asked.find((name) => !client.scopes.includes(name));
        if (refused !== undefined)
          throw oauthError('invalid_scope', `The scope ${refused} is not granted to this client.`);
        const { token, expiresIn } = await issueClientToken(deps.db, client, asked);
        reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache');
        return {
          access_token: token,
          token_type: 'Bearer' as const,
          expires_in: expiresIn,
          scope: asked.join(' '),
        };
      },
    );
  });

  app.get(
    '/.well-known/oauth-authorization-server',
    {
      schema: {
        tags: ['Auth'],
        summary: 'Authorization server metadata (RFC 8414)',
        response: { 200: serverMetadata },
      },
      config: { scope: 'public' },
    },
    async (request) => {
      const issuer = serviceUrl(deps, request);
      return {
        issuer,
        token_endpoint: `${issuer}/v1/auth/m2m/token`,
        token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
        grant_types_supported: ['client_credentials'],
        response_types_supported: [],
        scopes_supported: [...scopes],
        service_documentation: `${issuer}/docs`,
      };
    },
  );
}

/** Credentials from HTTP Basic (RFC 6749 §2.3.1: form-encoded inside) or from the form, but not both. */
function credentials(request: FastifyRequest<{ Body: { client_id?: string; client_secret?: string } }>) {
  const { client_id: formId, client_secret: formSecret } = request.body;
  const basic = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? '');
  if (basic !== null) {
    const text = Buffer.from(basic[1]!, 'base64').toString();
    const colon = text.indexOf(':');
    const [clientId, secret] = [decodeForm(text.slice(0, colon)), decodeForm(text.slice(colon + 1))];
    if (formSecret !== undefined || (formId !== undefined && formId !== clientId))
      throw oauthError('invalid_request', 'Send the client credentials once: as HTTP Basic or in the form.');
    if (colon > 0) return { clientId, secret };
    throw oauthError(
      'invalid_client',
      'The Basic credentials are not of the form `client_id:client_secret`.',
    );
  }
  if (formId === undefined || formSecret === undefined) {
    throw oauthError('invalid_client', 'Send client_id and client_secret, in the form or as HTTP Basic.');
  }
  return { clientId: formId, secret: formSecret };
}

function decodeForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
