import { createByteBudget } from './byte-budget.ts';
import { RemoteFailure } from './failure.ts';
import type { Outgoing } from './outgoing.ts';

export interface ClientCredentials {
  client_id: string;
  client_secret: string;
  token_url: string;
  scope?: string | undefined;
}

const timeoutMs = 10_000;
const maxAnswerBytes = 65_536;
/** A token is not used in its last minute, because it might expire in transit. */
const beforeEndMs = 60_000;
const unknownLifetimeMs = 300_000;
const longestKeptMs = 3_600_000;
const maxKept = 1_000;
/** The error codes of an OAuth token endpoint; anything else the server says is not repeated. */
const errorCodes = [
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client'],
  ...['unsupported_grant_type', 'invalid_scope', 'invalid_target'],
];

/** Client credentials from a connection's secrets; undefined if a part is missing. */
export function clientCredentials(secrets: Partial<ClientCredentials>): ClientCredentials | undefined {
  const { client_id, client_secret, token_url, scope } = secrets;
  if (client_id === undefined || client_secret === undefined || token_url === undefined) return undefined;
  return { client_id, client_secret, token_url, scope };
}

/**
 * Access tokens by OAuth client credentials (RFC 6749, 4.4), cached in memory until shortly before they
 * expire.
 */
export interface TokenCache {
  token(
    key: string,
    outgoing: Outgoing,
    credentials: ClientCredentials,
    signal: AbortSignal,
  ): Promise<string>;
  /** Drops a token that the server refused; the next call requests a new one. */
  forget(key: string): void;
}

export function createTokenCache(now: () => number = Date.now): TokenCache {
  const kept = new Map<string, { token: string; untilMs: number }>();
  return {
    async token(key, outgoing, credentials, signal) {
      const known = kept.get(key);
      if (known !== undefined && known.untilMs > now()) return known.token;
      const { token, lifetimeMs } = await ask(outgoing, credentials, signal);
      kept.delete(key);
      kept.set(key, { token, untilMs: now() + Math.min(lifetimeMs - beforeEndMs, longestKeptMs) });
      if (kept.size > maxKept) kept.delete(kept.keys().next().value!);
      return token;
    },
    forget(key) {
      kept.delete(key);
    },
  };
}

async function ask(outgoing: Outgoing, credentials: ClientCredentials, signal: AbortSignal) {
  const { client_id, client_secret, token_url, scope } = credentials;
  const pair = [client_id, client_secret].map(formEncoded).join(':');
  const response = await outgoing.fetch(token_url, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      ...(scope === undefined ? {} : { scope }),
    }).toString(),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    budget: createByteBudget(maxAnswerBytes),
  });
  const answer: unknown = await response.json().catch(() => undefined);
  const member = (name: string): unknown => Reflect.get(Object(answer), name);
  const token = member('access_token');
  const code = errorCodes.find((known) => known === member('error'));
  const why = code === undefined ? '' : ` (${code})`;
  if (!response.ok)
    throw new RemoteFailure(
      'login',
      `The token endpoint responded with ${response.status}${why} and no token.`,
    );
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(token))
    throw new RemoteFailure('login', `The response of the token endpoint has no usable access token${why}.`);
  const seconds = Number(member('expires_in'));
  return { token, lifetimeMs: seconds > 0 ? seconds * 1_000 : unknownLifetimeMs };
}

/** RFC 6749, 2.3.1: both are form-encoded before they are joined. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
