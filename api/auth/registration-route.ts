import { z } from 'zod';
import {
  isOfOneScript,
  isRegistrable,
  isTakenName,
  registerPublicClient,
} from '../../domain/workspace/logins/public-clients.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { addressGroup } from '../plugins/address-group.ts';
import { visibleName } from '../schemas.ts';
import { oauthError } from './oauth-error.ts';

const body = z
  .object({
    client_name: visibleName(100).optional().describe('The name that the person sees when they decide.'),
    redirect_uris: z.array(z.string().max(2_000)).min(1).max(10),
    token_endpoint_auth_method: z
      .string()
      .optional()
      .describe('Must be `none`, because public clients have no secrets.'),
  })
  .meta({ examples: [{ client_name: 'Notebook', redirect_uris: ['http://127.0.0.1/callback'] }] });

const answer = z
  .object({
    client_id: z.string(),
    client_id_issued_at: z.int(),
    client_name: z.string(),
    redirect_uris: z.array(z.string()),
    token_endpoint_auth_method: z.literal('none'),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
  })
  .meta({
    id: 'RegisteredClient',
    examples: [
      {
        client_id: 'pub_01kahz3v6dfyvb1s8m3h9q2w4x',
        client_id_issued_at: 1_795_500_000,
        client_name: 'Notebook',
        redirect_uris: ['http://127.0.0.1/callback'],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      },
    ],
  });

/** RFC 7591, where the operator allows it. */
export function registrationRoute(app: Routes, deps: ApiDeps): void {
  if (!deps.allowClientRegistration) return;
  app.post(
    '/v1/auth/register',
    {
      schema: {
        tags: ['Auth'],
        summary: 'Register a public client',
        operationId: 'registerPublicClient',
        description:
          "RFC 7591. A redirect address uses https, http on a loopback address (any port is accepted), or a scheme of the program's own such as `com.example.app:/callback`. The service deletes clients that nobody used for 30 days. A network can have up to 20 clients.",
        body,
        response: { 201: answer },
      },
      config: { scope: 'public', oauth: true, errors: ['limit_reached'] },
    },
    async (request, reply) => {
      const { client_name: name = 'A program without a name', redirect_uris: redirectUris } = request.body;
      const method = request.body.token_endpoint_auth_method ?? 'none';
      if (method !== 'none')
        throw refused('invalid_client_metadata', 'token_endpoint_auth_method must be none.');
      if (/[\p{Cc}\p{Cf}]/u.test(name))
        throw refused('invalid_client_metadata', 'The name contains invisible characters. Remove them.');
      if (!isOfOneScript(name))
        throw refused(
          'invalid_client_metadata',
          'The name mixes letters of several scripts, such as Latin and Cyrillic. Use one script.',
        );
      if (isTakenName(deps, name))
        throw refused(
          'invalid_client_metadata',
          'The name belongs to a program of this service. Choose another one.',
        );
      const wrong = redirectUris.find((uri) => !isRegistrable(uri));
      if (wrong !== undefined)
        throw refused(
          'invalid_redirect_uri',
          'A redirect address must use https, http on a loopback address, or a scheme of your own that contains a dot.',
        );
      const client = await registerPublicClient(deps.db, {
        name,
        redirectUris,
        addressGroup: addressGroup(request.ip),
      });
      reply.code(201).header('Cache-Control', 'no-store');
      return {
        client_id: client.id,
        client_id_issued_at: Math.floor(client.createdAt.getTime() / 1_000),
        client_name: name,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'none' as const,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
      };
    },
  );
}

const refused = (error: string, detail: string) => oauthError('invalid_request', detail, error);
