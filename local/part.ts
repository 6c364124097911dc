import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { lastLines, openLog } from './log-file.ts';

export type PartName = 'api' | 'worker' | 'temporal' | 's3' | 'mail' | 'postgres';

/** How a part's process ended, in words: `exit code 1`, `SIGKILL`. */
export type PartExit = { reason: string };

/** A running process of the stack. */
export type PartHandle = {
  name: PartName;
  pid: number;
  /** Settles when the process has ended, for any reason; never rejects. */
  exited: Promise<PartExit>;
  /** Asks the process to end, and kills it with its children if it has not ended in time. */
  stop(timeoutMs?: number): Promise<void>;
  /** Kills the process and its children at once. */
  kill(): void;
};

export type PartCommand = {
  name: PartName;
  command: string;
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
  workingDir: string;
  logFile: string;
  stopSignal: NodeJS.Signals;
  /** PostgreSQL ends its child processes on SIGQUIT; all others use SIGKILL. */
  killSignal?: NodeJS.Signals;
  /** Whether to open a message channel, for parts that are our own code. */
  channel?: boolean;
  uid?: number;
  gid?: number;
};

const stopTimeoutMs = 10_000;
const killTimeoutMs = 2_000;
const probeIntervalMs = 50;

/** Whenever this process exits except by SIGKILL, what it launched is killed. */
const running = new Set<PartHandle>();
process.on('exit', () => {
  for (const part of running) part.kill();
});

/**
 * Launches a process in its own group: a Ctrl-C in the terminal reaches only the supervisor, which stops the
 * parts in order, and a part's children can be killed with it.
 */
export function launchPart(options: PartCommand): { handle: PartHandle; child: ChildProcess } {
  mkdirSync(options.workingDir, { recursive: true });
  const log = openLog(options.logFile);
  writeSync(log, `--- ${new Date().toISOString()} ${options.name} starts\n`);
  const child = spawn(options.command, options.args, {
    cwd: options.workingDir,
    env: options.environment,
    detached: true,
    stdio: options.channel ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.gid }),
  });
  closeSync(log);
  const exited = new Promise<PartExit>((resolve) => {
    child.once('error', (error) => resolve({ reason: error.message }));
    child.once('exit', (code, signal) => resolve({ reason: signal ?? `exit code ${code}` }));
  });
  if (child.pid === undefined) throw new Error(`${options.command} can't be run.`);
  const handle = handleOf(options, child.pid, exited);
  running.add(handle);
  void exited.then(() => {
    running.delete(handle);
    signalGroup(handle.pid, 'SIGKILL');
  });
  return { handle, child };
}

function handleOf(options: PartCommand, pid: number, exited: Promise<PartExit>): PartHandle {
  return {
    name: options.name,
    pid,
    exited,
    kill: () => signalGroup(pid, options.killSignal ?? 'SIGKILL'),
    async stop(timeoutMs = stopTimeoutMs) {
      signalProcess(pid, options.stopSignal);
      if (await settlesWithin(exited, timeoutMs)) return;
      signalGroup(pid, options.killSignal ?? 'SIGKILL');
      if (await settlesWithin(exited, killTimeoutMs)) return;
      signalGroup(pid, 'SIGKILL');
      await exited;
    },
  };
}

/**
 * Waits until the probe succeeds. As another process may answer on the port, the part must still be running
 * after it. Otherwise the part is stopped, and the error contains the last lines of its log.
 */
export async function untilReady(
  handle: PartHandle,
  options: { logFile: string; timeoutMs: number; probe: () => Promise<boolean> },
): Promise<void> {
  const deadlineMs = Date.now() + options.timeoutMs;
  const ended = handle.exited.then((exit) => exit.reason);
  while (Date.now() < deadlineMs) {
    const answered = await options.probe().catch(() => false);
    const reason = await Promise.race([ended, delay(probeIntervalMs, undefined)]);
    if (reason !== undefined) throw new Error(describe(handle.name, reason, options.logFile));
    if (answered) return;
  }
  await handle.stop(0);
  throw new Error(describe(handle.name, `not ready within ${options.timeoutMs / 1000} s`, options.logFile));
}

/** Why a part is not running, with the end of its log. */
export function describe(name: PartName, reason: string, logFile: string): string {
  return [`${name} ended: ${reason}. The end of ${logFile}:`, ...lastLines(logFile, 15)].join('\n  ');
}

async function settlesWithin(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(timeoutMs, 'late', { signal: timer.signal }).catch(() => 'late');
  const first = await Promise.race([promise, late]);
  timer.abort();
  return first !== 'late';
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  signalProcess(-pid, signal);
}
