import { sql } from 'kysely';
import { newId } from '../../../data/ids.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
  withinOrganization,
} from '../../../data/postgres/client.ts';

/** A person of an organization: a membership, by which everything knows them there. */
export interface Person {
  organizationId: string;
  userId: string;
}

/**
 * Who signs in: an address, and a password or what a provider calls the person. It has one membership at
 * least.
 */
export interface Account {
  id: string;
  passwordHash: string | null;
  /** Whether the person showed that the address is theirs. Of the accounts of an address, one at most is. */
  isProven: boolean;
}

export interface Membership extends Person {
  /** The name of the organization. */
  organization: string;
}

/** Accounts of an address, the proven one first; with an issuer, only those without a subject of it. */
export async function findAccounts(
  db: Database,
  email: string,
  withoutIssuer: string | null = null,
): Promise<Account[]> {
  const { rows } = await sql<{ id: string; password_hash: string | null; is_proven: boolean }>`
    SELECT * FROM find_accounts(${email}, ${withoutIssuer})`.execute(db);
  return rows.map(({ id, password_hash: passwordHash, is_proven: isProven }) => ({
    ...{ id, passwordHash, isProven },
  }));
}

/** Folded by the database, as everywhere. */
export async function isSameEmail(db: Database, one: string, other: string): Promise<boolean> {
  const { rows } = await sql<{ same: boolean }>`SELECT lower(${one}) = lower(${other}) AS same`.execute(db);
  return rows[0]!.same;
}

/** The organizations of an account, that of the last sign-in first. */
export async function membershipsOf(db: Database, accountId: string): Promise<Membership[]> {
  const { rows } = await sql<{ organization_id: string; organization: string; user_id: string }>`
    SELECT * FROM find_memberships(${accountId})`.execute(db);
  return rows.map(({ organization_id: organizationId, organization, user_id: userId }) => ({
    ...{ organizationId, organization, userId },
  }));
}

export interface ShownPerson extends Membership {
  name: string;
  email: string;
  /** Every organization of the person, this one too, by name. */
  memberships: Membership[];
}

/** A person with names, for pages. */
export async function showPerson(db: Database, { organizationId, userId }: Person): Promise<ShownPerson> {
  const { account_id: accountId, ...shown } = await inOrganization(db, organizationId, (transaction) =>
    transaction
      .selectFrom('users')
      .innerJoin('organizations', 'organizations.id', 'users.organization_id')
      .select(['users.name', 'users.email', 'users.account_id', 'organizations.name as organization'])
      .where('users.organization_id', '=', organizationId)
      .where('users.id', '=', userId)
      .executeTakeFirstOrThrow(),
  );
  const self = { organizationId, userId, organization: shown.organization };
  const memberships = accountId === null ? [self] : await membershipsOf(db, accountId);
  memberships.sort((a, b) => a.organization.localeCompare(b.organization));
  return { ...self, ...shown, memberships };
}

/** A new account, whose first membership is made in the same transaction. */
export async function insertAccount(
  db: OrganizationTransaction,
  account: { email: string; passwordHash: string | null },
): Promise<string> {
  const id = newId('acc');
  await db
    .insertInto('accounts')
    .values({ id, email: account.email, password_hash: account.passwordHash })
    .execute();
  return id;
}

/** The address is this account's from now on, unless it is another one's already. */
export async function proveAccount(db: OrganizationTransaction, id: string): Promise<void> {
  await sql`SELECT prove_account(${id})`.execute(db);
}

/** Removes an account that no organization has as a member any more. */
export async function closeAccount(db: OrganizationTransaction, id: string): Promise<void> {
  await sql`SELECT close_account(${id})`.execute(db);
}

/** Replaces the password of an account. */
export async function storePassword(
  db: OrganizationTransaction,
  id: string,
  hash: string | null,
): Promise<void> {
  await db.updateTable('accounts').set({ password_hash: hash }).where('id', '=', id).execute();
  // The release before this one has it there, and must not take the old one.
  await db.updateTable('users').set({ password_hash: null }).where('account_id', '=', id).execute();
}

/** The account of a person; null before there is one. */
export async function accountOf(
  db: OrganizationTransaction,
  { organizationId, userId }: Person,
): Promise<string | null> {
  const { account_id: accountId } = await db
    .selectFrom('users')
    .select('account_id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return accountId;
}

/** Before rows of its people, in the order in which changes of members lock them. */
export async function lockOrganization(db: OrganizationTransaction, id: string): Promise<void> {
  await db.selectFrom('organizations').select('id').where('id', '=', id).forKeyShare().execute();
}

/** Keeps a person as they are until the transaction ends, and every other membership of their account. */
export async function lockAccountOf(db: OrganizationTransaction, person: Person): Promise<void> {
  const accountId = await accountOf(db, person);
  if (accountId === null) await lockPerson(db, person);
  else await inEachOrganization(db, [accountId], async () => undefined);
}

/**
 * Does something for every membership of some accounts, as one commit. All are locked first, and always in
 * the same order: whoever removes a person locks that person before anything of theirs.
 */
export async function inEachOrganization(
  db: OrganizationTransaction,
  accountIds: readonly string[],
  work: (person: Person) => Promise<unknown>,
): Promise<void> {
  const people: Person[] = [];
  for (const id of accountIds) people.push(...(await membershipsOf(db, id)));
  people.sort((a, b) => (a.organizationId < b.organizationId ? -1 : 1));
  for (const step of [(person: Person) => lockPerson(db, person), work])
    for (const person of people) await withinOrganization(db, person.organizationId, () => step(person));
}

async function lockPerson(db: OrganizationTransaction, { organizationId, userId }: Person): Promise<void> {
  await db
    .selectFrom('users')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId)
    .where('removed_at', 'is', null)
    .forUpdate()
    .execute();
}
