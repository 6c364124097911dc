import { timingSafeEqual } from 'node:crypto';
import { AppError } from '../../data/errors.ts';
import { type Database, inOrganization } from '../../data/postgres/client.ts';
import type { Recorder } from '../../domain/workspace/audit/recorder.ts';
import {
  authenticateClient,
  findAccessToken,
  suspended,
} from '../../domain/workspace/organizations/access.ts';
import { ProtocolFault } from '../../packages/postgres-protocol/index.ts';
import type { FailedExchanges } from '../auth/failed-exchanges.ts';

/** Whose session it is. */
export interface SessionCaller {
  organizationId: string;
  kind: 'client' | 'user';
  id: string;
}

export interface SignedIn {
  caller: SessionCaller;
  /** The organization, as the client has named it. */
  database: string;
  /** Whether its secret or token is still valid. */
  isLive(): Promise<boolean>;
}

export interface Credentials {
  user: string;
  password: string;
  database: string | undefined;
  address: string;
}

interface SignInDeps {
  db: Database;
  record: Recorder;
  failures: FailedExchanges;
}

const needed = 'agent:read';

/**
 * Signs a client or a person in: with the id and the secret of a client, or with an access token and the id
 * of the client, or the e-mail address or the id of the person, that it belongs to.
 *
 * @throws AppError, ProtocolFault
 */
export async function signIn(deps: SignInDeps, credentials: Credentials): Promise<SignedIn> {
  const { user, address } = credentials;
  deps.failures.admit(address);
  try {
    const found = await authenticate(deps, credentials);
    const database = await databaseOf(deps.db, found.caller.organizationId, credentials);
    if (found.caller.kind === 'client') await note(deps, found.caller, address);
    return { ...found, database };
  } catch (error) {
    const isFailure =
      error instanceof ProtocolFault || (error instanceof AppError && error.code === 'invalid_client');
    if (!isFailure) throw error;
    const failure = new AppError(
      'invalid_client',
      `password authentication failed for user "${shown(user)}"`,
    );
    const limited = deps.failures.refuse(address, user, failure);
    throw error instanceof ProtocolFault && limited === failure ? error : limited;
  }
}

type Found = Omit<SignedIn, 'database'>;

async function authenticate(deps: SignInDeps, credentials: Credentials): Promise<Found> {
  const { user, password, address } = credentials;
  if (password.startsWith('wat_')) return byToken(deps.db, user, password);
  const refused = (organizationId: string) => {
    const caller = { organizationId, kind: 'client', id: user } as const;
    deps.record(signInOf(caller, address, 'refused')).catch(() => undefined);
  };
  const { organizationId, id, scopes } = await authenticateClient(deps.db, user, password, refused);
  if (!scopes.includes(needed)) throw missingScope();
  const isLive = () =>
    authenticateClient(deps.db, user, password).then(
      (client) => client.scopes.includes(needed),
      (error: unknown) => refusedNow(error),
    );
  return { caller: { organizationId, kind: 'client', id }, isLive };
}

/** A store that can't be reached says nothing about a secret. */
function refusedNow(error: unknown): boolean {
  return !(error instanceof AppError && ['invalid_client', 'organization_suspended'].includes(error.code));
}

async function byToken(db: Database, user: string, password: string): Promise<Found> {
  const token = await findAccessToken(db, password);
  const isValid = token !== undefined && token.revokedAt === null && token.expiresAt.getTime() > Date.now();
  const id = token?.clientId ?? token?.userId ?? '';
  if (!isValid || !(await isNamed(db, token.organizationId, id, user)))
    throw new AppError('invalid_client', 'The access token is not valid for this user.');
  if (token.isSuspended) throw suspended();
  if (!token.scopes.includes(needed)) throw missingScope();
  const { organizationId, clientId } = token;
  const isLive = async () => {
    if (token.expiresAt.getTime() <= Date.now()) return false;
    const now = await findAccessToken(db, password).catch(() => token);
    return now !== undefined && now.revokedAt === null && !now.isSuspended;
  };
  return { caller: { organizationId, kind: clientId === null ? 'user' : 'client', id }, isLive };
}

async function isNamed(db: Database, organizationId: string, id: string, user: string): Promise<boolean> {
  if (same(id, user)) return true;
  const found = await inOrganization(db, organizationId, (transaction) =>
    transaction
      .selectFrom('users')
      .select('email')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .where('removed_at', 'is', null)
      .executeTakeFirst(),
  );
  return found !== undefined && same(found.email.toLowerCase(), user.toLowerCase());
}

function same(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Another organization gets the same answer as one that doesn't exist. */
async function databaseOf(
  db: Database,
  organizationId: string,
  { user, database }: Credentials,
): Promise<string> {
  const { slug } = await inOrganization(db, organizationId, (transaction) =>
    transaction
      .selectFrom('organizations')
      .select('slug')
      .where('id', '=', organizationId)
      .executeTakeFirstOrThrow(),
  );
  // A client that names no database sends the user's name, or nothing.
  if (database === undefined || database === '' || database === user) return slug;
  if (database === organizationId || database.toLowerCase() === slug.toLowerCase()) return database;
  throw new ProtocolFault('3D000', `database "${shown(database)}" does not exist`);
}

async function note({ db, record }: SignInDeps, caller: SessionCaller, address: string): Promise<void> {
  await record(signInOf(caller, address, 'done'));
  await inOrganization(db, caller.organizationId, (transaction) =>
    transaction
      .updateTable('api_clients')
      .set({ last_used_at: new Date() })
      .where('organization_id', '=', caller.organizationId)
      .where('id', '=', caller.id)
      .execute(),
  );
}

function signInOf(caller: SessionCaller, address: string, outcome: 'done' | 'refused') {
  return {
    ...{ organizationId: caller.organizationId, actor: { type: 'client' as const, id: caller.id } },
    ...{ action: 'client.signed_in', resource: { id: caller.id, name: null }, outcome, address },
    ...{ requestId: null, processId: null, detail: { protocol: 'postgresql' } },
  };
}

const missingScope = () => new AppError('missing_scope', `The scope ${needed} is needed to run queries.`);
const shown = (name: string): string => name.slice(0, 200);
