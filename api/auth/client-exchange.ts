import type { FastifyRequest } from 'fastify';
import { AppError } from '../../data/errors.ts';
import type { NewAuditEvent } from '../../domain/workspace/audit/events.ts';
import type { Recorder } from '../../domain/workspace/audit/recorder.ts';
import {
  type AuthenticatedClient,
  authenticateClient,
  issueClientToken,
} from '../../domain/workspace/organizations/access.ts';
import type { ApiDeps } from '../deps.ts';
import { failedExchanges } from './failed-exchanges.ts';
import { oauthError } from './oauth-error.ts';

type WithCredentials = FastifyRequest<{
  Body: { client_id?: string | undefined; client_secret?: string | undefined; scope?: string | undefined };
}>;

/** Exchanges client credentials; wrong ones are throttled over all routes that take them. */
export function clientExchange(deps: ApiDeps, record: Recorder) {
  const failures = failedExchanges();

  async function authenticate(request: WithCredentials): Promise<AuthenticatedClient> {
    const { clientId, secret } = credentials(request);
    failures.admit(request.ip);
    const refused = (organizationId: string) => {
      const event = signInOf(request, { organizationId, id: clientId }, 'refused');
      record(event).catch((err: unknown) => request.log.warn({ err }, 'a refused exchange was not recorded'));
    };
    return authenticateClient(deps.db, clientId, secret, refused).catch((error: unknown) => {
      const isFailure = error instanceof AppError && error.code === 'invalid_client';
      throw isFailure ? failures.refuse(request.ip, clientId, error) : error;
    });
  }

  async function exchange(request: WithCredentials, ignoredScopes: readonly string[] = []) {
    const client = await authenticate(request);
    const names = (request.body.scope ?? '').split(/\s+/);
    const wanted = new Set(names.filter((name) => name !== '' && !ignoredScopes.includes(name)));
    const asked = wanted.size === 0 ? client.scopes : [...wanted];
    const refused = asked.find((name) => !client.scopes.includes(name));
    if (refused !== undefined)
      throw oauthError(
        'invalid_scope',
        `The scope ${refused} isn't granted to this client. Leave it out, or use another client.`,
      );
    await record(signInOf(request, client, 'done'));
    const { token, expiresIn } = await issueClientToken(deps.db, client, asked);
    return {
      access_token: token,
      token_type: 'Bearer' as const,
      expires_in: expiresIn,
      scope: asked.join(' '),
    };
  }

  return { authenticate, exchange };
}

function signInOf(
  { ip: address, id: requestId }: FastifyRequest,
  { organizationId, id }: Pick<AuthenticatedClient, 'organizationId' | 'id'>,
  outcome: NewAuditEvent['outcome'],
): NewAuditEvent {
  return {
    organizationId,
    actor: { type: 'client', id },
    action: 'client.signed_in',
    resource: { id, name: null },
    outcome,
    address,
    requestId,
    processId: null,
    detail: null,
  };
}

export type ClientExchange = ReturnType<typeof clientExchange>;

/** Credentials from HTTP Basic (RFC 6749 §2.3.1: form-encoded inside) or from the form, but not both. */
function credentials(request: WithCredentials) {
  const { client_id: formId, client_secret: formSecret } = request.body;
  const basic = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? '');
  if (basic !== null) {
    const text = Buffer.from(basic[1]!, 'base64').toString();
    const colon = text.indexOf(':');
    const [clientId, secret] = [decodeForm(text.slice(0, colon)), decodeForm(text.slice(colon + 1))];
    if (formSecret !== undefined || (formId !== undefined && formId !== clientId))
      throw oauthError(
        'invalid_request',
        'Send the client credentials only once: as HTTP Basic or in the form.',
      );
    if (colon > 0) return { clientId, secret };
    throw oauthError('invalid_client', 'The Basic credentials must have the form `client_id:client_secret`.');
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
