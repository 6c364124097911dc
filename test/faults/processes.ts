import { spawnSync } from 'node:child_process';

export interface SeenProcess {
  pid: number;
  parent: number;
  args: string;
  isStopped: boolean;
}

/** The processes of this machine with their parents, without zombies. */
export function listProcesses(): SeenProcess[] {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (match === null || match[3]!.startsWith('Z')) return [];
    return [
      {
        pid: Number(match[1]),
        parent: Number(match[2]),
        args: match[4]!,
        isStopped: match[3]!.startsWith('T'),
      },
    ];
  });
}

/** The process and all of its descendants, the process first. */
export function treeOf(pid: number, seen: readonly SeenProcess[] = listProcesses()): number[] {
  const below = seen.filter(({ parent }) => parent === pid).flatMap((child) => treeOf(child.pid, seen));
  return seen.some((one) => one.pid === pid) ? [pid, ...below] : below;
}

/** False if the process had already ended. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
