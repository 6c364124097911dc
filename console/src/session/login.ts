import {
  createWorkspace,
  type LoginTokens,
  login,
  type TokenStore,
  type Workspace,
  WorkspaceError,
} from '../../../clients/typescript/src/index.ts';
import { pkce, randomState } from './pkce.ts';

const clientId = 'console';
/** The last one is for whoever issues it to a program, and for rows that were put aside. */
const scope = 'agent:read agent:write tables:append';
const base = import.meta.env.BASE_URL;
const redirectUri = `${location.origin}${base}callback`;
const endpoints = { authorize: '/v1/auth/authorize', token: '/v1/auth/token' };

/** Kept by the browser, whoever signs in: light, dark, or as the system has it. */
export const themeKey = 'theme';
/** Kept while the browser's tab is there, and seen by it alone. */
const keys = { tokens: 'login', asked: 'login-asked', tab: 'tab' };
/** A page that is loaded anew may have to wait for the one before to be gone. */
const lockMs = 1_000;

/** A login that was begun, and the page that it leads back to. */
interface Asked {
  state: string;
  verifier: string;
  page: string;
}

const store: TokenStore = {
  load: () => read<LoginTokens>(keys.tokens),
  save: (tokens) => sessionStorage.setItem(keys.tokens, JSON.stringify(tokens)),
};

let owned: Promise<void> | undefined;

/**
 * Browsers copy what a tab keeps when it is duplicated. Two tabs with one login would end it, since a refresh token
 * works once: a copy forgets the login that it brought along.
 */
export const ownTab = (): Promise<void> => (owned ??= claimTab());

async function claimTab(): Promise<void> {
  const id = sessionStorage.getItem(keys.tab) ?? crypto.randomUUID();
  sessionStorage.setItem(keys.tab, id);
  if (await holds(id)) return;
  sessionStorage.clear();
  owned = undefined;
  return ownTab();
}

/** Holds a lock for as long as the tab is there; false where another tab has it. */
const holds = (id: string): Promise<boolean> =>
  new Promise((resolve) => {
    const options = { signal: AbortSignal.timeout(lockMs) };
    const hold = () => {
      resolve(true);
      return new Promise<void>(() => undefined);
    };
    navigator.locks.request(`console ${id}`, options, hold).catch(() => resolve(false));
  });

/** Whether the service said that there is no login any more. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof WorkspaceError && (error.status === 401 || error.code === 'invalid_grant');

export const isSignedIn = (): boolean => read(keys.tokens) !== undefined;

/** The service, as whoever signed in. */
export const workspace: Workspace = createWorkspace({
  baseUrl: location.origin,
  auth: login(store, clientId),
  retryForMs: 15_000,
});

/** Leads to the service's own sign-in, and from there back to this page. */
export async function signIn(page = `${location.pathname}${location.search}`): Promise<void> {
  sessionStorage.removeItem(keys.tokens);
  const { verifier, challenge } = await pkce();
  const asked: Asked = { state: randomState(), verifier, page };
  sessionStorage.setItem(keys.asked, JSON.stringify(asked));
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: asked.state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  location.assign(`${endpoints.authorize}?${query}`);
}

/** Exchanges the code that the service sent back; resolves with the page to go on with. */
export async function finishSignIn(answer: URLSearchParams): Promise<string> {
  const asked = read<Asked>(keys.asked);
  sessionStorage.removeItem(keys.asked);
  const code = answer.get('code');
  // Nobody here asked for this code, or it answers an older question.
  if (asked === undefined || answer.get('state') !== asked.state) return base;
  if (code === null) throw new Error(answer.get('error_description') ?? answer.get('error') ?? 'no code');
  const response = await fetch(endpoints.token, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      redirect_uri: redirectUri,
      code_verifier: asked.verifier,
    }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error_description ?? body.detail ?? `status ${response.status}`);
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = body;
  await store.save({ accessToken, refreshToken, expiresAt: Date.now() + seconds * 1_000 });
  return asked.page;
}

/** Ends the login here and at the service. */
export async function signOut(): Promise<void> {
  await workspace.post('/v1/auth/logout').catch(() => undefined);
  forget();
}

/** Leads to the service's page where a person chooses another of their organizations, and from there back. */
export function switchOrganization(): void {
  forget();
  location.assign(`/sign-in/organization?next=${encodeURIComponent(base)}`);
}

function forget(): void {
  // Also what was written and not sent; the tab stays what it is.
  const tab = sessionStorage.getItem(keys.tab);
  sessionStorage.clear();
  if (tab !== null) sessionStorage.setItem(keys.tab, tab);
  // The project that was looked at last.
  const theme = localStorage.getItem(themeKey);
  localStorage.clear();
  if (theme !== null) localStorage.setItem(themeKey, theme);
}

function read<T>(key: string): T | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as T);
}
