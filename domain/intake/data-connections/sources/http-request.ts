import { createByteBudget } from '../../../../data/outgoing/byte-budget.ts';
import { errorChain } from '../../../../data/outgoing/error-chain.ts';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import type { SourceTarget } from './source.ts';

const maxRedirects = 5;

export interface HttpAnswer {
  status: number;
  headers: Headers;
  /** The address that answered, after all redirects. */
  url: URL;
  bytes: Buffer;
}

/** An address below the connection's base URL. */
export function urlBelow(
  { config }: SourceTarget,
  path: string,
  parameters: Readonly<Record<string, string>>,
): URL {
  const base = String(config['base_url']).replace(/\/$/, '');
  const url = new URL(path === '' ? base : `${base}/${path.replace(/^\//, '')}`);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

export interface GetOptions {
  maxBytes: number;
  signal: AbortSignal;
  /** Awaited before each redirect is followed. */
  beforeHop?: () => Promise<void>;
}

/**
 * GETs an address. Each redirect is a separate request to a checked address; credentials are only sent to the
 * origin of the base URL.
 */
export async function get(
  target: SourceTarget,
  url: URL,
  { maxBytes, signal, beforeHop }: GetOptions,
): Promise<HttpAnswer> {
  const { origin } = new URL(String(target.config['base_url']));
  const credentials = await credentialsOf(target, signal);
  const budget = createByteBudget(maxBytes);
  let at = url;
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    const response = await target.outgoing.fetch(at, {
      headers: {
        accept: 'application/json',
        'user-agent': 'analytics-workspace',
        ...(at.origin === origin ? credentials : {}),
      },
      signal,
      budget,
    });
    const next = locationOf(response, at);
    if (next === undefined) {
      const bytes = Buffer.from(await response.arrayBuffer().catch(refuseUndecodable));
      return { status: response.status, headers: response.headers, url: at, bytes };
    }
    await response.body?.cancel();
    if (hop < maxRedirects) await beforeHop?.();
    at = next;
  }
  throw new RemoteFailure('request', `The source redirects more than ${maxRedirects} times.`);
}

/** Error codes of zlib, Brotli and Zstandard for invalid data, but not for data truncated in transit. */
const undecodable = /^(?:Z_DATA_ERROR|Z_NEED_DICT|ERR__ERROR_|ZSTD_error_)/;

/** Undecodable data is a permanent failure: a retry would get the same answer. */
function refuseUndecodable(error: unknown): never {
  const codes = errorChain(error).map((link) => String(Reflect.get(Object(link), 'code') ?? ''));
  if (!codes.some((code) => undecodable.test(code))) throw error;
  throw new RemoteFailure(
    'request',
    "The source's answer cannot be unpacked, because it doesn't match its content-encoding.",
  );
}

/** @throws RemoteFailure unless the status is 2xx */
export function refuseStatus({ status }: Pick<HttpAnswer, 'status'>): void {
  if (status >= 200 && status < 300) return;
  if (status === 401)
    throw new RemoteFailure('login', "The source answered 401. It doesn't accept the credentials.");
  if (status === 403)
    throw new RemoteFailure('permission', "The source answered 403. The credentials don't allow this.");
  throw new RemoteFailure('request', `The source answered ${status}.`);
}

function locationOf(response: Response, at: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined;
  const next = URL.parse(response.headers.get('location') ?? '', at.href);
  if (next === null)
    throw new RemoteFailure(
      'request',
      `The source answered ${response.status}, a redirect, without a location.`,
    );
  if (at.protocol === 'https:' && next.protocol !== 'https:')
    throw new RemoteFailure('request', "The source redirects from https to an address that isn't secure.");
  return next;
}

async function credentialsOf(target: SourceTarget, signal: AbortSignal): Promise<Record<string, string>> {
  const { config, secrets, setting } = target;
  switch (setting('auth_type')) {
    case 'basic': {
      const pair = `${config['username']}:${secrets['password'] ?? ''}`;
      return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    }
    case 'bearer':
      return { authorization: `Bearer ${secrets['token']}` };
    case 'header':
      return { [String(config['header_name'])]: secrets['header_value'] ?? '' };
    case 'oauth_client_credentials':
      return { authorization: `Bearer ${await target.accessToken(signal)}` };
    default:
      return {};
  }
}
