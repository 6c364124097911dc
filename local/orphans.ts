import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A process of this machine, as far as it is visible to us. */
export type SeenProcess = { pid: number; args: readonly string[]; workingDir: string | undefined };

const graceMs = 5_000;
const pollIntervalMs = 50;

/**
 * Ends processes left by an earlier run that was killed. They are identified by their program and by our data
 * directory among their arguments, never by a process id read from a file.
 */
export async function endOrphans(options: {
  isOurs: (seen: SeenProcess) => boolean;
  signal: NodeJS.Signals;
}): Promise<void> {
  const deadlineMs = Date.now() + graceMs;
  let signal = options.signal;
  const signalled = new Set<string>();
  for (;;) {
    const found = listProcesses().filter((seen) => seen.pid !== process.pid && options.isOurs(seen));
    if (found.length === 0) return;
    if (Date.now() > deadlineMs) signal = 'SIGKILL';
    for (const { pid } of found) {
      const key = `${pid} ${signal}`;
      if (!signalled.has(key)) kill(pid, signal);
      signalled.add(key);
    }
    await delay(pollIntervalMs);
  }
}

/** True when the process runs the named program with exactly this argument. */
export function runsWith(seen: SeenProcess, program: string, argument: string): boolean {
  return basename(seen.args[0] ?? '') === program && seen.args.includes(argument);
}

function listProcesses(): SeenProcess[] {
  return process.platform === 'linux' ? listFromProc() : listFromPs();
}

function listFromProc(): SeenProcess[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((name) => {
    try {
      const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').slice(0, -1);
      // A zombie has no arguments; only its parent can remove it.
      return args.length === 0 ? [] : [{ pid: Number(name), args, workingDir: workingDirOf(name) }];
    } catch {
      return [];
    }
  });
}

function workingDirOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function listFromPs(): SeenProcess[] {
  const { stdout } = spawnSync('ps', ['-axww', '-o', 'pid=,args='], { encoding: 'utf8' });
  return stdout.split('\n').flatMap((line) => {
    const [pid, ...args] = line.trim().split(' ');
    return pid ? [{ pid: Number(pid), args, workingDir: undefined }] : [];
  });
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already, or belongs to another user; the port check that follows reports that.
  }
}
