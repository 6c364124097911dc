import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import {
  createMessageReader,
  type MessageReader,
  ProtocolFault,
  type RawMessage,
} from '../../packages/postgres-protocol/index.ts';

/** The socket of one client, with messages in and bytes out. */
export interface Connection {
  readonly address: string;
  readonly isEncrypted: boolean;
  /** Whether the client is on this machine. */
  readonly isLoopback: boolean;
  /** Aborted when the connection is closed, by whichever side. */
  readonly closed: AbortSignal;
  /** The next message; undefined if the connection is closed, or none comes in time. */
  read(waitMs: number): Promise<RawMessage | undefined>;
  /** Whether a message has come that was not read yet. */
  hasMessage(): boolean;
  readStartup(waitMs: number): Promise<Buffer | undefined>;
  /** From now on messages can have as many bytes. */
  allow(mostBytes: number): void;
  /** Keeps bytes for the next flush. */
  send(bytes: Uint8Array): void;
  /** Writes what is kept. Resolves when the client takes it; rejects if it takes nothing for too long. */
  flush(): Promise<void>;
  upgrade(context: SecureContext): void;
  /** Writes what is kept, and closes. */
  end(): void;
}

/** Of a client that has not signed in. */
const firstMostBytes = 10_000;
/** Messages of a pipeline are kept, up to as many bytes, while the first of them is performed. */
const keptBytes = 1_048_576;
/** As many bytes are written together. */
const writtenBytes = 65_536;
/** A client that takes nothing for so long is disconnected: meanwhile it may hold a process. */
const mostUnreadMs = 30_000;

export function openConnection(plain: Socket): Connection {
  let socket: Socket = plain;
  let mostBytes = firstMostBytes;
  let reader: MessageReader = createMessageReader(() => mostBytes);
  let wake: (() => void) | undefined;
  let looked: RawMessage | undefined;
  let kept: Uint8Array[] = [];
  let keptLength = 0;
  const closing = new AbortController();
  const address = plain.remoteAddress ?? '';

  function attach(): void {
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', close);
    // A client that has said its last word gets no more answers.
    socket.on('end', close);
    socket.on('data', (data) => {
      reader.push(data as Buffer);
      if (reader.keptBytes > keptBytes + mostBytes) socket.pause();
      wake?.();
    });
  }
  function close(): void {
    closing.abort();
    wake?.();
  }
  attach();

  async function next<T>(take: () => T | undefined, waitMs: number): Promise<T | undefined> {
    const untilMs = performance.now() + waitMs;
    for (;;) {
      const found = take();
      if (found !== undefined) return found;
      const leftMs = untilMs - performance.now();
      if (closing.signal.aborted || leftMs <= 0) return undefined;
      if (socket.isPaused()) socket.resume();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      wake = undefined;
    }
  }

  function take(): RawMessage | undefined {
    const message = looked ?? reader.next();
    looked = undefined;
    return message;
  }

  function write(): boolean {
    if (keptLength === 0 || !socket.writable) return true;
    const bytes = kept.length === 1 ? kept[0]! : Buffer.concat(kept);
    kept = [];
    keptLength = 0;
    return socket.write(bytes);
  }

  function drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (error?: Error) => {
        clearTimeout(timer);
        socket.off('drain', done);
        closing.signal.removeEventListener('abort', gone);
        if (error instanceof Error) reject(error);
        else resolve();
      };
      const gone = () => done(new ProtocolFault('08006', 'The connection is closed.'));
      const timer = setTimeout(() => {
        socket.destroy();
        gone();
      }, mostUnreadMs);
      socket.once('drain', done);
      closing.signal.addEventListener('abort', gone);
      if (closing.signal.aborted) gone();
    });
  }

  return {
    address,
    isLoopback: /^(?:::ffff:)?127\.|^::1$/.test(address),
    get isEncrypted() {
      return socket instanceof TLSSocket;
    },
    closed: closing.signal,
    read: (waitMs) => next(take, waitMs),
    hasMessage: () => {
      looked = take();
      return looked !== undefined;
    },
    readStartup: (waitMs) => next(() => reader.nextStartup(), waitMs),
    allow: (bytes) => {
      mostBytes = bytes;
    },
    send(bytes) {
      kept.push(bytes);
      keptLength += bytes.length;
      if (keptLength >= writtenBytes) write();
    },
    async flush() {
      write();
      if (closing.signal.aborted) throw new ProtocolFault('08006', 'The connection is closed.');
      if (socket.writableNeedDrain) await drained();
    },
    upgrade(context) {
      // What was sent before the handshake could be anybody's.
      if (reader.keptBytes > 0) throw new ProtocolFault('08P01', 'Bytes came before the TLS handshake.');
      socket.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close');
      socket.pause();
      socket = new TLSSocket(socket, { isServer: true, secureContext: context });
      reader = createMessageReader(() => mostBytes);
      attach();
    },
    end() {
      write();
      socket.end();
      const timer = setTimeout(() => socket.destroy(), 1_000);
      socket.once('close', () => clearTimeout(timer));
      close();
    },
  };
}
