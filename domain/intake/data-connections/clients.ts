import { createAdmission } from '../../../data/admission.ts';
import type { Cipher } from '../../../data/encryption.ts';
import { AppError } from '../../../data/errors.ts';
import type { AllowedNetwork } from '../../../data/outgoing/allowed-addresses.ts';
import { createTokenCache } from '../../../data/outgoing/client-credentials.ts';
import { RemoteFailure } from '../../../data/outgoing/failure.ts';
import { createOutgoing } from '../../../data/outgoing/outgoing.ts';
import { createRedaction } from '../../../data/outgoing/redaction.ts';
import type { Database } from '../../../data/postgres/client.ts';
import { configOf, openConnectionSecrets, replicationOf } from './change.ts';
import type { DataConnection } from './data-connections.ts';
import { InternalFailure, sourceFailure } from './failure.ts';
import { createRequestGate } from './request-gate.ts';
import { settingOf } from './settings.ts';
import { sourceKinds } from './sources/kinds.ts';
import type { SourceKind, SourceTarget } from './sources/source.ts';
import { typeTables } from './types/types.ts';

/** Access to the sources of data connections. */
export interface SourceClients {
  /** Whether a connection may reach unchecked addresses. */
  allowUnvalidated: boolean;
  /**
   * Runs work against a source, with a timeout.
   *
   * @throws RemoteFailure; AppError rate_limited if the organization has too many sessions with its sources
   */
  use<T>(
    connection: DataConnection,
    timeoutMs: number,
    work: (source: SourceKind, target: SourceTarget, signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
}

export interface SourceClientsOptions {
  db: Database;
  cipher: Cipher;
  allowedPrivate: readonly AllowedNetwork[];
  allowUnvalidated: boolean;
}

/**
 * A source that hangs holds its session until the timeout; the limit keeps one organization from using up all
 * sessions.
 */
const maxSessionsPerOrganization = 16;

export function createSourceClients(options: SourceClientsOptions): SourceClients {
  const { db, cipher, allowedPrivate, allowUnvalidated } = options;
  const checked = createOutgoing({ allowedPrivate });
  const unchecked = allowUnvalidated ? createOutgoing({ allowedPrivate: 'any' }) : undefined;
  const tokens = createTokenCache();
  const sessions = createAdmission({ ofOwner: maxSessionsPerOrganization });

  function targetOf(connection: DataConnection): SourceTarget {
    const config = configOf(connection);
    const secrets = openConnectionSecrets(cipher, connection);
    const policy = replicationOf(connection);
    const outgoing = policy?.validate_server_address === false ? (unchecked ?? checked) : checked;
    const redaction = createRedaction(Object.values(secrets));
    const key = `${connection.organization_id} ${connection.id} ${connection.settings_revision}`;
    return {
      config,
      secrets,
      policy,
      outgoing,
      redaction,
      gate: createRequestGate(db, connection),
      setting: (name) => settingOf(typeTables[connection.type], config, name),
      async accessToken(signal) {
        const credentials = {
          client_id: String(config['client_id']),
          client_secret: secrets['client_secret'] ?? '',
          token_url: String(config['token_url']),
        };
        const token = await tokens.token(key, outgoing, credentials, signal);
        redaction.add(token);
        return token;
      },
    };
  }

  async function within<T>(
    connection: DataConnection,
    timeoutMs: number,
    work: (source: SourceKind, target: SourceTarget, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { source, stageOf } = sourceKinds[connection.type];
    const target = targetOf(connection);
    const late = new AbortController();
    const timer = setTimeout(
      () =>
        late.abort(new RemoteFailure('connect', `The source did not answer within ${timeoutMs / 1_000} s.`)),
      timeoutMs,
    );
    const ended = new Promise<never>((_, reject) => {
      late.signal.addEventListener('abort', () => reject(late.signal.reason), { once: true });
    });
    ended.catch(() => undefined);
    try {
      return await Promise.race([work(source, target, late.signal), ended]);
    } catch (error) {
      if (error instanceof InternalFailure) throw error.cause;
      const failure = sourceFailure(error, { redaction: target.redaction, stageOf });
      // The token may have been rejected: the next request fetches a new one.
      if (failure.stage === 'login')
        tokens.forget(`${connection.organization_id} ${connection.id} ${connection.settings_revision}`);
      throw failure;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    allowUnvalidated,
    async use(connection, timeoutMs, work) {
      const leave = sessions.enter(connection.organization_id);
      if (leave === undefined) throw tooMany();
      try {
        return await within(connection, timeoutMs, work);
      } finally {
        leave();
      }
    },
    close: async () => {
      await Promise.all([checked.close(), unchecked?.close()]);
    },
  };
}

function tooMany(): AppError {
  const message = `The organization has ${maxSessionsPerOrganization} open sessions with sources, which is the limit. Try again shortly.`;
  return new AppError('rate_limited', message, { retryAfterSeconds: 2 });
}
