import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpServer } from './smtp-url.ts';

export interface SessionTimeouts {
  /** Limit for name resolution and the connection. */
  connectMs: number;
  /** Limit until sender and recipient are accepted, from the start. */
  envelopeMs: number;
  /** Limit until the content is sent and answered. RFC 5321 lets a server take ten minutes for that. */
  contentMs: number;
}

const usualTimeouts: SessionTimeouts = { connectMs: 20_000, envelopeMs: 90_000, contentMs: 630_000 };

/** nodemailer's error of a failed step. */
export interface SessionFailure extends Error {
  code?: string;
  command?: string;
  /** The server's three-digit reply code, if it sent one. */
  responseCode?: number;
}

type Envelope = { from: string; to: string[]; size: number };

export interface Session {
  /** Connects, greets, starts TLS and logs in. */
  open(): Promise<void>;
  /** The content is not read before the server has accepted sender and recipient and asked for it. */
  deliver(envelope: Envelope, content: AsyncIterable<Buffer>): Promise<{ response: string }>;
  /** A server's text in one line that is safe to show and store. */
  shown(text: string): string;
  /** Ends the session with QUIT, when nothing is in progress. */
  quit(): void;
  /** Closes the session at once; no more content is sent. */
  close(): void;
}

const maxShownLength = 500;
const readAheadBytes = 65_536;
/** The mail is already taken; the caller does not wait for the session to end. */
const quitMs = 2_000;

/** One session with a mail server. Whatever fails, the current step rejects. */
export function createSession(server: SmtpServer, timeouts: Partial<SessionTimeouts>): Session {
  const { connectMs, envelopeMs, contentMs } = { ...usualTimeouts, ...timeouts };
  const { host, port, secure, login } = server;
  const connection = new SMTPConnection({
    host,
    port,
    secure,
    // A password is not sent in the clear to another machine.
    requireTLS: !secure && login !== undefined && !isLoopback(host),
    dnsTimeout: connectMs,
    connectionTimeout: connectMs,
    greetingTimeout: envelopeMs,
    // Longer than the deadlines below, which decide.
    socketTimeout: envelopeMs + contentMs,
    socketCloseTimeout: 0,
    maxResponseSize: 65_536,
    // The machine's host name is private, and may not be resolvable.
    name: '[127.0.0.1]',
    logger: false,
  });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  connection.on('error', failed.reject);
  connection.once('end', () => failed.reject(failure('The mail server ended the session.', 'ECONNECTION')));
  let deadline: NodeJS.Timeout | undefined;

  function within(ms: number): void {
    clearTimeout(deadline);
    deadline = setTimeout(() => {
      failed.reject(failure(`The mail server didn't answer within ${ms / 1_000} seconds.`, 'ETIMEDOUT'));
    }, ms);
  }

  const step = <T>(work: (done: (error?: Error | null, result?: T) => void) => void): Promise<T> =>
    Promise.race([
      failed.promise,
      new Promise<T>((resolve, reject) =>
        work((error, result) => (error ? reject(error) : resolve(result as T))),
      ),
    ]);

  return {
    async open() {
      within(envelopeMs);
      await step<void>((done) => connection.connect(done));
      if (login === undefined) return;
      if (!connection.allowsAuth)
        throw failure("SMTP_URL has a user, but the mail server doesn't support login.", 'EAUTH');
      await step<boolean>((done) =>
        connection.login({ credentials: { user: login.user, pass: login.password } }, done),
      );
    },

    deliver(envelope, content) {
      async function* inTime() {
        within(contentMs);
        yield* content;
      }
      const stream = Readable.from(inTime(), { objectMode: false, highWaterMark: readAheadBytes });
      return step((done) => connection.send(envelope, stream, done));
    },

    shown: (text) => withoutLogin(oneLine(text), login).slice(0, maxShownLength),

    quit() {
      connection.quit();
      clearTimeout(deadline);
      deadline = setTimeout(() => connection.close(), quitMs).unref();
    },

    close() {
      clearTimeout(deadline);
      connection.close();
    },
  };
}

function failure(message: string, code: string): SessionFailure {
  return Object.assign(new Error(message), { code, command: 'CONN' });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}

/** A server may echo what it was sent. */
function withoutLogin(text: string, login: SmtpServer['login']): string {
  if (login === undefined) return text;
  const { user, password } = login;
  const forms = [password, base64(password), base64(`\u0000${user}\u0000${password}`)];
  return forms.reduce((shown, form) => shown.replaceAll(form, '********'), text);
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
