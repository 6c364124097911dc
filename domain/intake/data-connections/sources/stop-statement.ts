import type { Socket } from 'node:net';
import type { SourceServer } from './sockets.ts';

const stopTimeoutMs = 3_000;

/**
 * Asks a session's server, over a second connection, to end the statement that the session runs: a server
 * that computes does not notice that its client is gone. Best effort: a refusal is not reported, as the
 * session has ended for another reason.
 */
export async function stopStatement(
  { beside }: SourceServer,
  ask: (socket: Socket) => Promise<unknown>,
): Promise<void> {
  const socket = beside();
  if (socket === undefined) return;
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  const timer = setTimeout(() => socket.destroy(), stopTimeoutMs);
  try {
    await Promise.race([ask(socket).catch(() => undefined), closed]);
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
