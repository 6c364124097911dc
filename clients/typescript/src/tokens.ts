import { errorOf } from './errors.ts';

/** Where a request gets its access token. */
export interface TokenSource {
  /** A valid token; another one than `rejected`, which the service refused. */
  token(rejected?: string): Promise<string>;
}

export interface LoginTokens {
  accessToken: string;
  refreshToken: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Keeps the tokens of a person between starts of a program. */
export interface TokenStore {
  load(): Promise<LoginTokens | undefined> | LoginTokens | undefined;
  save(tokens: LoginTokens): Promise<void> | void;
  /**
   * Runs work while no other process renews the same tokens: a refresh token that is used twice ends the login.
   * Needed if several processes share a store.
   */
  exclusively?<T>(work: () => Promise<T>): Promise<T>;
}

/** What token requests need: the service's address, and a `fetch` that retries. */
export interface TokenContext {
  baseUrl: string;
  fetch: (request: Request) => Promise<Response>;
}

export type Auth = (context: TokenContext) => TokenSource;

/** Renewed so long before its end. */
const earlyMs = 30_000;

/** A token that somebody else renews. */
export const accessToken =
  (token: string): Auth =>
  () => ({ token: async () => token });

/** The token of an API client, exchanged again before it expires. */
export const clientCredentials =
  (client: { clientId: string; clientSecret: string; scope?: string }): Auth =>
  (context) => {
    const exchange = async () => {
      const { clientId: client_id, clientSecret: client_secret, scope } = client;
      const form = { client_id, client_secret, ...(scope === undefined ? {} : { scope }) };
      const body = await postForm(context, '/v1/auth/m2m/token', form);
      return { accessToken: body.access_token, expiresAt: endOf(body) };
    };
    return renewing(undefined, exchange);
  };

/** The tokens of a person's login, renewed by its refresh token and kept in a store. */
export const login =
  (store: TokenStore, clientId: string): Auth =>
  (context) => {
    /** New tokens that could not be saved: those before them are used up. */
    let unsaved: LoginTokens | undefined;
    const exclusively = store.exclusively?.bind(store) ?? (<T>(work: () => Promise<T>) => work());
    return renewing(
      async () => store.load(),
      (rejected) =>
        exclusively(async () => {
          const known = unsaved ?? (await store.load());
          // Another process has renewed them meanwhile.
          if (known !== undefined && isFresh(known) && known.accessToken !== rejected) return known;
          const fresh = await refreshed(context, known, clientId);
          unsaved = fresh;
          await store.save(fresh);
          unsaved = undefined;
          return fresh;
        }),
    );
  };

async function refreshed(context: TokenContext, known: LoginTokens | undefined, clientId: string) {
  const form = {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: known?.refreshToken ?? '',
  };
  return loginTokensOf(await postForm(context, '/v1/auth/token', form));
}

interface TokenAnswer {
  access_token: string;
  refresh_token: string;
  expires_in: number;
}

export const loginTokensOf = (answer: TokenAnswer): LoginTokens => ({
  accessToken: answer.access_token,
  refreshToken: answer.refresh_token,
  expiresAt: endOf(answer),
});

const endOf = ({ expires_in }: { expires_in: number }) => Date.now() + expires_in * 1_000;
const isFresh = ({ expiresAt }: { expiresAt: number }) => expiresAt - earlyMs > Date.now();

interface Held {
  accessToken: string;
  expiresAt: number;
}

/** One renewal at a time: requests that need it meanwhile share it. */
function renewing(
  load: (() => Promise<Held | undefined>) | undefined,
  renew: (rejected?: string) => Promise<Held>,
): TokenSource {
  let held: Held | undefined;
  let underWay: Promise<Held> | undefined;
  return {
    async token(rejected) {
      held ??= await load?.();
      if (held !== undefined && isFresh(held) && held.accessToken !== rejected) return held.accessToken;
      underWay ??= renew(rejected).finally(() => {
        underWay = undefined;
      });
      held = await underWay;
      return held.accessToken;
    },
  };
}

/** Posts a form to a token route; throws its problem, whose `error` member is that of OAuth. */
export async function postForm(
  { baseUrl, fetch }: TokenContext,
  path: string,
  form: Record<string, string>,
): Promise<TokenAnswer & Record<string, never>> {
  const response = await fetch(
    new Request(`${baseUrl}${path}`, { method: 'POST', body: new URLSearchParams(form) }),
  );
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as TokenAnswer & Record<string, never>;
}
