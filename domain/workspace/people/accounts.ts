import { sql } from 'kysely';
import { type Database, inOrganization } from '../../../data/postgres/client.ts';
import { countAttempt, forgetAttempts, takeBackAttempt } from './attempts.ts';
import { passwordMatches } from './passwords.ts';

/** A person of an organization. */
export interface Person {
  organizationId: string;
  userId: string;
}

/**
 * Who signs in with this e-mail and password; undefined if nobody. An unknown e-mail is counted, and takes as
 * long, as a known one.
 *
 * @throws AppError rate_limited after five wrong passwords of an account or twenty of an address, overloaded
 */
export async function signIn(
  db: Database,
  { email, password, address }: { email: string; password: string; address: string },
): Promise<Person | undefined> {
  const account = { kind: 'account', of: email.toLowerCase() } as const;
  const from = { kind: 'address', of: address } as const;
  await countAttempt(db, from);
  await countAttempt(db, account);
  const { rows } = await sql<{ organization_id: string; id: string; password_hash: string }>`
    SELECT * FROM find_account(${email})`.execute(db);
  const [found] = rows;
  if (!(await passwordMatches(password, found?.password_hash, address))) return undefined;
  await forgetAttempts(db, account);
  await takeBackAttempt(db, from);
  return { organizationId: found!.organization_id, userId: found!.id };
}

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
