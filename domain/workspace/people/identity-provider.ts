import * as client from 'openid-client';
import { z } from 'zod';
import { createByteBudget } from '../../../data/outgoing/byte-budget.ts';
import { createOutgoing } from '../../../data/outgoing/outgoing.ts';

/** The operator's OpenID Connect provider. */
export interface OidcSettings {
  issuer: URL;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
  scopes: string;
  /** The provider's name, for people. */
  label: string;
}

/** What must be the same at the end of a sign-in as at its beginning. */
export interface SignInChecks {
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** Who somebody is at the provider. */
export interface Identity {
  issuer: string;
  subject: string;
  /** Undefined unless the provider verified it. */
  email: string | undefined;
  name: string | undefined;
}

/** `unavailable`: the provider does not answer as it should. `denied`: it signed nobody in. */
export type ProviderFault = 'unavailable' | 'denied' | 'invalid';

/** Why nobody was signed in; the message is for the log, and contains nothing that was sent. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly fault: ProviderFault;
  /** The error code that the provider answered. */
  readonly answer: string | undefined;

  constructor(
    fault: ProviderFault,
    message: string,
    { answer, ...options }: ErrorOptions & { answer?: string } = {},
  ) {
    super(message, options);
    this.fault = fault;
    this.answer = answer;
  }
}

/** Sign-in at an OpenID Connect provider: authorization code with PKCE, state and nonce. */
export interface IdentityProvider {
  readonly label: string;
  /** The address at the provider that the person goes to. @throws ProviderFailure */
  begin(redirectUri: string): Promise<{ url: string; checks: SignInChecks }>;
  /** Who came back, by the address with which they did. @throws ProviderFailure */
  finish(callback: URL, checks: SignInChecks): Promise<Identity>;
  close(): Promise<void>;
}

const timeoutSeconds = 10;
const maxAnswerBytes = 1_048_576;

/** Opens no connection: the provider's metadata is fetched at the first sign-in, and kept. */
export function createIdentityProvider(settings: OidcSettings): IdentityProvider {
  const { issuer, clientId, clientSecret, scopes: scope, label } = settings;
  // The addresses are the operator's, and those that the operator's provider names.
  const outgoing = createOutgoing({ allowedPrivate: 'any' });
  const boundedFetch: client.CustomFetch = (url, init) =>
    outgoing.fetch(url, { ...(init as RequestInit), budget: createByteBudget(maxAnswerBytes) });
  let discovered: Promise<client.Configuration> | undefined;

  /** A failure is not kept: the next sign-in asks again. */
  function configuration(): Promise<client.Configuration> {
    discovered ??= client
      .discovery(issuer, clientId, clientSecret, clientAuthentication(clientSecret), {
        timeout: timeoutSeconds,
        [client.customFetch]: boundedFetch,
        execute: [
          client.enableNonRepudiationChecks,
          ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
        ],
      })
      .catch((cause: unknown) => {
        discovered = undefined;
        throw new ProviderFailure('unavailable', 'the metadata of the identity provider cannot be read', {
          cause,
        });
      });
    return discovered;
  }

  return {
    label,
    async begin(redirectUri) {
      const provider = await configuration();
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        codeVerifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, checks };
    },
    async finish(callback, { state, nonce, codeVerifier }) {
      const provider = await configuration();
      try {
        const tokens = await client.authorizationCodeGrant(provider, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims()!;
        const hasEmail = claims['email'] !== undefined && claims['email_verified'] !== undefined;
        // Some providers give the e-mail only there.
        const isInUserInfo = !hasEmail && provider.serverMetadata().userinfo_endpoint !== undefined;
        const userInfo = isInUserInfo
          ? await client.fetchUserInfo(provider, tokens.access_token, claims.sub)
          : {};
        return identityOf({ ...claims, ...userInfo, iss: claims.iss, sub: claims.sub });
      } catch (error) {
        throw failureOf(error);
      }
    },
    close: () => outgoing.close(),
  };
}

/** As the provider's metadata asks; where it names nothing, Basic is what OpenID Connect presumes. */
function clientAuthentication(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  const [post, basic] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)];
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? [];
    return (methods.includes('client_secret_post') ? post : basic)(server, ...request);
  };
}

const subject = z.string().regex(/^[\x20-\x7e]{1,255}$/);
const email = z.email().max(320);

function identityOf(claims: Record<string, unknown>): Identity {
  const { data: knownAs } = subject.safeParse(claims['sub']);
  if (knownAs === undefined) throw new ProviderFailure('invalid', 'the subject is not one of OpenID Connect');
  const isVerified = claims['email_verified'] === true;
  return {
    issuer: String(claims['iss']),
    subject: knownAs,
    email: isVerified ? email.safeParse(claims['email']).data : undefined,
    name: shownName(claims['name']),
  };
}

function shownName(name: unknown): string | undefined {
  if (typeof name !== 'string') return undefined;
  const shown = name
    .toWellFormed()
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 200);
  return shown === '' ? undefined : shown.toWellFormed();
}

/** Answers that are none of OpenID Connect: the provider, or something before it, is not working. */
const unavailable: readonly unknown[] = [
  'OAUTH_TIMEOUT',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
];

function failureOf(cause: unknown): ProviderFailure {
  if (cause instanceof ProviderFailure) return cause;
  if (cause instanceof client.AuthorizationResponseError) {
    const answer = errorCode(cause.error);
    return new ProviderFailure('denied', 'the identity provider signed nobody in', { answer });
  }
  if (cause instanceof client.ResponseBodyError) {
    // A code that was used or made up; any other error is about this service, not about the person.
    const fault = cause.error === 'invalid_grant' ? 'invalid' : 'unavailable';
    return new ProviderFailure(fault, 'the identity provider refused the code', {
      answer: errorCode(cause.error),
    });
  }
  const { code } = cause as { code?: unknown };
  // Without a code of OAuth, the request itself failed.
  if (code === undefined || unavailable.includes(code))
    return new ProviderFailure('unavailable', 'the identity provider did not answer as it should', { cause });
  return new ProviderFailure('invalid', 'the answer of the identity provider is refused', { cause });
}

/** Error codes come with the browser: anything else in their place is not repeated. */
const errorCode = (code: string) => (/^[a-z_]{1,64}$/.test(code) ? code : 'an error');
