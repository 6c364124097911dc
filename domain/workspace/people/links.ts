import { sql } from 'kysely';
import { hashSecret, newSecret } from '../../../data/encryption.ts';
import { AppError } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import {
  type Database,
  inOrganization,
  isUniqueViolation,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';

import { type RecordOf, records } from '../../../data/postgres/records.ts';
import { hashPassword } from './passwords.ts';
import { beginSession } from './sessions.ts';

/** A one-time address that opens an account. */
export type AccountLink = RecordOf<'account_links'>;

const links = records('account_links', { prefix: 'lnk', what: 'The link' });

const ownerLinkDays = 30;

/** A link by which the first owner of an organization sets name, e-mail and password; returns its secret. */
export async function makeOwnerLink(
  db: OrganizationTransaction,
  { organizationId, userId, email }: { organizationId: string; userId: string; email: string },
): Promise<string> {
  const secret = newSecret('wal');
  await links.insert(db, {
    organization_id: organizationId,
    id: newId('lnk'),
    kind: 'owner',
    token_hash: hashSecret(secret),
    email,
    role: 'owner',
    user_id: userId,
    expires_at: new Date(Date.now() + ownerLinkDays * 86_400_000),
  });
  return secret;
}

/** The link of this secret if it can still be used. */
export async function findLink(
  db: Database,
  kind: 'owner',
  secret: string,
): Promise<AccountLink | undefined> {
  const { rows } = await sql<{ organization_id: string; id: string }>`
    SELECT * FROM find_account_link(${hashSecret(secret)})`.execute(db);
  const [found] = rows;
  if (found === undefined) return undefined;
  const { organization_id: organizationId, id } = found;
  const link = await inOrganization(db, organizationId, (transaction) =>
    links.find(transaction, organizationId, id),
  );
  return link !== undefined && link.kind === kind && isUsable(link) ? link : undefined;
}

const isUsable = (link: AccountLink) => link.used_at === null && link.expires_at.getTime() > Date.now();

/**
 * Sets name, e-mail and password of the owner of a link, and begins a session; returns its secret. The link
 * can then not be used again; of two uses at once one succeeds.
 *
 * @throws AppError conflict if the link was used meanwhile, name_taken if the e-mail has an account
 */
export async function useOwnerLink(
  db: Database,
  link: AccountLink,
  { name, email, password, address }: { name: string; email: string; password: string; address: string },
): Promise<string> {
  const { organization_id: organizationId, user_id: userId } = link;
  const passwordHash = await hashPassword(password, address);
  try {
    return await inOrganization(db, organizationId, async (transaction) => {
      const current = await links.get(transaction, organizationId, link.id, 'update');
      if (!isUsable(current)) throw new AppError('conflict', 'The link has been used.');
      await transaction
        .updateTable('users')
        .set({ name, email, password_hash: passwordHash })
        .where('organization_id', '=', organizationId)
        .where('id', '=', userId!)
        .execute();
      await links.update(transaction, organizationId, link.id, { used_at: new Date() });
      return beginSession(transaction, { organizationId, userId: userId! });
    });
  } catch (error) {
    if (isUniqueViolation(error, 'users_account') || isUniqueViolation(error, 'users_email'))
      throw new AppError('name_taken', 'There is an account with this e-mail already.');
    throw error;
  }
}
