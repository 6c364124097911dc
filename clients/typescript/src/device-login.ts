import { WorkspaceError } from './errors.ts';
import { createFetch } from './fetch.ts';
import { pause } from './pause.ts';
import { type LoginTokens, loginTokensOf, postForm } from './tokens.ts';

export interface DeviceLogin {
  baseUrl: string;
  /** A public client of the service; `cli` is always one. */
  clientId?: string;
  /** Space-separated; what a person may usually do without it. */
  scope?: string;
  signal?: AbortSignal;
  /** Shows the person where to go, and the code to compare. */
  onCode(code: { userCode: string; url: string; completeUrl: string }): void;
}

/** RFC 8628: a person approves the login on a page, on any device. Resolves with the tokens to keep. */
export async function deviceLogin(asked: DeviceLogin): Promise<LoginTokens> {
  const { clientId = 'cli', scope, signal, onCode } = asked;
  const context = { baseUrl: asked.baseUrl.replace(/\/$/, ''), fetch: createFetch({}) };
  const scopes: Record<string, string> = scope === undefined ? {} : { scope };
  const code = await postForm(context, '/v1/auth/device/code', { client_id: clientId, ...scopes });
  onCode({
    userCode: code['user_code']!,
    url: code['verification_uri']!,
    completeUrl: code['verification_uri_complete']!,
  });
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id: clientId,
    device_code: code['device_code']!,
  };
  for (let intervalMs = Number(code['interval']) * 1_000; ; ) {
    await pause(intervalMs, signal);
    try {
      return loginTokensOf(await postForm(context, '/v1/auth/device/token', form));
    } catch (error) {
      const errorCode = error instanceof WorkspaceError ? error.problem['error'] : undefined;
      if (errorCode === 'slow_down') intervalMs += 5_000;
      else if (errorCode !== 'authorization_pending') throw error;
    }
  }
}
