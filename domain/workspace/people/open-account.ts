import { AppError } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import {
  type Database,
  inOrganization,
  isUniqueViolation,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import {
  type Account,
  accountOf,
  closeAccount,
  findAccounts,
  inEachOrganization,
  insertAccount,
  isSameEmail,
  lockAccountOf,
  lockOrganization,
  membershipsOf,
  type Person,
  proveAccount,
  storePassword,
} from './accounts.ts';
import { type AccountLink, type OpenedLink, spendLink } from './links.ts';
import { tryPassword } from './passwords.ts';
import { beginSession, endEverySession } from './sessions.ts';
import { countedAttempt, type Outcome } from './sign-in.ts';

/** What a person gives on the page of a link. */
export interface AccountFields {
  name: string;
  email: string;
  password: string;
  /** The address of the request, by which passwords take turns. */
  address: string;
}

/** A person who signed in, with the secret of the new session. */
export interface SignedIn {
  person: Person;
  secret: string;
}

/** A password that was given with a link. */
interface Tried {
  outcome: Outcome;
  /** The one it fits, or whose address the reader of the link has. */
  account: Account | undefined;
  /** Of the password, for a new account of the address. */
  hash: string;
}

/**
 * Uses a link, and begins a session. Who was invited, or becomes the first owner, joins with the account of
 * the address that the password fits, and otherwise with a new one: whoever made the link may open it too, so
 * it takes no account over, and tells nobody whether there is one. `wrong_password`: the link is the mailed
 * one, and its reader has an account with another password. A new password ends the sessions and logins that
 * it was for.
 *
 * @throws AppError conflict if the link was used meanwhile, name_taken if a member has the e-mail
 */
export async function openAccount(
  db: Database,
  opened: OpenedLink,
  { name, email, password, address }: AccountFields,
): Promise<SignedIn | 'wrong_password'> {
  const { link, isMailed } = opened;
  const to = link.kind === 'owner' ? email : link.email;
  // Counted like a sign-in. Otherwise, anyone who can invite people could try one password after another.
  const { outcome, account, hash } = await countedAttempt(
    db,
    { email: to, address, at: 'link' },
    async (): Promise<Tried> => {
      const accounts = await findAccounts(db, to);
      const { fits, hash } = await tryPassword(password, accounts, address);
      if (fits !== undefined) return { outcome: 'right', account: fits, hash };
      const own = isMailed ? accounts.find(({ isProven }) => isProven) : undefined;
      const isWrong = link.kind === 'invitation' && own !== undefined && own.passwordHash !== null;
      return { outcome: isWrong ? 'wrong' : 'new', account: own, hash };
    },
  );
  if (outcome === 'wrong') return 'wrong_password';
  return using(db, link, async (transaction, member) => {
    if (member !== undefined && link.kind === 'password')
      return setPassword(transaction, opened, {
        ...{ person: member, fits: outcome === 'right' ? account?.id : undefined, hash },
      });
    const accountId = account?.id ?? (await insertAccount(transaction, { email: to, passwordHash: hash }));
    const person = await becomeMember(transaction, link, { accountId, name, email: to });
    if (account?.passwordHash === null) await storePassword(transaction, accountId, hash);
    if (isMailed) await proveAccount(transaction, accountId);
    return person;
  });
}

/**
 * Uses a link as who is signed in on the pages. An invitation is only for its e-mail.
 *
 * @throws AppError conflict if the link was used meanwhile or is for another e-mail, name_taken if the person
 *   is a member already
 */
export async function joinAs(db: Database, { link, isMailed }: OpenedLink, by: Person): Promise<SignedIn> {
  const {
    account_id: accountId,
    name,
    email,
  } = await inOrganization(db, by.organizationId, (transaction) =>
    transaction
      .selectFrom('users')
      .select(['account_id', 'name', 'email'])
      .where('organization_id', '=', by.organizationId)
      .where('id', '=', by.userId)
      .executeTakeFirstOrThrow(),
  );
  const isTheirs =
    link.kind === 'owner' || (link.kind === 'invitation' && (await isSameEmail(db, email, link.email)));
  if (!isTheirs || accountId === null)
    throw new AppError(
      'conflict',
      'The invitation is for a different email address than the one you signed in with.',
    );
  return using(db, link, async (transaction) => {
    const person = await becomeMember(transaction, link, { accountId, name, email });
    if (isMailed) await proveAccount(transaction, accountId);
    return person;
  });
}

/** Spends a link, and begins a session of the person that `work` gives, in one transaction. */
export async function using(
  db: Database,
  link: AccountLink,
  work: (transaction: OrganizationTransaction, before: Person | undefined) => Promise<Person>,
): Promise<SignedIn> {
  const { organization_id: organizationId, user_id: userId } = link;
  const before = userId === null ? undefined : { organizationId, userId };
  try {
    return await inOrganization(db, organizationId, async (transaction) => {
      // In the order in which whoever removes the person locks them.
      await lockOrganization(transaction, organizationId);
      if (before !== undefined) await lockAccountOf(transaction, before);
      await spendLink(transaction, link);
      const person = await work(transaction, before);
      return { person, secret: await beginSession(transaction, person) };
    });
  } catch (error) {
    if (isUniqueViolation(error, 'users_live_email') || isUniqueViolation(error, 'users_membership'))
      throw new AppError('name_taken', 'A member of the organization already has this email address.');
    throw error;
  }
}

/** The owner is a member already, without an account; somebody who was invited becomes one. */
export async function becomeMember(
  db: OrganizationTransaction,
  { organization_id: organizationId, user_id: existing, email: invited, role }: AccountLink,
  given: { accountId: string; name: string; email: string },
): Promise<Person> {
  const { accountId: account_id, name, email } = given;
  if (existing === null) {
    const userId = newId('usr');
    await db
      .insertInto('users')
      .values({ organization_id: organizationId, id: userId, name, email: invited, role, account_id })
      .execute();
    return { organizationId, userId };
  }
  await db
    .updateTable('users')
    .set({ name, email, account_id })
    .where('organization_id', '=', organizationId)
    .where('id', '=', existing)
    .execute();
  return { organizationId, userId: existing };
}

/**
 * The password of a link counts for the whole account where its reader reads the mail of the address. At the
 * link that an administrator was shown it counts in that organization alone: an account of others, or one
 * whose address is proven, stays as it is, and the member gets another one.
 */
async function setPassword(
  db: OrganizationTransaction,
  { link, isMailed }: OpenedLink,
  { person, fits, hash }: { person: Person; fits: string | undefined; hash: string },
): Promise<Person> {
  const before = await accountOf(db, person);
  const isKept = before !== null && (isMailed || (await isOfOneOrganization(db, before)));
  const accountId =
    fits ?? (isKept ? before : await insertAccount(db, { email: link.email, passwordHash: hash }));
  if (accountId === before && fits === undefined) await storePassword(db, accountId, hash);
  if (accountId !== before) {
    await db
      .updateTable('users')
      .set({ account_id: accountId })
      .where('organization_id', '=', person.organizationId)
      .where('id', '=', person.userId)
      .execute();
    if (before !== null) await closeAccount(db, before);
  }
  if (!isMailed) await endEverySession(db, person);
  else {
    await inEachOrganization(db, [accountId], (each) => endEverySession(db, each));
    await proveAccount(db, accountId);
  }
  return person;
}

/** Whether nobody showed that the address of an account is theirs, and no other organization knows it. */
async function isOfOneOrganization(db: OrganizationTransaction, accountId: string): Promise<boolean> {
  const { proven_at: provenAt } = await db
    .selectFrom('accounts')
    .select('proven_at')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  return provenAt === null && (await membershipsOf(db, accountId)).length === 1;
}
