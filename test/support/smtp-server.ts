import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { localhostCertificate } from './localhost-certificate.ts';

/** A step of a session at which the server misbehaves. */
type Step = 'greeting' | 'login' | 'sender' | 'recipient' | 'content' | 'answer';

export interface Misbehaviour {
  /** The answer at the step: `451 Later`. */
  refuse?: { at: Exclude<Step, 'content'>; with: string };
  /** Ends the connection in the middle of the content, or after the whole content and before the answer. */
  drop?: Exclude<Step, 'login'>;
  /** No more answers from that step on. */
  silentAt?: Exclude<Step, 'content'>;
  /** Delay before it answers the content. */
  answerDelayMs?: number;
  /** Called when it has a complete mail, before it answers. */
  onMail?(): void | Promise<void>;
}

export interface TestSmtpServer {
  url: string;
  /** Read at every step, so that a test may change it. */
  misbehaviour: Misbehaviour;
  /** What it has received, whether or not its client knows. */
  mails: Email[];
  /** The number of received mails whose addresses used non-ASCII letters. */
  utf8Mails: number;
  /** Sessions that have begun. */
  sessions: number;
  /** Login attempts. */
  logins: number;
  close(): Promise<void>;
}

export const smtpLogin = { user: 'reports@example.com', password: 'p@ss:word/of%smtp' };

/** A mail server on loopback that accepts mails of one user, or of anyone. */
export async function startSmtpServer({
  takesLogin = true,
  tls = 'none' as 'none' | 'starttls' | 'always',
  /** Given to restart a server at its previous port. */
  port = 0,
} = {}): Promise<TestSmtpServer> {
  const state: TestSmtpServer = {
    url: '',
    misbehaviour: {},
    mails: [],
    utf8Mails: 0,
    sessions: 0,
    logins: 0,
    close: () => new Promise((resolve) => server.close(resolve)),
  };

  const drop = (sessionId: string) => {
    for (const connection of server.connections)
      if (connection.id === sessionId) connection._socket.destroy();
  };

  function step(at: Exclude<Step, 'content'>, sessionId: string, go: (error?: Error) => void): void {
    const { refuse, silentAt, drop: dropAt } = state.misbehaviour;
    if (silentAt === at) return;
    if (dropAt === at) drop(sessionId);
    else if (refuse?.at === at) go(answerOf(refuse.with));
    else go();
  }

  const server: SMTPServer = new SMTPServer({
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: true,
    ...localhostCertificate,
    secure: tls === 'always',
    disabledCommands: [...(takesLogin ? [] : ['AUTH']), ...(tls === 'starttls' ? [] : ['STARTTLS'])],
    authOptional: !takesLogin,
    closeTimeout: 100,
    disableReverseLookup: true,
    onConnect(session, go) {
      state.sessions += 1;
      step('greeting', session.id, go);
    },
    onAuth({ username, password }, session, go) {
      state.logins += 1;
      const isRight = username === smtpLogin.user && password === smtpLogin.password;
      step('login', session.id, (error) => {
        if (error !== undefined) go(error);
        else if (isRight) go(null, { user: username });
        else go(answerOf('535 Wrong user or password'));
      });
    },
    onMailFrom: (_address, session, go) => step('sender', session.id, go),
    onRcptTo: (_address, session, go) => step('recipient', session.id, go),
    onData(stream, session, go) {
      if (state.misbehaviour.drop === 'content') {
        stream.once('data', () => drop(session.id));
        return;
      }
      const take = async (content: Buffer) => {
        const { refuse, answerDelayMs, onMail } = state.misbehaviour;
        if (refuse?.at !== 'answer') {
          state.mails.push(await PostalMime.parse(content));
          if (session.envelope.smtpUtf8 === true) state.utf8Mails += 1;
        }
        await onMail?.();
        if (answerDelayMs !== undefined) await delay(answerDelayMs);
        step('answer', session.id, (error) => (error ? go(error) : go(null, `OK: queued as ${session.id}`)));
      };
      // A mail whose client disconnected before its end does not count.
      buffer(stream).then(take, () => undefined);
    },
  });
  // A disconnected client is not an error of the server.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.server.address() as AddressInfo;
  const { user, password } = smtpLogin;
  state.url = `${tls === 'always' ? 'smtps' : 'smtp'}://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${address.port}`;
  return state;
}

/** An answer with its code, as the server library expects it. */
function answerOf(line: string): Error {
  return Object.assign(new Error(line.slice(4)), { responseCode: Number(line.slice(0, 3)) });
}
