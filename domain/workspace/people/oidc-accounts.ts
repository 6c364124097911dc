import { sql } from 'kysely';
import { newId } from '../../../data/ids.ts';
import {
  type Database,
  inOrganization,
  isUniqueViolation,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { Person } from './accounts.ts';
import type { Identity } from './identity-provider.ts';
import { type AccountLink, spendLink } from './links.ts';
import { beginSession } from './sessions.ts';

/** A person who signed in, with the secret of the new session. */
export interface SignedIn {
  person: Person;
  secret: string;
}

/**
 * `unverified`: the provider did not verify an e-mail. `unknown`: nobody here. `other_email`: not the one
 * that was invited. `has_account`: a person belongs to one organization.
 */
export type Refusal = 'unverified' | 'unknown' | 'other_email' | 'has_account';

/**
 * Signs in who the provider says this is: the person who signed in as its subject before, whatever the e-mail
 * is by now; otherwise, once, the only account with the verified e-mail. An account that has a subject of
 * this provider is not found by e-mail: the address may be somebody else's by now.
 */
export async function signInAs(db: Database, identity: Identity): Promise<SignedIn | Refusal> {
  const known = await findBySubject(db, identity);
  if (known !== undefined)
    return inOrganization(db, known.organizationId, async (transaction) => ({
      person: known,
      secret: await beginSession(transaction, known),
    }));
  if (identity.email === undefined) return 'unverified';
  const [person, another] = await findByEmail(db, identity.email);
  if (person === undefined || another !== undefined) return 'unknown';
  try {
    return await inOrganization(db, person.organizationId, async (transaction) => {
      await holdOrganization(transaction, person.organizationId);
      if (!(await isMember(transaction, person))) return 'unknown';
      // The same sign-in twice at once: the other one may have been first.
      const subject = await subjectOf(transaction, person, identity.issuer);
      if (subject === undefined) await insertSubject(transaction, person, identity);
      else if (subject !== identity.subject) return 'unknown';
      return { person, secret: await beginSession(transaction, person) };
    });
  } catch (error) {
    // Meanwhile the person signed in to another account.
    if (isUniqueViolation(error, 'oidc_subjects_subject')) return 'unknown';
    throw error;
  }
}

/**
 * Opens the account of a link for who the provider says this is, without a password, and begins a session. An
 * invitation is only for its e-mail.
 *
 * @throws AppError conflict if the link was used meanwhile
 */
export async function openAccountAs(
  db: Database,
  link: AccountLink,
  identity: Identity,
): Promise<SignedIn | Refusal> {
  const { email } = identity;
  if (email === undefined) return 'unverified';
  if (link.kind === 'invitation' && !(await isSameEmail(db, email, link.email))) return 'other_email';
  if ((await findByEmail(db, email)).length > 0) return 'has_account';
  try {
    return await inOrganization(db, link.organization_id, async (transaction) => {
      await holdOrganization(transaction, link.organization_id);
      await spendLink(transaction, link);
      const person = await personOf(transaction, link, { email, name: identity.name ?? email });
      await insertSubject(transaction, person, identity);
      return { person, secret: await beginSession(transaction, person) };
    });
  } catch (error) {
    if (isUniqueViolation(error, 'oidc_subjects_subject') || isUniqueViolation(error, 'users_live_email'))
      return 'has_account';
    throw error;
  }
}

/** The owner is there already; somebody who was invited is new. */
async function personOf(
  db: OrganizationTransaction,
  { organization_id: organizationId, user_id: existing, email: invited, role }: AccountLink,
  given: { name: string; email: string },
): Promise<Person> {
  if (existing === null) {
    const userId = newId('usr');
    await db
      .insertInto('users')
      .values({ organization_id: organizationId, id: userId, name: given.name, email: invited, role })
      .execute();
    return { organizationId, userId };
  }
  await db
    .updateTable('users')
    .set(given)
    .where('organization_id', '=', organizationId)
    .where('id', '=', existing)
    .execute();
  return { organizationId, userId: existing };
}

async function findBySubject(
  db: Database,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
): Promise<Person | undefined> {
  const { rows } = await sql<{ organization_id: string; user_id: string }>`
    SELECT * FROM find_oidc_subject(${issuer}, ${subject})`.execute(db);
  const [row] = rows;
  return row && { organizationId: row.organization_id, userId: row.user_id };
}

/** Accounts of an e-mail, in any organization. */
async function findByEmail(db: Database, email: string): Promise<Person[]> {
  const { rows } = await sql<{ organization_id: string; user_id: string }>`
    SELECT * FROM find_accounts_by_email(${email})`.execute(db);
  return rows.map(({ organization_id: organizationId, user_id: userId }) => ({ organizationId, userId }));
}

/** Folded by the database, as everywhere. */
async function isSameEmail(db: Database, one: string, other: string): Promise<boolean> {
  const { rows } = await sql<{ same: boolean }>`SELECT lower(${one}) = lower(${other}) AS same`.execute(db);
  return rows[0]!.same;
}

/** Before rows of its people, in the order in which changes of members lock them. */
async function holdOrganization(db: OrganizationTransaction, id: string): Promise<void> {
  await db.selectFrom('organizations').select('id').where('id', '=', id).forKeyShare().execute();
}

/** Whether the person is still a member, which nobody changes until the transaction ends. */
async function isMember(db: OrganizationTransaction, { organizationId, userId }: Person): Promise<boolean> {
  const member = await db
    .selectFrom('users')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId)
    .where('removed_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return member !== undefined;
}

/** What the issuer calls a person, if it is known. */
async function subjectOf(
  db: OrganizationTransaction,
  { organizationId, userId }: Person,
  issuer: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('oidc_subjects')
    .select('subject')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('issuer', '=', issuer)
    .executeTakeFirst();
  return row?.subject;
}

async function insertSubject(
  db: OrganizationTransaction,
  { organizationId, userId }: Person,
  { issuer, subject }: Identity,
): Promise<void> {
  await db
    .insertInto('oidc_subjects')
    .values({ organization_id: organizationId, user_id: userId, issuer, subject })
    .execute();
}
