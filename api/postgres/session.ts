import { errorForLog } from '../../data/error-log.ts';
import { AppError } from '../../data/errors.ts';
import { commandOf, type Statement, statementsOf } from '../../packages/postgres-dialect/index.ts';
import {
  backend,
  type FrontendMessage,
  ProtocolFault,
  readFrontend,
} from '../../packages/postgres-protocol/index.ts';
import { endTransaction } from './command.ts';
import type { Session } from './context.ts';
import { reportOf } from './errors.ts';
import { planOf } from './plan.ts';
import { runPortal } from './portal.ts';
import { createPrepared } from './prepared.ts';

/** A session in which nothing happens ends after this; within a transaction sooner. */
const mostIdleMs = 30 * 60_000;
const mostIdleInTransactionMs = 5 * 60_000;

/** What a cancel request or the end of a token does to the statement that runs. */
export interface Running {
  cancel(): void;
}

/**
 * Serves the messages of a client that has signed in, one after the other, until the connection is closed.
 *
 * @param base The session without what this function makes
 */
export async function serveSession(
  base: Omit<Session, 'deallocate' | 'notify' | 'signal'>,
  onRunning: (running: Running) => void,
): Promise<void> {
  const { connection, transaction } = base;
  let statement = new AbortController();
  onRunning({ cancel: () => statement.abort() });
  const session: Session = {
    ...base,
    deallocate: (name) => prepared.deallocate(name),
    notify: (notice) => connection.send(backend.notice({ severity: 'NOTICE', ...notice })),
    signal: () => statement.signal,
  };
  const prepared = createPrepared(session);
  let ahead: FrontendMessage | undefined;
  /** After an error, messages of a pipeline are skipped up to its end. */
  let skips = false;

  async function next(): Promise<FrontendMessage | undefined> {
    const message = ahead;
    ahead = undefined;
    if (message !== undefined) return message;
    const isIdle = transaction.state === 'idle';
    const raw = await connection.read(isIdle ? mostIdleMs : mostIdleInTransactionMs);
    if (raw !== undefined) return readFrontend(raw);
    if (connection.closed.aborted) return undefined;
    throw isIdle
      ? new ProtocolFault('57P05', 'The session was idle for too long.')
      : new ProtocolFault('25P03', 'The transaction was idle for too long.');
  }

  /** Runs what a message asks for; its failure is told to the client. */
  async function attempt(
    work: () => Promise<void> | void,
    place?: Parameters<typeof reportOf>[1],
  ): Promise<boolean> {
    statement = new AbortController();
    try {
      await work();
      return true;
    } catch (error) {
      if (connection.closed.aborted) return false;
      const isCancelled = statement.signal.aborted;
      const report = isCancelled
        ? ({
            severity: 'ERROR',
            sqlState: '57014',
            message: 'canceling statement due to user request',
          } as const)
        : reportOf(error, place);
      if (!isCancelled && !(error instanceof AppError) && !(error instanceof ProtocolFault))
        session.logger.error(
          { err: errorForLog(error as Error) },
          'a statement of a PostgreSQL session failed',
        );
      connection.send(backend.error(report));
      if (transaction.state === 'open') transaction.state = 'failed';
      return false;
    }
  }

  async function ready(): Promise<void> {
    if (transaction.state === 'idle') prepared.closePortals();
    connection.send(backend.readyForQuery(transaction.state));
    await connection.flush();
  }

  /** All statements of one text; they read one moment, as a transaction would. */
  async function simple(sql: string): Promise<void> {
    const statements = statementsOf(sql);
    if (statements.length === 0) connection.send(backend.emptyQuery());
    const isOne = statements.length > 1 && transaction.state === 'idle' && !statements.some(endsOrBegins);
    if (isOne) transaction.begin();
    for (const each of statements) {
      const isDone = await attempt(
        async () => {
          const plan = planOf(each, session);
          const portal = { plan, values: new Map(), resultFormats: [], describesLater: true };
          const isQuiet = !['query', 'show', 'fetch'].includes(plan.command.kind);
          await runPortal(session, isQuiet ? { ...portal, describesLater: false } : portal, 0);
        },
        { sql: each.sql, start: each.start, whole: sql },
      );
      if (!isDone) break;
    }
    if (isOne) transaction.end();
    await ready();
  }

  async function extended(message: FrontendMessage): Promise<void> {
    const isDone = await attempt(async () => {
      switch (message.kind) {
        case 'parse':
          return prepared.parse(message);
        case 'bind':
          return prepared.bind(message);
        case 'describe': {
          const following = connection.hasMessage() ? await next() : undefined;
          ahead = following;
          const isRunNext =
            message.target.of === 'portal' &&
            following?.kind === 'execute' &&
            following.portal === message.target.name;
          return prepared.describe(message, isRunNext);
        }
        case 'execute':
          return prepared.execute(message);
        case 'close':
          return prepared.close(message);
        default:
          throw new ProtocolFault('0A000', 'Calls of functions by their oids are not supported.');
      }
    });
    if (!isDone) skips = true;
  }

  try {
    for (;;) {
      const message = await next();
      if (message === undefined || message.kind === 'terminate' || connection.closed.aborted) return;
      if (message.kind === 'sync') {
        skips = false;
        await ready();
      } else if (message.kind === 'query') {
        skips = false;
        await simple(message.sql);
      } else if (message.kind === 'flush') await connection.flush();
      else if (message.kind !== 'copy' && !skips) {
        await extended(message);
        if (message.kind === 'call') await ready();
      }
    }
  } finally {
    statement.abort();
    prepared.closePortals();
    for (const cursor of session.cursors.values()) cursor.isHeld = false;
    endTransaction(session);
  }
}

const endsOrBegins = (statement: Statement): boolean =>
  ['begin', 'commit', 'rollback', 'savepoint', 'declare'].includes(commandOf(statement).kind);
