import type { SecureContext } from 'node:tls';
import {
  backend,
  ProtocolFault,
  readPassword,
  readStartup,
  type Startup,
} from '../../packages/postgres-protocol/index.ts';
import type { Connection } from './connection.ts';
import type { Credentials, SignedIn } from './sign-in.ts';

export type SessionStart = Extract<Startup, { kind: 'session' }>;
export type CancelRequest = Extract<Startup, { kind: 'cancel' }>;

const no = Buffer.from('N');
const yes = Buffer.from('S');
/** A client asks for encryption once in each way. */
const mostQuestions = 4;

/**
 * Answers what a client asks before its session begins; undefined if it has gone.
 *
 * @throws ProtocolFault
 */
export async function beginSession(
  connection: Connection,
  context: SecureContext | undefined,
  leftMs: () => number,
): Promise<SessionStart | CancelRequest | undefined> {
  for (let question = 1; question <= mostQuestions; question += 1) {
    const body = await connection.readStartup(leftMs());
    if (body === undefined) return undefined;
    const startup = readStartup(body);
    if (startup.kind === 'session' || startup.kind === 'cancel') return startup;
    const encrypts = startup.kind === 'tls' && context !== undefined && !connection.isEncrypted;
    connection.send(encrypts ? yes : no);
    await connection.flush();
    if (encrypts) connection.upgrade(context);
  }
  throw new ProtocolFault('08P01', 'The client asks for encryption too often.');
}

/** Asks for the password. A password is never read from an unencrypted connection of another machine. */
export async function askPassword(
  connection: Connection,
  start: SessionStart,
  signIn: (credentials: Credentials) => Promise<SignedIn>,
  leftMs: () => number,
): Promise<{ signedIn: SignedIn; user: string } | undefined> {
  const { parameters, minorVersion } = start;
  const user = parameters.get('user');
  if (user === undefined || user === '')
    throw new ProtocolFault('28000', 'no PostgreSQL user name specified in startup packet');
  if (parameters.has('replication') && !/^(?:false|off|no|0)$/i.test(parameters.get('replication')!))
    throw new ProtocolFault('0A000', 'Replication is not supported.');
  if (!connection.isEncrypted && !connection.isLoopback)
    throw new ProtocolFault('28000', 'This server takes passwords over TLS only. Set sslmode to require.');
  const unknown = [...parameters.keys()].filter((name) => name.startsWith('_pq_.'));
  if (minorVersion > 0 || unknown.length > 0) connection.send(backend.negotiateVersion(0, unknown));
  connection.send(backend.cleartextPassword());
  await connection.flush();
  const message = await connection.read(leftMs());
  if (message === undefined) return undefined;
  const password = readPassword(message);
  const { address } = connection;
  return { signedIn: await signIn({ user, password, database: parameters.get('database'), address }), user };
}
