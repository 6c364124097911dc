import { createAdmission } from '../../../data/admission.ts';
import type { Cipher } from '../../../data/encryption.ts';
import { AppError } from '../../../data/errors.ts';
import type { AllowedNetwork } from '../../../data/outgoing/allowed-addresses.ts';
import { clientCredentials, createTokenCache } from '../../../data/outgoing/client-credentials.ts';
import { createOutgoing, type Outgoing } from '../../../data/outgoing/outgoing.ts';
import { createRedaction, type Redaction } from '../../../data/outgoing/redaction.ts';
import type { Database } from '../../../data/postgres/client.ts';
import type { AppConnectionRow } from './app-connections.ts';
import { type AppSecrets, openSecrets } from './secrets.ts';
import { type AppServer, type AppSession, type StepTimeouts, withSession } from './session.ts';

/** Dependencies of the use cases of this room. */
export interface AppToolDeps {
  db: Database;
  cipher: Cipher;
  apps: AppClients;
}

/** Sessions with the servers of connections. */
export interface AppClients {
  /** Whether connections may use addresses that are not checked. */
  allowUnvalidated: boolean;
  /**
   * Runs `work` in its own session.
   *
   * @throws RemoteFailure; AppError rate_limited where the organization has too many sessions at once
   */
  session<T>(
    connection: AppConnectionRow,
    signal: AbortSignal,
    work: (session: AppSession, redaction: Redaction) => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
}

export interface AppClientsOptions {
  cipher: Cipher;
  allowedPrivate: readonly AllowedNetwork[];
  allowUnvalidated: boolean;
  /** Production timeouts if omitted. */
  timeouts?: StepTimeouts;
}

/** A hanging server keeps a session for a minute; one organization must not exhaust the sessions of all. */
const maxSessionsPerOrganization = 16;

export function createAppClients({ cipher, timeouts, ...options }: AppClientsOptions): AppClients {
  const checked = createOutgoing({ allowedPrivate: options.allowedPrivate });
  const unchecked = options.allowUnvalidated ? createOutgoing({ allowedPrivate: 'any' }) : undefined;
  const tokens = createTokenCache();
  const sessions = createAdmission({ ofOwner: maxSessionsPerOrganization });

  function serverOf(connection: AppConnectionRow, outgoing: Outgoing): AppServer {
    const secrets = openSecrets(cipher, connection.sealed_secrets);
    const credentials = clientCredentials(secrets);
    const key = `${connection.organization_id} ${connection.id} ${connection.settings_revision}`;
    return {
      url: connection.url,
      headers: headersOf(secrets),
      tokens: credentials && {
        token: (signal) => tokens.token(key, outgoing, credentials, signal),
        forget: () => tokens.forget(key),
      },
      redaction: createRedaction(
        [secrets.token, secrets.client_secret, ...Object.values(secrets.headers ?? {})].filter(
          (secret) => secret !== undefined,
        ),
      ),
    };
  }

  return {
    allowUnvalidated: options.allowUnvalidated,
    async session(connection, signal, work) {
      const leave = sessions.enter(connection.organization_id);
      if (leave === undefined) throw tooMany();
      try {
        const outgoing = connection.validate_server_address ? checked : (unchecked ?? checked);
        const server = serverOf(connection, outgoing);
        return await withSession(outgoing, server, { signal, timeouts }, (session) =>
          work(session, server.redaction),
        );
      } finally {
        leave();
      }
    },
    close: async () => {
      await Promise.all([checked.close(), unchecked?.close()]);
    },
  };
}

function headersOf({ token, headers = {} }: AppSecrets): Record<string, string> {
  return token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` };
}

function tooMany(): AppError {
  const message = `The organization has ${maxSessionsPerOrganization} open sessions with app servers, which is the limit. Try again shortly.`;
  return new AppError('rate_limited', message, { retryAfterSeconds: 2 });
}
