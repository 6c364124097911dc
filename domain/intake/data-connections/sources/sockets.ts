import type { LookupAddress } from 'node:dns';
import { Socket } from 'node:net';
import { RemoteFailure } from '../../../../data/outgoing/failure.ts';
import { maxAnswerBytes, type SourceTarget } from './source.ts';
import { createSourceWatch, type SilenceLimits, type SourceWatch } from './watch.ts';

const lookIntervalMs = 50;
/** Detects a server that has disappeared without closing the connection. */
const keepAliveMs = 30_000;

/**
 * Limits of a session that transfers much data. Short sessions are limited by `maxAnswerBytes`, and by the
 * caller's timeout.
 */
export interface SessionLimits extends SilenceLimits {
  /** From the first packet to the end of the login. */
  loginTimeoutMs: number;
}

/**
 * A socket that only connects to the checked addresses, whatever arguments a driver passes: the name is not
 * resolved again, since it could then have another address.
 */
class PinnedSocket extends Socket {
  readonly #host: string;
  readonly #port: number;
  readonly #addresses: readonly LookupAddress[];

  constructor(host: string, port: number, addresses: readonly LookupAddress[]) {
    super();
    this.#host = host;
    this.#port = port;
    this.#addresses = addresses;
  }

  override connect(): this {
    return super.connect({
      host: this.#host,
      port: this.#port,
      autoSelectFamily: true,
      lookup: (_host, { all }, callback) => {
        const [first] = this.#addresses;
        if (all === true) callback(null, [...this.#addresses]);
        else callback(null, first!.address, first!.family);
      },
    });
  }
}

export interface SessionOptions {
  /** Applies to each statement, at the source. */
  statementTimeoutMs: number;
  /** For sessions that transfer much data. */
  limits?: SessionLimits;
}

export const shortSession: SessionOptions = { statementTimeoutMs: 10_000 };

/** A server, the socket to it, and when both end. */
export interface SourceServer {
  host: string;
  port: number;
  socket: Socket;
  /** Rejects when the signal aborts, when a limit is exceeded, and when the connection ends. */
  over: Promise<never>;
  /** Aborted with the reason that `over` rejects with. */
  ended: AbortSignal;
  watch: SourceWatch | undefined;
  /** Called when the login is done. */
  isIn(): void;
  /**
   * Another socket, to the address that this one was connected to: a name's other addresses may be other
   * servers. Undefined if there was no connection.
   */
  beside(): Socket | undefined;
  release(): void;
}

/** Prepares the connection to a source's host and port; the driver then connects the socket. */
export async function serverOf(
  { config, setting, outgoing }: SourceTarget,
  signal: AbortSignal,
  limits?: SessionLimits,
): Promise<SourceServer> {
  const host = String(config['host']);
  const port = Number(setting('port'));
  const socket = new PinnedSocket(host, port, await outgoing.checkAddress(host, port));
  socket.setKeepAlive(true, keepAliveMs);
  let peer: LookupAddress | undefined;
  socket.once('connect', () => {
    const { remoteAddress: address, remoteFamily } = socket;
    if (address !== undefined) peer = { address, family: remoteFamily === 'IPv6' ? 6 : 4 };
  });
  const watch = limits === undefined ? undefined : createSourceWatch(limits);
  const ended = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let loginTimer: NodeJS.Timeout | undefined;
  let stop: () => void = () => undefined;
  let lose: (reason: unknown) => void = () => undefined;
  const over = new Promise<never>((_, reject) => {
    lose = (reason) => {
      reject(reason);
      ended.abort(reason);
    };
    const end = (reason: unknown) => {
      lose(reason);
      socket.destroy();
    };
    stop = () => end(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    timer = setInterval(() => {
      const fault =
        watch === undefined ? tooMuch(socket.bytesRead) : watch.fault(socket.bytesRead, Date.now());
      if (fault !== undefined) end(fault);
    }, lookIntervalMs);
    if (limits !== undefined)
      loginTimer = setTimeout(
        () =>
          end(
            new RemoteFailure(
              'connect',
              `The source did not complete the login within ${limits.loginTimeoutMs / 1_000} s.`,
            ),
          ),
        limits.loginTimeoutMs,
      );
  });
  over.catch(() => undefined);
  socket.once('close', () => {
    lose(new RemoteFailure('connect', 'The source closed the connection.'));
  });
  // The reader gets the error; a later one must not end the process.
  socket.on('error', () => undefined);
  return {
    host,
    port,
    socket,
    over,
    ended: ended.signal,
    watch,
    isIn: () => clearTimeout(loginTimer),
    beside: () => (peer === undefined ? undefined : new PinnedSocket(host, port, [peer])),
    release() {
      clearInterval(timer);
      clearTimeout(loginTimer);
      signal.removeEventListener('abort', stop);
      socket.destroy();
    },
  };
}

function tooMuch(bytes: number): RemoteFailure | undefined {
  if (bytes <= maxAnswerBytes) return undefined;
  return new RemoteFailure(
    'request',
    `The source's answer is larger than ${maxAnswerBytes / 1_048_576} MiB.`,
  );
}

/** Maximum time for work to clean up after its connection ended. */
const cleanUpTimeoutMs = 5_000;

/**
 * Runs work in a session until the session is over for any reason. Interrupted work cleans up before this
 * rejects: `release` ends its connection first, because a driver reports no end of a connection that it
 * closed itself. `stopStatement` ends what the server may still run.
 */
export async function workUntil<T>(
  over: Promise<never>,
  working: Promise<T>,
  release: () => void,
  stopStatement: (error: unknown) => Promise<void>,
): Promise<T> {
  try {
    return await Promise.race([working, over]);
  } catch (error) {
    const stopped = stopStatement(error);
    release();
    await Promise.all([stopped, cleanedUp(working)]);
    throw error;
  }
}

async function cleanedUp(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, cleanUpTimeoutMs);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
