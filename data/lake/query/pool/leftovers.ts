import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where a query process spills: named after its parent, so that what a dead parent left can be told. */
export function tempDirName(parentPid: number, count: number): string {
  return `query-${parentPid}-${count}`;
}

/** Removes the spill files of parents that were killed; a parent that lives removes its own. */
export async function removeLeftovers(workDir: string): Promise<void> {
  const names = await readdir(workDir).catch(() => []);
  for (const name of names) {
    const parentPid = Number(/^query-(\d+)-\d+$/.exec(name)?.[1]);
    if (Number.isInteger(parentPid) && !isAlive(parentPid)) {
      await rm(join(workDir, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
