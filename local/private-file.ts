import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes a file only its owner may read, replacing what was there at once: a reader sees the old or the new.
 */
export function writePrivateFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, path);
}

/** The secret kept in a file, made by the given function when there is none yet. */
export function keptSecret(path: string, make: () => string): string {
  if (!existsSync(path)) writePrivateFile(path, make());
  return readFileSync(path, 'utf8').trim();
}

/** Parsed JSON of a file, or undefined when there is no such file. */
export function readJsonFile(path: string): unknown {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
