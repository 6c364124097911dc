import { sql } from 'kysely';
import { AppError } from '../../../data/errors.ts';
import {
  type Database,
  inOrganization,
  isUniqueViolation,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import {
  closeAccount,
  findAccounts,
  inEachOrganization,
  insertAccount,
  isSameEmail,
  membershipsOf,
  type Person,
  proveAccount,
  storePassword,
} from './accounts.ts';
import type { Identity } from './identity-provider.ts';
import type { OpenedLink } from './links.ts';
import { becomeMember, type SignedIn, using } from './open-account.ts';
import { beginSession, endEverySession } from './sessions.ts';

/**
 * `unverified`: the provider did not verify an e-mail. `unknown`: nobody here. `other_email`: not the one
 * that was invited. `is_member`: the organization has a person with this account or e-mail already.
 */
export type Refusal = 'unverified' | 'unknown' | 'other_email' | 'is_member';

/**
 * Signs in who the provider says this is, to the organization that they used last: the account of its
 * subject, whatever the e-mail is by now; otherwise, once, the account with the verified e-mail. An account
 * that has a subject of this provider is not found by e-mail: the address may be somebody else's by now.
 */
export async function signInAs(db: Database, identity: Identity): Promise<SignedIn | Refusal> {
  const known = await findBySubject(db, identity);
  if (known !== undefined) return begin(db, known);
  const { email, issuer } = identity;
  if (email === undefined) return 'unverified';
  const [account] = await findAccounts(db, email, issuer);
  if (account === undefined) return 'unknown';
  try {
    return await begin(db, account.id, (transaction) => keepSubject(transaction, account.id, identity));
  } catch (error) {
    if (!isSubjectTaken(error)) throw error;
    // The same sign-in twice at once, of which the other one was first; or the person has another account.
    const first = await findBySubject(db, identity);
    return first === undefined ? 'unknown' : begin(db, first);
  }
}

async function begin(
  db: Database,
  accountId: string,
  before: (transaction: OrganizationTransaction) => Promise<void> = async () => undefined,
): Promise<SignedIn | Refusal> {
  const [last] = await membershipsOf(db, accountId);
  if (last === undefined) return 'unknown';
  const { organizationId, userId } = last;
  const person: Person = { organizationId, userId };
  return inOrganization(db, organizationId, async (transaction) => {
    await before(transaction);
    return { person, secret: await beginSession(transaction, person) };
  });
}

/**
 * Uses a link as who the provider says this is, without a password, and begins a session. An invitation is
 * only for its e-mail.
 *
 * @throws AppError conflict if the link was used meanwhile
 */
export async function openAccountAs(
  db: Database,
  { link }: OpenedLink,
  identity: Identity,
): Promise<SignedIn | Refusal> {
  const { email, issuer } = identity;
  if (email === undefined) return 'unverified';
  if (link.kind === 'invitation' && !(await isSameEmail(db, email, link.email))) return 'other_email';
  const known = await findBySubject(db, identity);
  const [found] = known === undefined ? await findAccounts(db, email, issuer) : [];
  try {
    return await using(db, link, async (transaction) => {
      const accountId =
        known ?? found?.id ?? (await insertAccount(transaction, { email, passwordHash: null }));
      const name = identity.name ?? email;
      const person = await becomeMember(transaction, link, { accountId, name, email });
      if (known === undefined) await keepSubject(transaction, accountId, identity);
      return person;
    });
  } catch (error) {
    const isMember = error instanceof AppError && error.code === 'name_taken';
    if (isMember || isSubjectTaken(error)) return 'is_member';
    throw error;
  }
}

/**
 * An account is known by a subject from now on, and its address is proven. Accounts of the address that were
 * never proven become this one: their memberships move here. Whoever opened them may have been somebody else,
 * so their passwords, sessions and logins end.
 */
async function keepSubject(
  db: OrganizationTransaction,
  accountId: string,
  { issuer, subject, email }: Identity,
): Promise<void> {
  // First, so that the same sign-in twice at once meets here.
  await db.insertInto('account_subjects').values({ account_id: accountId, issuer, subject }).execute();
  const accounts = await findAccounts(db, email!, issuer);
  const unproven = accounts.filter(({ isProven }) => !isProven).map(({ id }) => id);
  const { proven_at: provenAt } = await db
    .selectFrom('accounts')
    .select('proven_at')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  if (provenAt === null) unproven.push(accountId);
  await inEachOrganization(db, unproven, async (person) => {
    await endEverySession(db, person);
    await move(db, person, accountId);
  });
  for (const id of unproven)
    if (id === accountId) await storePassword(db, id, null);
    else await closeAccount(db, id);
  await proveAccount(db, accountId);
}

/** Makes a membership one of this account, unless the organization has the account as a member already. */
async function move(
  db: OrganizationTransaction,
  { organizationId, userId }: Person,
  accountId: string,
): Promise<void> {
  const member = await db
    .selectFrom('users')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (member !== undefined) return;
  await db
    .updateTable('users')
    .set({ account_id: accountId, password_hash: null })
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId)
    .execute();
}

const isSubjectTaken = (error: unknown) =>
  isUniqueViolation(error, 'account_subjects_subject') || isUniqueViolation(error, 'account_subjects_pkey');

async function findBySubject(
  db: Database,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT * FROM find_account_of_subject(${issuer}, ${subject})`.execute(db);
  return rows[0]?.id;
}
