import pg from 'pg';
import type { StageOf } from '../failure.ts';
import { type SessionLimits, type SourceServer, serverOf, workUntil } from './sockets.ts';
import type { SourceTarget } from './source.ts';

export interface PostgresSessionOptions {
  /** Applies to each statement. */
  statementTimeoutMs: number;
  /** For sessions that transfer much data. */
  limits?: SessionLimits;
}

const shortSession: PostgresSessionOptions = { statementTimeoutMs: 10_000 };

/** Logs in over a connection to a checked address and runs `work` in a read-only session. */
export async function withPostgres<T>(
  target: SourceTarget,
  signal: AbortSignal,
  work: (client: pg.Client, server: SourceServer) => Promise<T>,
  { statementTimeoutMs, limits }: PostgresSessionOptions = shortSession,
): Promise<T> {
  const server = await serverOf(target, signal, limits);
  const { host, port, socket, over, release } = server;
  const client = new pg.Client({
    stream: () => socket,
    host,
    port,
    database: String(target.config['database']),
    user: String(target.config['user']),
    // A function, so that the driver reads neither the environment nor a password file.
    password: () => target.secrets['password'] ?? '',
    ssl: tlsOf(target),
    application_name: 'analytics-workspace',
    options: `-c default_transaction_read_only=on -c statement_timeout=${statementTimeoutMs}`,
  });
  client.on('error', () => undefined);
  try {
    await Promise.race([client.connect(), over]);
    server.isIn();
    return await workUntil(over, work(client, server), release);
  } finally {
    client.end().catch(() => undefined);
    release();
  }
}

/**
 * `require` encrypts the connection; `verify_full` also verifies the server's certificate against its host
 * name.
 */
export function tlsOf({ setting }: SourceTarget): false | { rejectUnauthorized: boolean } {
  const mode = setting('ssl_mode');
  return mode !== 'disable' && { rejectUnauthorized: mode === 'verify_full' };
}

/** By SQLSTATE, or by the driver's message where there is no code. */
export const postgresStage: StageOf = (code, { message }) => {
  if (/^(?:28|3D)[0-9A-Z]{3}$/.test(code) || /^(?:SASL|SCRAM)/.test(message)) return 'login';
  if (code === '42501') return 'permission';
  if (/does not support SSL|establishing an SSL/.test(message)) return 'tls';
  // Shut down, out of connections or memory, or cancelled by a replica's recovery conflict: transient errors.
  if (/^(?:08|40|53|57P)/.test(code) || /^Connection terminated/.test(message)) return 'connect';
  return undefined;
};
