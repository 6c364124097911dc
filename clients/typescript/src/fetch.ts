import { ConnectionError } from './errors.ts';
import { backoffMs, pause } from './pause.ts';
import type { TokenSource } from './tokens.ts';

export interface FetchOptions {
  /** Undefined for requests without a token. */
  tokens?: TokenSource | undefined;
  /** For how long a request is tried again, in milliseconds; default: a minute. */
  retryForMs?: number | undefined;
  /** Instead of the platform's own. */
  fetch?: Platform | undefined;
  /** Called before a request is sent again. */
  onRetry?: ((retry: Retry) => void) | undefined;
}

export type Platform = (request: Request, init?: { signal?: AbortSignal }) => Promise<Response>;

/** `signal`: that of the caller, which must not be lost while a stream is read. */
export type Send = (request: Request, signal?: AbortSignal) => Promise<Response>;

export interface Retry {
  attempts: number;
  waitMs: number;
  /** Undefined after a broken connection. */
  status: number | undefined;
}

/** What is worth another attempt. A write among them carries a key under which it happens once. */
const transient = new Set([429, 500, 502, 503, 504]);
const expired = new Set(['token_expired', 'invalid_token']);

/**
 * Sends a request with a token until it is answered: again with another token if it has expired, again after a
 * broken connection or a transient failure, as `Retry-After` says. Writes get an idempotency key, so that they
 * happen once however often they are sent.
 */
export function createFetch(options: FetchOptions): Send {
  const { tokens, retryForMs = 60_000, fetch: platform = fetch, onRetry } = options;

  return async (given, signal = given.signal) => {
    const request = new Request(given);
    if (!['GET', 'HEAD'].includes(request.method) && tokens !== undefined)
      if (!request.headers.has('idempotency-key')) request.headers.set('idempotency-key', newKey());
    const untilMs = Date.now() + retryForMs;
    let token = await tokens?.token();
    let hasRenewed = false;
    for (let attempts = 1; ; attempts += 1) {
      signal.throwIfAborted();
      const copy = request.clone();
      // What no header may hold is a fault of the caller, not of the connection.
      if (token !== undefined) copy.headers.set('authorization', `Bearer ${token}`);
      let response: Response | undefined;
      let failure: unknown;
      try {
        // The caller's own signal: one that a request passed on may be lost with the request.
        response = await wholeJson(await platform(copy, { signal }));
      } catch (error) {
        signal.throwIfAborted();
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
        const said = `${new URL(request.url).origin} didn't answer in ${attempts} attempts${reasonOf(failure)}.`;
        throw new ConnectionError(said, { cause: failure });
      }
      await response?.body?.cancel().catch(() => undefined);
      onRetry?.({ attempts, waitMs, status: response?.status });
      await pause(waitMs, signal);
    }
  };
}

/** Pages of plain http have no `randomUUID`. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What a platform says below "fetch failed". */
function reasonOf(failure: unknown): string {
  const { cause, message } = failure as { cause?: { message?: string }; message?: string };
  const reason = cause?.message ?? message;
  return reason === undefined || reason === '' ? '' : `: ${reason}`;
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
