import type { ErrorCode } from '../../data/errors.ts';
import { redeemCode } from '../../domain/workspace/logins/authorization-codes.ts';
import { pollDeviceLogin } from '../../domain/workspace/logins/device-logins.ts';
import type { PollOutcome } from '../../domain/workspace/logins/device-states.ts';
import { refresh, type Tokens } from '../../domain/workspace/logins/logins.ts';
import {
  findPublicClient,
  keepPublicClient,
  type PublicClient,
} from '../../domain/workspace/logins/public-clients.ts';
import { clientOfRefreshToken } from '../../domain/workspace/logins/token-owners.ts';
import type { ApiDeps, Routes } from '../deps.ts';
import { deviceGrant } from './device-schemas.ts';
import { oauthError } from './oauth-error.ts';

/** Fields of the token routes; each grant needs its own. */
export interface GrantForm {
  grant_type?: string | undefined;
  client_id?: string | undefined;
  code?: string | undefined;
  redirect_uri?: string | undefined;
  code_verifier?: string | undefined;
  device_code?: string | undefined;
  refresh_token?: string | undefined;
  scope?: string | undefined;
}

export type PersonGrant = 'authorization_code' | 'refresh_token' | typeof deviceGrant;

/** Of every route that gives tokens of a person. */
export const grantErrors: readonly ErrorCode[] = [
  'authorization_pending',
  'slow_down',
  'access_denied',
  'expired_token',
  'invalid_grant',
  'invalid_scope',
  'invalid_client',
  'organization_suspended',
  'unsupported_grant_type',
  'unsupported_media_type',
  'body_too_large',
];

const refusals: Readonly<Record<Exclude<PollOutcome, 'redeem'>, string>> = {
  authorization_pending: "The person hasn't decided yet. Poll again after the interval.",
  slow_down: 'You polled before the interval had passed. From now on it is five seconds longer.',
  access_denied: 'The person denied the request.',
  expired_token: 'The device code has expired. Request another one.',
  invalid_grant:
    'The device code is unknown, belongs to another client, or was already redeemed. Start the login again.',
};

const unusable = 'The refresh token is unknown, has expired, or was already used. Start the login again.';

type GrantDeps = ApiDeps & Pick<Routes, 'forgetTokens'>;

/** Each grant by which a public client gets tokens of a person. */
const grants: Readonly<
  Record<PersonGrant, (deps: GrantDeps, form: GrantForm, clientId: string) => Promise<Tokens>>
> = {
  async authorization_code({ db, forgetTokens }, form, clientId) {
    const code = needed(form, 'code');
    const redirectUri = needed(form, 'redirect_uri');
    const verifier = needed(form, 'code_verifier');
    const redeemed = await redeemCode(db, { code, clientId, redirectUri, verifier });
    if (redeemed?.tokens !== undefined) return redeemed.tokens;
    if (redeemed !== undefined) forgetTokens(redeemed.organizationId);
    throw oauthError(
      'invalid_grant',
      "The code is unknown, has expired or was used, or it doesn't match client_id, redirect_uri or code_verifier. Start the login again.",
    );
  },
  async refresh_token({ db, forgetTokens }, form, clientId) {
    const refreshToken = needed(form, 'refresh_token');
    const asked = (form.scope ?? '').split(/\s+/).filter((name) => name !== '');
    const refreshed = await refresh(db, { refreshToken, clientId, asked });
    if (refreshed !== undefined) forgetTokens(refreshed.organizationId);
    if (refreshed?.tokens !== undefined) return refreshed.tokens;
    throw oauthError('invalid_grant', unusable);
  },
  async [deviceGrant]({ db }, form, clientId) {
    const polled = await pollDeviceLogin(db, needed(form, 'device_code'), clientId, Date.now());
    if (polled.outcome === 'redeem') return polled.tokens;
    throw oauthError(polled.outcome, refusals[polled.outcome]);
  },
};

function needed(form: GrantForm, field: keyof GrantForm): string {
  const value = form[field];
  if (value === undefined) throw oauthError('invalid_request', `Send ${field}.`);
  return value;
}

/** The tokens of a grant, as answered; only the grants in `allowed` are given. */
export async function grantTokens(
  app: Routes,
  deps: ApiDeps,
  form: GrantForm,
  allowed: readonly PersonGrant[],
) {
  const { id: clientId } = await publicClientOf(deps, {
    client_id: form.client_id ?? (await ownerOf(deps, form)),
  });
  const grantType = needed(form, 'grant_type') as PersonGrant;
  if (!allowed.includes(grantType))
    throw oauthError(
      'unsupported_grant_type',
      `This route accepts the grant types ${allowed.join(' and ')}.`,
    );
  const tokens = await grants[grantType]({ ...deps, forgetTokens: app.forgetTokens }, form, clientId);
  await keepPublicClient(deps.db, clientId);
  return {
    access_token: tokens.accessToken,
    token_type: 'Bearer' as const,
    expires_in: tokens.expiresIn,
    scope: tokens.scopes.join(' '),
    refresh_token: tokens.refreshToken,
  };
}

/** RFC 6749 §6: a public client need not name itself beside a refresh token. */
async function ownerOf({ db }: ApiDeps, form: GrantForm): Promise<string | undefined> {
  const { grant_type: grantType, refresh_token: token } = form;
  if (grantType !== 'refresh_token' || token === undefined) return undefined;
  const clientId = await clientOfRefreshToken(db, token);
  if (clientId !== undefined) return clientId;
  throw oauthError('invalid_grant', unusable);
}

/** The public client of a form. */
export async function publicClientOf(
  deps: ApiDeps,
  form: { client_id?: string | undefined },
): Promise<PublicClient> {
  const client = await findPublicClient(deps, needed(form, 'client_id'));
  if (client !== undefined) return client;
  throw oauthError('invalid_client', "This public client doesn't exist. The command line is `cli`.");
}
