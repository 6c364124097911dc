import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A name that one process at a time can hold. The operating system frees it when the process dies. */
export type Lock = { release(): Promise<void> };

/**
 * Takes the lock, or returns undefined if another process has it. A listening socket serves as the lock
 * because, unlike a file with a process id, it cannot become stale: on Linux it has no file at all.
 */
export async function tryLock(name: string): Promise<Lock | undefined> {
  const address = addressOf(name);
  const server = await listen(address);
  if (server !== undefined) return lockOf(server);
  if (process.platform === 'linux' || (await ownerOf(name)) !== undefined) return undefined;
  rmSync(address, { force: true });
  const second = await listen(address);
  return second === undefined ? undefined : lockOf(second);
}

/** Process id of the lock's holder, for error messages. */
export function ownerOf(name: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(addressOf(name));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('error', () => resolve(undefined));
    socket.on('end', () => resolve(Number(answer)));
  });
}

function addressOf(name: string): string {
  const key = `workspace-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  return process.platform === 'linux' ? `\0${key}` : join(tmpdir(), `${key}.sock`);
}

function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end(String(process.pid));
    });
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => resolve(server));
  });
}

function lockOf(server: Server): Lock {
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}
