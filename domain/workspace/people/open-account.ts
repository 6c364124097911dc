import { AppError } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import {
  type Database,
  inOrganization,
  isUniqueViolation,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import type { Person } from './accounts.ts';
import { type AccountLink, spendLink } from './links.ts';
import { hashPassword } from './passwords.ts';
import { beginSession, endEverySession } from './sessions.ts';

/** What a person gives on the page of a link. */
export interface AccountFields {
  name: string;
  email: string;
  password: string;
  /** The address of the request, by which passwords take turns. */
  address: string;
}

/**
 * Opens the account of a link, and begins a session; returns its secret. The first owner sets name, e-mail
 * and password; a person who was invited sets name and password; a new password ends every session and login
 * that the account had.
 *
 * @throws AppError conflict if the link was used meanwhile, name_taken if the e-mail has an account
 */
export async function openAccount(
  db: Database,
  link: AccountLink,
  { name, email, password, address }: AccountFields,
): Promise<{ person: Person; secret: string }> {
  const { organization_id: organizationId } = link;
  const password_hash = await hashPassword(password, address);
  const byKind: Record<AccountLink['kind'], (transaction: OrganizationTransaction) => Promise<Person>> = {
    owner: (transaction) => update(transaction, link, { name, email, password_hash }),
    invitation: async (transaction) => {
      const userId = newId('usr');
      const { email: invited, role } = link;
      await transaction
        .insertInto('users')
        .values({ organization_id: organizationId, id: userId, name, email: invited, role, password_hash })
        .execute();
      return { organizationId, userId };
    },
    password: async (transaction) => {
      const person = await update(transaction, link, { password_hash });
      await endEverySession(transaction, person);
      return person;
    },
  };
  try {
    return await inOrganization(db, organizationId, async (transaction) => {
      await lockUser(transaction, link);
      await spendLink(transaction, link);
      const person = await byKind[link.kind](transaction);
      return { person, secret: await beginSession(transaction, person) };
    });
  } catch (error) {
    if (isUniqueViolation(error, 'users_account') || isUniqueViolation(error, 'users_live_email'))
      throw new AppError('name_taken', 'There is an account with this e-mail already.');
    throw error;
  }
}

/** The person before the link, as whoever removes the person locks them. */
async function lockUser(
  db: OrganizationTransaction,
  { organization_id: organizationId, user_id: userId }: AccountLink,
): Promise<void> {
  if (userId === null) return;
  await db
    .selectFrom('users')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId)
    .forUpdate()
    .execute();
}

async function update(
  db: OrganizationTransaction,
  { organization_id: organizationId, user_id: userId }: AccountLink,
  change: { name?: string; email?: string; password_hash: string },
): Promise<Person> {
  await db
    .updateTable('users')
    .set(change)
    .where('organization_id', '=', organizationId)
    .where('id', '=', userId!)
    .execute();
  return { organizationId, userId: userId! };
}
