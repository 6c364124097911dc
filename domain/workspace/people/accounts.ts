import { sql } from 'kysely';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import {
  type Counted,
  countAttempt,
  forgetAttempts,
  isKnownSignIn,
  rememberSignIn,
  takeBackAttempt,
} from './attempts.ts';
import { passwordMatches } from './passwords.ts';

/** A person of an organization. */
export interface Person {
  organizationId: string;
  userId: string;
}

export interface SignInAttempt {
  email: string;
  password: string;
  address: string;
  /** Called with the account that a wrong password was for; nothing waits for it. */
  refused?: (person: Person) => void;
}

/**
 * Who signs in with this e-mail and password; undefined if nobody. An unknown e-mail is counted, and takes as
 * long, as a known one. From an address that has signed in to the account before, attempts are counted apart:
 * failures of strangers do not lock out who the account belongs to.
 *
 * @throws AppError rate_limited after five wrong passwords of an account or twenty of an address, overloaded
 */
export async function signIn(
  db: Database,
  { email, password, address, refused }: SignInAttempt,
): Promise<Person | undefined> {
  // Folded by the database, as it finds the account: another spelling is not counted apart.
  const { rows } = await sql<{
    folded: string;
    organization_id: string | null;
    id: string;
    password_hash: string;
  }>`
    SELECT lower(given) AS folded, a.* FROM (VALUES (${printable(email)})) AS typed (given)
    LEFT JOIN find_account(given) AS a ON true`.execute(db);
  const { folded, organization_id: organizationId, id, password_hash: hash } = rows[0]!;
  const isKnown = await isKnownSignIn(db, folded, address);
  const account = { kind: 'account', of: isKnown ? `${folded}\n${address}` : folded } as const;
  const from = { kind: 'address', of: address } as const;
  await countAttempt(db, from);
  const counted: Counted[] = [from];
  try {
    await countAttempt(db, account);
    counted.push(account);
    const known = organizationId === null ? undefined : hash;
    if (!(await passwordMatches(password, known, address))) {
      if (organizationId !== null) refused?.({ organizationId, userId: id });
      return undefined;
    }
  } catch (error) {
    // Nothing was tried, so nothing has failed.
    for (const one of counted) await takeBackAttempt(db, one);
    throw error;
  }
  await forgetAttempts(db, account);
  await takeBackAttempt(db, from);
  await rememberSignIn(db, folded, address);
  return { organizationId: organizationId!, userId: id };
}

/** No account has control characters in its e-mail, and PostgreSQL takes no NUL. */
const printable = (email: string) => email.replace(/\p{Cc}/gu, '?').toWellFormed();

export interface ShownPerson extends Person {
  name: string;
  email: string;
  organization: string;
}

/** A person with names, for pages. */
export function showPerson(db: Database, { organizationId, userId }: Person): Promise<ShownPerson> {
  return inOrganization(db, organizationId, async (transaction) => {
    const { name, email, organization } = await transaction
      .selectFrom('users')
      .innerJoin('organizations', 'organizations.id', 'users.organization_id')
      .select(['users.name', 'users.email', 'organizations.name as organization'])
      .where('users.organization_id', '=', organizationId)
      .where('users.id', '=', userId)
      .executeTakeFirstOrThrow();
    return { organizationId, userId, name, email, organization };
  });
}
