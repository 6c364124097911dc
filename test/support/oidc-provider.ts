import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Browser } from './browser.ts';

/** Who somebody is at the provider. */
export interface Claims {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

export interface OidcProvider {
  issuer: string;
  /** Whether it answers; connections are cut otherwise. */
  setDown(isDown: boolean): Promise<void>;
  stop(): Promise<void>;
}

export const oidcClient = { id: 'workspace', secret: 'a secret of the tests', publicId: 'workspace-public' };

/** An OpenID Connect provider in a process of its own, on a free port of loopback. */
export async function startOidcProvider({
  redirectUri = 'http://localhost/sign-in/oidc/callback',
  tellsAllInIdToken = false,
}: {
  redirectUri?: string;
  /** Otherwise the e-mail is told by the userinfo endpoint alone. */
  tellsAllInIdToken?: boolean;
} = {}): Promise<OidcProvider> {
  const common = { redirect_uris: [redirectUri], subject_type: 'pairwise' };
  const clients = [
    { ...common, client_id: oidcClient.id, client_secret: oidcClient.secret },
    { ...common, client_id: oidcClient.publicId, token_endpoint_auth_method: 'none' },
  ];
  const child = fork(
    fileURLToPath(new URL('./oidc-provider-process.ts', import.meta.url)),
    [JSON.stringify([clients, !tellsAllInIdToken])],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] },
  );
  const { issuer } = await nextMessage<{ issuer: string }>(child);
  return {
    issuer,
    async setDown(isDown) {
      child.send({ isDown });
      await nextMessage(child);
    },
    async stop() {
      const over = once(child, 'exit');
      child.kill();
      await over;
    },
  };
}

async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The provider ended with ${code}.`);
    }),
  ]);
  return message as T;
}

/** Signs in on the provider's own pages, and approves; returns the address that the browser is sent back to. */
export async function signInAtProvider(
  browser: Pick<Browser, 'open' | 'submit'>,
  url: string,
  claims: Claims,
): Promise<string> {
  const { origin } = new URL(url);
  let answer = await browser.open(url);
  for (;;) {
    if (answer.location !== undefined) {
      const next = new URL(answer.location, origin);
      if (next.origin !== origin) return next.href;
      answer = await browser.open(next.href);
    } else if (answer.text.includes('name="login"'))
      answer = await browser.submit({ login: JSON.stringify(claims), password: 'any' });
    else if (answer.text.includes('value="consent"')) answer = await browser.submit();
    else throw new Error(`The provider answered ${answer.status}: ${answer.text.slice(0, 2_000)}`);
  }
}
