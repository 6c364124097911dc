import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { errorForLog } from '../../data/error-log.ts';
import { AppError } from '../../data/errors.ts';
import type { Recorder } from '../../domain/workspace/audit/recorder.ts';
import { limits } from '../../domain/workspace/limits/limits.ts';
import { backend, ProtocolFault } from '../../packages/postgres-protocol/index.ts';
import { failedExchanges } from '../auth/failed-exchanges.ts';
import type { ApiDeps } from '../deps.ts';
import { type Connection, openConnection } from './connection.ts';
import { rememberContent } from './content.ts';
import { reportOf } from './errors.ts';
import { type Running, serveSession } from './session.ts';
import { createSettings } from './settings.ts';
import { type SessionCaller, type SignedIn, signIn } from './sign-in.ts';
import { askPassword, beginSession, type CancelRequest, type SessionStart } from './startup.ts';
import { createTransaction } from './transaction.ts';

export interface PostgresOptions {
  deps: ApiDeps;
  record: Recorder;
  /** Counts a statement towards the rate limit of its caller. */
  admit: (caller: SessionCaller) => void;
  tls: SecureContext | undefined;
  /** How often secrets and tokens are looked up again; 20 s by default. */
  checkIntervalMs?: number;
}

export interface PostgresListener {
  listen(port: number, host: string): Promise<number>;
  close(): Promise<void>;
  /** Sessions that have signed in. */
  sessions(): number;
}

const { mostSessions, mostSessionsInAll, messageBytes } = {
  mostSessions: limits.postgres.sessions.most,
  mostSessionsInAll: limits.postgres.sessionsInAll.most,
  messageBytes: limits.postgres.messageBytes.most,
};
/** Connections that have not signed in; the oldest makes room for the next. */
const mostStarting = 100;
const startupMs = 15_000;
const checkMs = 20_000;

interface OpenSession {
  caller: SessionCaller;
  secret: Buffer;
  running: Running | undefined;
}

/** Serves PostgreSQL's clients: each connection is a session of a client or a person. */
export function createPostgresListener(options: PostgresOptions): PostgresListener {
  const { deps, record, tls, checkIntervalMs = checkMs } = options;
  const failures = failedExchanges();
  const sessions = new Map<number, OpenSession>();
  const starting = new Set<Socket>();
  const connections = new Set<Socket>();
  let nextId = 1;

  const server = createServer({ allowHalfOpen: false }, (socket) => {
    connections.add(socket);
    starting.add(socket);
    socket.once('close', () => {
      connections.delete(socket);
      starting.delete(socket);
    });
    if (starting.size > mostStarting) {
      const [oldest] = starting;
      starting.delete(oldest!);
      oldest!.destroy();
    }
    const connection = openConnection(socket);
    serve(socket, connection).catch((error: unknown) => refuse(connection, error));
  });

  function refuse(connection: Connection, error: unknown): void {
    const isExpected = error instanceof ProtocolFault || error instanceof AppError;
    if (!isExpected && !connection.closed.aborted)
      deps.logger.error({ err: errorForLog(error as Error) }, 'a PostgreSQL session failed');
    connection.send(backend.error({ ...reportOf(error), severity: 'FATAL' }));
    connection.end();
  }

  async function serve(socket: Socket, connection: Connection): Promise<void> {
    const untilMs = performance.now() + startupMs;
    const leftMs = () => Math.max(0, untilMs - performance.now());
    const start = await beginSession(connection, tls, leftMs);
    if (start === undefined) return connection.end();
    if (start.kind === 'cancel') {
      cancel(start);
      return connection.end();
    }
    const begun = await askPassword(
      connection,
      start,
      (credentials) => signIn({ db: deps.db, record, failures }, credentials),
      leftMs,
    );
    if (begun === undefined) return connection.end();
    starting.delete(socket);
    await converse(connection, start, begun);
    connection.end();
  }

  async function converse(
    connection: Connection,
    { parameters }: SessionStart,
    { signedIn, user }: { signedIn: SignedIn; user: string },
  ): Promise<void> {
    const { caller, database, isLive } = signedIn;
    refuseTooMany(caller);
    const session: OpenSession = { caller, secret: randomBytes(4), running: undefined };
    const processId = freeId();
    sessions.set(processId, session);
    const check = setInterval(() => {
      void isLive().then((isStill) => {
        if (isStill || connection.closed.aborted) return;
        refuse(
          connection,
          new ProtocolFault('28000', 'The secret or the token of this session is no longer valid.'),
        );
      });
    }, checkIntervalMs);
    try {
      const settings = createSettings({
        ...{ session_authorization: user, ssl: connection.isEncrypted ? 'on' : 'off' },
        application_name: (parameters.get('application_name') ?? '').slice(0, 200),
      });
      connection.allow(messageBytes);
      connection.send(backend.authenticationOk());
      for (const [name, value] of settings.reported()) connection.send(backend.parameterStatus(name, value));
      connection.send(backend.keyData(processId, session.secret));
      connection.send(backend.readyForQuery('idle'));
      await connection.flush();
      await serveSession(
        {
          ...{ deps, logger: deps.logger, connection, caller, database, user, processId, settings },
          ...{ transaction: createTransaction(deps), cursors: new Map(), admit: () => options.admit(caller) },
          content: rememberContent(deps, caller),
        },
        (running) => {
          session.running = running;
        },
      );
    } finally {
      clearInterval(check);
      sessions.delete(processId);
    }
  }

  function refuseTooMany({ organizationId }: SessionCaller): void {
    const own = [...sessions.values()].filter(({ caller }) => caller.organizationId === organizationId);
    if (sessions.size < mostSessionsInAll && own.length < mostSessions) return;
    const whose =
      own.length >= mostSessions ? `An organization has up to ${mostSessions}` : 'The server has too many';
    throw new ProtocolFault('53300', `${whose} sessions at a time. Close one first.`);
  }

  function freeId(): number {
    do nextId = nextId >= 2 ** 31 - 1 ? 1 : nextId + 1;
    while (sessions.has(nextId));
    return nextId;
  }

  /** Whoever knows the key of a session may cancel its statement; nothing is answered either way. */
  function cancel({ processId, secret }: CancelRequest): void {
    const session = sessions.get(processId);
    const known = session?.secret ?? randomBytes(4);
    const isKnown = secret.length === known.length && timingSafeEqual(secret, known);
    if (isKnown) session?.running?.cancel();
  }

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
      }),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of connections) socket.destroy();
      await closed;
    },
    sessions: () => sessions.size,
  };
}
