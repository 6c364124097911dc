import { sql } from 'kysely';
import type { Database } from '../../../data/postgres/client.ts';
import { type Account, findAccounts, type Membership, membershipsOf, type Person } from './accounts.ts';
import {
  type Counted,
  countAttempt,
  forgetAttempts,
  isKnownSignIn,
  rememberSignIn,
  takeBackAttempt,
} from './attempts.ts';
import { tryPassword } from './passwords.ts';

export interface SignInAttempt {
  email: string;
  password: string;
  address: string;
  /** Called with each person that a wrong password was for; nothing waits for it. */
  refused?: (person: Person) => void;
}

/**
 * The organizations of whoever signs in with this e-mail and password, that of the last sign-in first;
 * undefined if nobody. An unknown e-mail is counted, and takes as long, as a known one.
 *
 * @throws AppError rate_limited after five wrong passwords of an account or twenty of an address, overloaded
 */
export async function signIn(
  db: Database,
  { email, password, address, refused }: SignInAttempt,
): Promise<[Membership, ...Membership[]] | undefined> {
  const typed = printable(email);
  const found = await countedAttempt(db, { email: typed, address, at: 'sign-in' }, async () => {
    const accounts = await findAccounts(db, typed);
    const { fits } = await tryPassword(password, accounts, address);
    if (fits === undefined && refused !== undefined) void tellAll(db, accounts, refused);
    return fits === undefined
      ? { outcome: 'wrong', memberships: [] }
      : { outcome: 'right', memberships: await membershipsOf(db, fits.id) };
  });
  const [last, ...others] = found.memberships;
  return last && [last, ...others];
}

/** `new`: no account's, and that of a new one from now on. */
export type Outcome = 'right' | 'wrong' | 'new';

/**
 * Counts an attempt at a password of an e-mail, before it is made; the right one is forgotten, and a new one
 * counts for the account alone. From an address that has given the right one before, attempts are counted
 * apart, as those at one-time links are: failures of strangers do not lock out who the account belongs to.
 *
 * @throws AppError rate_limited after five wrong passwords of an account or twenty of an address
 */
export async function countedAttempt<T extends { outcome: Outcome }>(
  db: Database,
  { email, address, at }: { email: string; address: string; at: 'sign-in' | 'link' },
  attempt: () => Promise<T>,
): Promise<T> {
  // Folded by the database, as it finds the account: another spelling is not counted apart.
  const { rows } = await sql<{ folded: string }>`SELECT lower(${email}) AS folded`.execute(db);
  const { folded } = rows[0]!;
  const isKnown = await isKnownSignIn(db, folded, address);
  const apart = at === 'link' ? `link\n${folded}` : isKnown ? `${folded}\n${address}` : folded;
  const account = { kind: 'account', of: apart } as const;
  const from = { kind: 'address', of: address } as const;
  await countAttempt(db, from);
  const counted: Counted[] = [from];
  let result: T;
  try {
    await countAttempt(db, account);
    counted.push(account);
    result = await attempt();
  } catch (error) {
    // Nothing was tried, so nothing has failed.
    for (const account of counted) await takeBackAttempt(db, account);
    throw error;
  }
  if (result.outcome === 'right') {
    await forgetAttempts(db, account);
    await rememberSignIn(db, folded, address);
  }
  if (result.outcome !== 'wrong') await takeBackAttempt(db, from);
  return result;
}

/** Nobody waits for it, so that a known account takes as long as an unknown one. */
async function tellAll(db: Database, accounts: readonly Account[], tell: (person: Person) => void) {
  for (const { id } of accounts) {
    const people = await membershipsOf(db, id).catch(() => []);
    for (const person of people) tell(person);
  }
}

/** No account has control characters in its e-mail, and PostgreSQL takes no NUL. */
const printable = (email: string) => email.replace(/\p{Cc}/gu, '?').toWellFormed();
