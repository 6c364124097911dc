import type { Socket } from 'node:net';
import pg from 'pg';
import type { StageOf } from '../failure.ts';
import { type SessionOptions, type SourceServer, serverOf, shortSession, workUntil } from './sockets.ts';
import type { SourceTarget } from './source.ts';
import { stopStatement } from './stop-statement.ts';

/** Logs in over a connection to a checked address and runs `work` in a read-only session. */
export async function withPostgres<T>(
  target: SourceTarget,
  signal: AbortSignal,
  work: (client: pg.Client, server: SourceServer) => Promise<T>,
  { statementTimeoutMs, limits }: SessionOptions = shortSession,
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
  const stop = async (error: unknown) => {
    // A statement that the server failed has ended.
    if (error instanceof pg.DatabaseError) return;
    await stopStatement(server, (beside) => requestCancel(beside, server, client, tlsOf(target)));
  };
  try {
    await Promise.race([client.connect(), over]);
    server.isIn();
    return await workUntil(over, work(client, server), release, stop);
  } finally {
    client.end().catch(() => undefined);
    release();
  }
}

/** The parts of the driver's connection and client that its types leave out. */
interface Messages {
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}
interface SessionKey {
  processID: number | null;
  secretKey: number | null;
}

/** Sends a CancelRequest; the server closes the connection once it has passed it on. */
async function requestCancel(
  socket: Socket,
  { host, port }: SourceServer,
  client: pg.Client,
  ssl: ReturnType<typeof tlsOf>,
): Promise<void> {
  const { processID, secretKey } = client as unknown as SessionKey;
  if (processID === null || secretKey === null) return;
  const connection = new pg.Connection({ stream: () => socket, ssl });
  const messages = connection as unknown as Messages;
  const cancel = () => messages.cancel(processID, secretKey);
  await new Promise<void>((resolve) => {
    connection.once('end', resolve);
    connection.on('error', () => resolve());
    connection.once('connect', () => (ssl === false ? cancel() : messages.requestSsl()));
    connection.once('sslconnect', cancel);
    messages.connect(port, host);
  });
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
