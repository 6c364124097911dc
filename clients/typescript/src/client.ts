import createOpenApiClient, { type Client, type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch';
import { WorkspaceError } from './errors.ts';
import { createFetch, type Platform, type Retry } from './fetch.ts';
import type { paths } from './schema.gen.ts';
import type { Auth } from './tokens.ts';

type Media = 'application/json' | 'application/problem+json';
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type PathsWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never;
}[keyof paths];
type Operation<P extends keyof paths, M extends Method> =
  // biome-ignore lint/suspicious/noExplicitAny: an operation of any shape, as openapi-fetch has it.
  paths[P] extends Record<M, infer O> ? Extract<O, Record<string | number, any>> : never;
type Init<P extends keyof paths, M extends Method> = MaybeOptionalInit<paths[P], M & keyof paths[P]>;
/** Names of the members that must be there. */
type Needed<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? never : Key }[keyof T];
type Args<I> = Needed<I> extends never ? [init?: I] : [init: I];
type Answer<P extends keyof paths, M extends Method, I> = NonNullable<
  FetchResponse<Operation<P, M>, I, Media>['data']
>;

/** Asks for an operation of the document; resolves with its answer's body, and throws a `WorkspaceError` otherwise. */
export type Ask<M extends Method> = <P extends PathsWith<M>, I extends Init<P, M>>(
  path: P,
  ...init: Args<I>
) => Promise<Answer<P, M, I>>;

export interface WorkspaceOptions {
  /** The service's address, such as `https://workspace.example.com`. */
  baseUrl: string;
  auth: Auth;
  /** For how long a request is tried again after transient failures, in milliseconds; default: a minute. */
  retryForMs?: number;
  /** Instead of the platform's own. */
  fetch?: Platform;
  /** Called before a request is sent again. */
  onRetry?: (retry: Retry) => void;
}

export interface Workspace {
  baseUrl: string;
  get: Ask<'get'>;
  post: Ask<'post'>;
  put: Ask<'put'>;
  patch: Ask<'patch'>;
  delete: Ask<'delete'>;
  /** The typed client of openapi-fetch below it, for answers that are not JSON (`parseAs`). It does not throw. */
  api: Client<paths, Media>;
  /** Sends any request of this service with a token, retried: for streams. */
  send(path: string, init?: RequestInit): Promise<Response>;
}

/** A client of one workspace as one caller. */
export function createWorkspace(options: WorkspaceOptions): Workspace {
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  if (!/^https?:\/\/[^/]/.test(baseUrl))
    throw new TypeError(`${options.baseUrl} isn't an address like https://workspace.example.com.`);
  const { retryForMs, fetch: platform, onRetry } = options;
  const withoutToken = createFetch({ retryForMs, fetch: platform, onRetry });
  const tokens = options.auth({ baseUrl, fetch: withoutToken });
  const send = createFetch({ tokens, retryForMs, fetch: platform, onRetry });
  const api = createOpenApiClient<paths, Media>({ baseUrl, fetch: (request) => send(request) });
  const ask =
    (method: Uppercase<Method>) =>
    async (path: string, init?: { signal?: AbortSignal }): Promise<unknown> => {
      const own = init?.signal;
      const call = api[method] as (
        path: string,
        init?: object,
      ) => Promise<FetchResponse<never, never, Media>>;
      const { data, error, response } = await call(
        path,
        own === undefined ? init : { ...init, fetch: (request: Request) => send(request, own) },
      );
      if (!response.ok) throw new WorkspaceError(response, error);
      return data;
    };
  return {
    baseUrl,
    api,
    get: ask('GET') as Ask<'get'>,
    post: ask('POST') as Ask<'post'>,
    put: ask('PUT') as Ask<'put'>,
    patch: ask('PATCH') as Ask<'patch'>,
    delete: ask('DELETE') as Ask<'delete'>,
    send: (path, init) => send(new Request(`${baseUrl}${path}`, init), init?.signal ?? undefined),
  };
}
