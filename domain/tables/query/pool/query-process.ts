import {
  extensionSource,
  queryExtensions,
  rememberChecked,
} from '../../../../data/lake/engine/extensions.ts';
import { forkChild } from '../../../../data/process-pool/child.ts';
import { childFolder } from '../../../../data/process-pool/leftovers.ts';
import type { PoolProcess } from '../../../../data/process-pool/slots.ts';
import { createFrameReader, type PiecePart } from '../../../../packages/row-formats/index.ts';
import type {
  FromProcess,
  PlainTableNews,
  ProcessSettings,
  ProcessTask,
  SentTask,
  StatementOutcome,
  ToProcess,
} from '../process/messages.ts';
import type { OnPiece } from '../stream/contract.ts';

/** The parent's side of one query process. It runs one statement at a time. */
export interface QueryProcess extends PoolProcess {
  /**
   * Resolves when the statement has settled, whatever its outcome, and what it sent was handed on; rejects if
   * the process has ended. `onPiece` gets pieces in parts, one after the other, until it rejects or the
   * statement is interrupted.
   */
  run(task: ProcessTask, onPiece: OnPiece): Promise<StatementOutcome>;
  /** Interrupts the running statement; a process that ignores it for a second is killed. */
  interrupt(): void;
}

export const queryFolderKind = 'query';

/** The process ended before its statement: it was killed, or the statement crashed the engine. */
export class QueryProcessEnded extends Error {
  override name = 'QueryProcessEnded';

  constructor() {
    super('The process of the query ended before the query did.');
  }
}

/** How long an interrupted statement may take to react; mostly it takes 40 ms. */
const interruptGraceMs = 1000;

/** As many plain tables are known to a process; others are made again when they are named. */
const mostPlainTables = 200;

let processCount = 0;

interface Current {
  statementId: number;
  isInterrupted: boolean;
  onPiece: OnPiece;
  /** Resolved when nothing more is handed on. */
  closed: PromiseWithResolvers<void>;
  isClosed: boolean;
  /** Pieces that have come whole. */
  pieces: number;
  /** Known before the last pieces have come. */
  outcome: StatementOutcome | undefined;
  settle: (settled: StatementOutcome) => void;
  fail: (error: Error) => void;
}

export function startQueryProcess(
  settings: Omit<ProcessSettings, 'tempDir'>,
  workDir: string,
  onStderr: (text: string) => void,
): QueryProcess {
  processCount += 1;
  const folder = childFolder(workDir, queryFolderKind, processCount);
  const source = extensionSource(settings.extensionDir, queryExtensions);
  let nextStatementId = 0;
  let current: Current | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => undefined);

  const child = forkChild<ToProcess, FromProcess>({
    module: new URL('../process/main.ts', import.meta.url),
    folder,
    niceness: 10,
    hasOutput: true,
    // Its heap is small, and the engine wants the other cores: threads that collect cost more than they save.
    nodeFlags: ['--single-threaded-gc'],
    // It does one thing at a time: on one thread, each step of a statement finds its memory and caches warm.
    threadPoolSize: 1,
    onStderr,
    onMessage: (message) => {
      if (message.kind === 'ready') {
        rememberChecked(settings.extensionDir, message.extensionsFromFiles);
        ready.resolve();
      } else if (message.statementId === current?.statementId) {
        current.outcome = message;
        settleIfWhole(current);
      }
    },
  });

  /** Keys of the plain tables that the process knows; least recently used first. */
  const known = new Set<string>();
  function newsFor(task: ProcessTask): PlainTableNews {
    const tables = 'plain' in task ? (task.plain?.tables ?? []) : [];
    const unknown = tables.filter(({ key }) => !known.has(key));
    for (const { key } of tables) known.delete(key);
    const forgotten = [...known].slice(0, Math.max(0, known.size + tables.length - mostPlainTables));
    for (const key of forgotten) known.delete(key);
    for (const { key } of tables) known.add(key);
    return { tables: unknown, forgotten };
  }

  const frames = createFrameReader();
  child.output
    ?.on('error', () => undefined)
    .on('data', (data: Buffer) => {
      child.output!.pause();
      void handOn(data).finally(() => child.output!.resume());
    });
  async function handOn(data: Buffer): Promise<void> {
    for (const part of frames.read(data)) {
      const statement = current;
      if (statement?.statementId !== part.statementId) continue;
      if (!statement.isClosed) await Promise.race([offer(statement, part), statement.closed.promise]);
      if (part.endsPiece) statement.pieces += 1;
      settleIfWhole(statement);
    }
  }
  function settleIfWhole(statement: Current): void {
    const { outcome, pieces } = statement;
    if (statement === current && outcome !== undefined && pieces >= outcome.pieces)
      settle(statement, outcome);
  }
  function settle(statement: Current, settled: StatementOutcome): void {
    clearTimeout(killTimer);
    killTimer = undefined;
    current = undefined;
    statement.settle(settled);
  }
  void child.exited.then(() => {
    clearTimeout(killTimer);
    ready.reject(ended());
    if (current === undefined) return;
    close(current);
    current.fail(ended());
    current = undefined;
  });
  void child.ready.then(() =>
    child.send({ kind: 'configure', settings: { ...settings, ...source, tempDir: folder } }),
  );

  return {
    pid: child.pid,
    ready: ready.promise,
    exited: child.exited,
    ended: child.ended,
    run: (task, onPiece) => {
      if (child.isGone) return Promise.reject(ended());
      nextStatementId += 1;
      const statementId = nextStatementId;
      return new Promise((resolve, reject) => {
        const starting: Current = {
          ...{ statementId, isInterrupted: false, onPiece, outcome: undefined },
          ...{ closed: Promise.withResolvers<void>(), isClosed: false, pieces: 0 },
          ...{ settle: resolve, fail: reject },
        };
        current = starting;
        const start = () => {
          if (starting.isInterrupted) settle(starting, neverStarted(statementId));
          else child.send({ kind: 'run', statementId, task: withKeys(task), news: newsFor(task) });
        };
        // If the process ends before it is ready, its exit fails the statement.
        ready.promise.then(start, () => undefined);
      });
    },
    interrupt: () => {
      if (current === undefined) return;
      current.isInterrupted = true;
      close(current);
      child.send({ kind: 'interrupt', statementId: current.statementId });
      killTimer ??= setTimeout(child.kill, interruptGraceMs);
    },
    kill: child.kill,
  };
}

type WithPlain = Extract<ProcessTask, { kind: 'run' | 'stream' | 'describe' | 'catalog' }>;

const hasPlain = (task: ProcessTask): task is WithPlain =>
  ['run', 'stream', 'describe', 'catalog'].includes(task.kind);

function withKeys(task: ProcessTask): SentTask {
  if (!hasPlain(task)) return task;
  const { plain, ...rest } = task;
  return { ...rest, plain: plain && { ...plain, tables: plain.tables.map(({ key }) => key) } } as SentTask;
}

async function offer(statement: Current, part: PiecePart): Promise<void> {
  await statement.onPiece(part).catch(() => close(statement));
}

/** Nothing more is handed on; what comes is read and dropped, so that the process can end its statement. */
function close(statement: Current): void {
  statement.isClosed = true;
  statement.closed.resolve();
}

function neverStarted(statementId: number): StatementOutcome {
  const message = 'The query was interrupted before it began.';
  return {
    kind: 'failure',
    statementId,
    code: 'query_timeout',
    message,
    privateDetail: undefined,
    isSpent: false,
    pieces: 0,
  };
}

function ended(): QueryProcessEnded {
  return new QueryProcessEnded();
}
