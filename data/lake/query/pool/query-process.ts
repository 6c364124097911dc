import { type ChildProcess, fork } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../../errors.ts';
import type {
  FromProcess,
  ProcessSettings,
  ProcessStatement,
  Settled,
  ToProcess,
} from '../process/messages.ts';
import { tempDirName } from './leftovers.ts';

/** The parent's side of one query process. It runs one statement at a time. */
export interface QueryProcess {
  readonly pid: number | undefined;
  /** Resolves when the engine is open; rejects when the process ended before. */
  readonly ready: Promise<void>;
  /** Resolves once the process is gone and its spill files are removed. */
  readonly ended: Promise<void>;
  /** Resolves when the statement settled, however it did; rejects when the process ended meanwhile. */
  run(statement: ProcessStatement): Promise<Settled>;
  /** Asks the running statement to end; a process that ignores it for a second is killed. */
  interrupt(): void;
  kill(): void;
}

/** How long an interrupted statement may take to notice: it mostly takes 40 ms. */
const interruptGraceMs = 1000;

let processCount = 0;

interface Current {
  statementId: number;
  isInterrupted: boolean;
  settle: (settled: Settled) => void;
  fail: (error: Error) => void;
}

export function startQueryProcess(
  settings: Omit<ProcessSettings, 'tempDir'>,
  workDir: string,
  onStderr: (text: string) => void,
): QueryProcess {
  processCount += 1;
  const tempDir = join(workDir, tempDirName(process.pid, processCount));
  const child = fork(fileURLToPath(new URL('../process/main.ts', import.meta.url)), [], {
    // Nothing of the parent's environment: it holds secrets that a statement's process has no use for.
    env: { TZ: 'UTC', PGCONNECT_TIMEOUT: '10' },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', onStderr);

  let nextStatementId = 0;
  let current: Current | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => undefined);

  child.on('message', (message: FromProcess) => {
    if (message.kind === 'ready') {
      ready.resolve();
    } else if (message.statementId === current?.statementId) {
      settle(current, message);
    }
  });
  function settle(statement: Current, settled: Settled): void {
    clearTimeout(killTimer);
    killTimer = undefined;
    current = undefined;
    statement.settle(settled);
  }
  const exited = new Promise<void>((resolve) => {
    const onGone = () => {
      clearTimeout(killTimer);
      ready.reject(ended());
      current?.fail(ended());
      current = undefined;
      resolve();
    };
    child.on('exit', onGone);
    child.on('error', onGone);
  });
  void mkdir(tempDir, { recursive: true, mode: 0o700 }).then(
    () => send(child, { kind: 'configure', settings: { ...settings, tempDir } }),
    () => child.kill('SIGKILL'),
  );

  return {
    pid: child.pid,
    ready: ready.promise,
    ended: exited.then(() => rm(tempDir, { recursive: true, force: true })),
    run: (statement) => {
      nextStatementId += 1;
      const statementId = nextStatementId;
      return new Promise((resolve, reject) => {
        const starting: Current = { statementId, isInterrupted: false, settle: resolve, fail: reject };
        current = starting;
        const start = () => {
          if (starting.isInterrupted) settle(starting, neverStarted(statementId));
          else send(child, { kind: 'run', statementId, statement });
        };
        // A process that ends before it is ready fails the statement through its exit.
        ready.promise.then(start, () => undefined);
      });
    },
    interrupt: () => {
      if (current === undefined) return;
      current.isInterrupted = true;
      send(child, { kind: 'interrupt', statementId: current.statementId });
      killTimer ??= setTimeout(() => child.kill('SIGKILL'), interruptGraceMs);
    },
    kill: () => child.kill('SIGKILL'),
  };
}

/** A process that just died cannot be sent to; its exit event tells whoever waits. */
function send(child: ChildProcess, message: ToProcess): void {
  if (child.connected) child.send(message, () => undefined);
}

function neverStarted(statementId: number): Settled {
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

function ended(): AppError {
  return new AppError('query_failed', "The query's process ended. Try again.");
}
