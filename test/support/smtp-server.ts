import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { localhostCertificate } from './localhost-certificate.ts';

/** A step of a session at which the server misbehaves. */
type Step = 'greeting' | 'login' | 'sender' | 'recipient' | 'content' | 'answer';

export interface Misbehaviour {
  /** Answers the step so: `451 Later`. */
  refuse?: { at: Exclude<Step, 'content'>; with: string };
  /** Ends the connection in the midst of the content, or when it has it whole and has not answered. */
  drop?: Exclude<Step, 'login'>;
  /** Says nothing any more from that step on. */
  silentAt?: Exclude<Step, 'content'>;
  /** Before it answers the content. */
  answerDelayMs?: number;
  /** Called when it has a mail whole, before it answers. */
  onMail?(): void | Promise<void>;
}

export interface TestSmtpServer {
  url: string;
  /** Read at every step, so that a test may change it. */
  misbehaviour: Misbehaviour;
  /** What it has, whether its client knows or not. */
  mails: Email[];
  /** Of what it has: those whose addresses came in letters beyond ASCII. */
  utf8Mails: number;
  /** Sessions that have begun. */
  sessions: number;
  /** Logins that were tried. */
  logins: number;
  close(): Promise<void>;
}

export const smtpLogin = { user: 'reports@example.com', password: 'p@ss:word/of%smtp' };

/** A mail server on loopback that takes one user's mails, or anybody's. */
export async function startSmtpServer({
  takesLogin = true,
  tls = 'none' as 'none' | 'starttls' | 'always',
  /** Where one is to come back that was there before. */
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
      // A mail whose client went away before its end is none.
      buffer(stream).then(take, () => undefined);
    },
  });
  // A client that went away is no fault of the server.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.server.address() as AddressInfo;
  const { user, password } = smtpLogin;
  state.url = `${tls === 'always' ? 'smtps' : 'smtp'}://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${address.port}`;
  return state;
}

/** An answer with its code, as the server library wants it. */
function answerOf(line: string): Error {
  return Object.assign(new Error(line.slice(4)), { responseCode: Number(line.slice(0, 3)) });
}
