import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file readable only by its owner, replacing an existing one atomically. */
export function writePrivateFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, path);
}

/** The secret stored in a file, created by the given function if there is none. */
export function keptSecret(path: string, make: () => string): string {
  if (!existsSync(path)) writePrivateFile(path, make());
  return readFileSync(path, 'utf8').trim();
}

/** Parsed JSON of a file, or undefined if the file does not exist. */
export function readJsonFile(path: string): unknown {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
