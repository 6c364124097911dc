import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A child's folder, named after its parent so that leftovers of a dead parent can be recognised. */
export function childFolder(workDir: string, kind: string, count: number): string {
  return join(workDir, `${kind}-${process.pid}-${count}`);
}

/** Removes the folders of parents that were killed; a live parent removes its own. */
export async function removeLeftovers(workDir: string, kind: string): Promise<void> {
  const names = await readdir(workDir).catch(() => []);
  for (const name of names) {
    const [ownKind, pid, count] = name.split('-');
    const parentPid = Number(pid);
    if (ownKind !== kind || count === undefined || !Number.isInteger(parentPid) || isAlive(parentPid))
      continue;
    await rm(join(workDir, name), { recursive: true, force: true }).catch(() => undefined);
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
