import { fork } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { setPriority } from 'node:os';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { processEnvironment } from '../process-environment.ts';

/** A child process of our own code that does one kind of work for this process, and ends with it. */
export interface Child<To> {
  readonly pid: number | undefined;
  /** Its own folder, which exists once `ready` resolves. */
  readonly folder: string;
  readonly isGone: boolean;
  /** Resolves when the folder exists and messages can be sent. */
  readonly ready: Promise<void>;
  /** Resolves once the process is gone. */
  readonly exited: Promise<void>;
  /** Resolves once the process is gone and its folder is removed. */
  readonly ended: Promise<void>;
  /** What the process writes to its file 4, if it was given one. */
  readonly output: Readable | undefined;
  /** Does nothing if the process has just died; `exited` reports that. */
  send(message: To): void;
  kill(): void;
}

export interface ChildOptions<From> {
  module: URL;
  folder: string;
  /** Added to the nice value, so that processes serving people go first. */
  niceness: number;
  /** Whether it gets a file 4 to write bytes to, which as messages would be copied four times. */
  hasOutput?: boolean;
  nodeFlags?: string[];
  /** Threads that asynchronous native work runs on; libuv's default is 4. */
  threadPoolSize?: number;
  onMessage(message: From): void;
  onStderr(text: string): void;
}

export function forkChild<To extends object, From>(options: ChildOptions<From>): Child<To> {
  const { folder } = options;
  const child = fork(options.module, [], {
    // The parent's environment is not passed on: it contains secrets that the child does not need.
    env: {
      TZ: 'UTC',
      PGCONNECT_TIMEOUT: '10',
      ...(options.threadPoolSize === undefined ? {} : { UV_THREADPOOL_SIZE: String(options.threadPoolSize) }),
      ...processEnvironment,
      ...compileCache(),
    },
    execArgv: options.nodeFlags ?? [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc', options.hasOutput === true ? 'pipe' : 'ignore'],
  });
  child.stderr?.setEncoding('utf8').on('data', options.onStderr);
  child.on('message', (message) => options.onMessage(message as From));
  lowerPriority(child.pid, options.niceness);
  let isGone = false;
  const exited = new Promise<void>((resolve) => {
    const onGone = () => {
      isGone = true;
      resolve();
    };
    child.once('exit', onGone);
    child.once('error', onGone);
  });
  const ready = mkdir(folder, { recursive: true, mode: 0o700 }).then(
    () => undefined,
    () => void child.kill('SIGKILL'),
  );
  return {
    pid: child.pid,
    folder,
    get isGone() {
      return isGone;
    },
    ready,
    output: (child.stdio[4] as Readable | null | undefined) ?? undefined,
    exited,
    ended: exited.then(() => rm(folder, { recursive: true, force: true })).catch(() => undefined),
    send: (message) => {
      if (child.connected) child.send(message, () => undefined);
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Passes on Node's compile cache, if enabled: such a process starts in a third of the time. */
function compileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

function lowerPriority(pid: number | undefined, niceness: number): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness);
  } catch {
    // The process has already ended, or the system does not allow it; the work is done either way.
  }
}
