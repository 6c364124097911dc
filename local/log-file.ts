import {
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

const tailBytes = 64 * 1024;
const copyBytes = 1024 * 1024;
/** A larger log is rotated. */
export const maxLogBytes = 16 * 1024 * 1024;
/** Rotated logs that are kept; `.1` is the newest. */
export const keptLogs = 3;
const watchEveryMs = 5_000;

/** Opens a log for appending; a restarted part continues in the same file. */
export function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true });
  return openSync(path, 'a', 0o600);
}

/** Rotates the log of the previous run, while nothing writes to it. */
export function rotateLog(path: string): void {
  if (!existsSync(path)) return;
  shiftKept(path);
  renameSync(path, `${path}.1`);
}

/**
 * Rotates a log that is too large while a running part has it open: copies, then truncates it. The part
 * appends, so it continues at the start of the file, and does not depend on this process or a pipe to write.
 * At most what it writes in the microseconds between the last copy and the truncation is lost.
 */
export function capLog(path: string, maxBytes = maxLogBytes): boolean {
  if (!existsSync(path) || statSync(path).size <= maxBytes) return false;
  const copy = `${path}.new`;
  const source = openSync(path, 'r+');
  const target = openSync(copy, 'w', 0o600);
  try {
    const copied = copyFrom(source, target, 0);
    shiftKept(path);
    renameSync(copy, `${path}.1`);
    copyFrom(source, target, copied);
    ftruncateSync(source, 0);
  } finally {
    closeSync(source);
    closeSync(target);
    // Still exists only if the disk was full: the log is then left as it is.
    rmSync(copy, { force: true });
  }
  return true;
}

/** Rotates large logs from now on; one that cannot be rotated is reported once and retried. */
export function watchLogs(paths: readonly string[], report: (line: string) => void): void {
  const reported = new Set<string>();
  const look = (path: string) => {
    try {
      capLog(path);
      reported.delete(path);
    } catch (error) {
      if (!reported.has(path))
        report(`${path} is too large and can't be rotated: ${(error as Error).message}`);
      reported.add(path);
    }
  };
  setInterval(() => paths.forEach(look), watchEveryMs).unref();
}

function shiftKept(path: string): void {
  for (let index = keptLogs - 1; index >= 1; index -= 1) {
    if (existsSync(`${path}.${index}`)) renameSync(`${path}.${index}`, `${path}.${index + 1}`);
  }
}

/** Appends everything from this position of a file to another one; returns the position reached. */
function copyFrom(source: number, target: number, start: number): number {
  const buffer = Buffer.alloc(copyBytes);
  let at = start;
  for (;;) {
    const read = readSync(source, buffer, 0, buffer.length, at);
    if (read === 0) return at;
    for (let written = 0; written < read; ) written += writeSync(target, buffer, written, read - written);
    at += read;
  }
}

/** The last lines of a log, read from its end, because it may be large. */
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
