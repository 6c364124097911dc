import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

const tailBytes = 64 * 1024;

/** Opens a log for appending; a part that is restarted goes on in the same file. */
export function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, 'a', 0o600);
}

/** Sets the last run's log aside, so that logs stay within two runs. */
export function rotateLog(path: string): void {
  if (existsSync(path)) renameSync(path, `${path}.1`);
}

/** The last lines of a log, read from its end: a log may be large. */
export function lastLines(path: string, count: number): string[] {
  if (!existsSync(path)) return [];
  const file = openSync(path, 'r');
  try {
    const sizeBytes = fstatSync(file).size;
    const buffer = Buffer.alloc(Math.min(sizeBytes, tailBytes));
    readSync(file, buffer, 0, buffer.length, sizeBytes - buffer.length);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-count);
  } finally {
    closeSync(file);
  }
}
