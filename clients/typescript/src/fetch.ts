import { ConnectionError } from './errors.ts';
import { backoffMs, pause } from './pause.ts';
import type { TokenSource } from './tokens.ts';

export interface FetchOptions {
  /** Undefined for requests without a token. */
  tokens?: TokenSource | undefined;
  /** For how long a request is tried again, in milliseconds; default: a minute. */
  retryForMs?: number | undefined;
  /** In place of the platform's own. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** What is worth another attempt. A write among them carries a key under which it happens once. */
const transient = new Set([429, 500, 502, 503, 504]);
const expired = new Set(['token_expired', 'invalid_token']);

/**
 * Sends a request with a token until it is answered: again with another token if it has expired, again after a
 * broken connection or a transient failure, as `Retry-After` says. Writes get an idempotency key, so that they
 * happen once however often they are sent.
 */
export function createFetch(options: FetchOptions): (request: Request) => Promise<Response> {
  const { tokens, retryForMs = 60_000, fetch: send = (request) => fetch(request) } = options;

  async function attempt(request: Request, token: string | undefined): Promise<Response> {
    const copy = request.clone();
    if (token !== undefined) copy.headers.set('authorization', `Bearer ${token}`);
    return wholeJson(await send(copy));
  }

  return async (given) => {
    const request = new Request(given);
    if (!['GET', 'HEAD'].includes(request.method) && tokens !== undefined)
      if (!request.headers.has('idempotency-key'))
        request.headers.set('idempotency-key', crypto.randomUUID());
    const untilMs = Date.now() + retryForMs;
    let token = await tokens?.token();
    let hasRenewed = false;
    for (let attempts = 1; ; attempts += 1) {
      let response: Response | undefined;
      let failure: unknown;
      try {
        response = await attempt(request, token);
      } catch (error) {
        request.signal.throwIfAborted();
        failure = error;
      }
      if (response !== undefined) {
        const code = response.status < 400 ? undefined : await codeOf(response);
        if (tokens !== undefined && !hasRenewed && expired.has(code ?? '')) {
          hasRenewed = true;
          token = await tokens.token(token);
          continue;
        }
        if (!transient.has(response.status) && code !== 'idempotency_in_flight') return response;
      }
      const waitMs = backoffMs(attempts, response?.headers.get('retry-after'));
      if (Date.now() + waitMs > untilMs) {
        if (response !== undefined) return response;
        const said = `No answer from ${new URL(request.url).origin} in ${attempts} attempts.`;
        throw new ConnectionError(said, { cause: failure });
      }
      await pause(waitMs, request.signal);
    }
  };
}

/** Reads a JSON answer to its end, so that a connection that breaks in it is an attempt that failed. */
async function wholeJson(response: Response): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null || !/^application\/(?:problem\+)?json\b/.test(type)) return response;
  const { status, statusText, headers, url } = response;
  const whole = new Response(await response.arrayBuffer(), { status, statusText, headers });
  Object.defineProperty(whole, 'url', { value: url });
  return whole;
}

async function codeOf(response: Response): Promise<string | undefined> {
  if (!response.headers.get('content-type')?.includes('json')) return undefined;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return (body as { code?: string } | undefined)?.code;
}
