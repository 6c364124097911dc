import { forkChild } from '../../../../data/process-pool/child.ts';
import { childFolder } from '../../../../data/process-pool/leftovers.ts';
import type { PoolProcess } from '../../../../data/process-pool/slots.ts';
import type {
  FromProcess,
  ProcessSettings,
  ProcessTask,
  StatementOutcome,
  ToProcess,
} from '../process/messages.ts';
import type { OnPiece, Piece } from '../stream/contract.ts';

/** The parent's side of one query process. It runs one statement at a time. */
export interface QueryProcess extends PoolProcess {
  /**
   * Resolves when the statement has settled, whatever its outcome; rejects if the process has ended. A piece
   * that `onPiece` does not resolve is never followed by more than one.
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

let processCount = 0;

interface Current {
  statementId: number;
  isInterrupted: boolean;
  onPiece: OnPiece;
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
  let nextStatementId = 0;
  let current: Current | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => undefined);

  const child = forkChild<ToProcess, FromProcess>({
    module: new URL('../process/main.ts', import.meta.url),
    folder,
    niceness: 10,
    onStderr,
    onMessage: (message) => {
      if (message.kind === 'ready') ready.resolve();
      else if (message.statementId !== current?.statementId) return;
      else if (message.kind === 'chunk') handOn(current, message);
      else settle(current, message);
    },
  });
  function handOn({ statementId, onPiece }: Current, { bytes, rowCount, endsFile }: Piece): void {
    onPiece({ bytes, rowCount, endsFile }).then(
      () => child.send({ kind: 'taken', statementId }),
      () => undefined,
    );
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
    current?.fail(ended());
    current = undefined;
  });
  void child.ready.then(() => child.send({ kind: 'configure', settings: { ...settings, tempDir: folder } }));

  return {
    pid: child.pid,
    exited: child.exited,
    ended: child.ended,
    run: (task, onPiece) => {
      if (child.isGone) return Promise.reject(ended());
      nextStatementId += 1;
      const statementId = nextStatementId;
      return new Promise((resolve, reject) => {
        const starting: Current = {
          ...{ statementId, isInterrupted: false, onPiece },
          ...{ settle: resolve, fail: reject },
        };
        current = starting;
        const start = () => {
          if (starting.isInterrupted) settle(starting, neverStarted(statementId));
          else child.send({ kind: 'run', statementId, task });
        };
        // If the process ends before it is ready, its exit fails the statement.
        ready.promise.then(start, () => undefined);
      });
    },
    interrupt: () => {
      if (current === undefined) return;
      current.isInterrupted = true;
      child.send({ kind: 'interrupt', statementId: current.statementId });
      killTimer ??= setTimeout(child.kill, interruptGraceMs);
    },
    kill: child.kill,
  };
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
  };
}

function ended(): QueryProcessEnded {
  return new QueryProcessEnded();
}
