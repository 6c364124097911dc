import { sql } from 'kysely';
import { AppError, notFound } from '../../../data/errors.ts';
import type { OrganizationTransaction } from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import { closeAccount } from './accounts.ts';
import { deleteLinks } from './links.ts';
import { endEverySession } from './sessions.ts';

/** A person of the organization who has not been removed. */
export type Member = RecordOf<'users'>;
export type Role = Member['role'];

const users = records('users', { prefix: 'usr', what: 'The member' });

/** Newest first. */
export function listMembers(
  db: OrganizationTransaction,
  organizationId: string,
  slice: Slice,
): Promise<Member[]> {
  return users.list(db, organizationId, slice, { removed_at: null });
}

export async function getMember(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  lock?: 'update',
): Promise<Member> {
  const member = await users.get(db, organizationId, id, lock);
  if (member.removed_at !== null) throw notFound('The member');
  return member;
}

/** Refuses an e-mail that a member has. */
export async function refuseMemberEmail(
  db: OrganizationTransaction,
  organizationId: string,
  email: string,
): Promise<void> {
  const member = await db
    .selectFrom('users')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  if (member === undefined) return;
  throw new AppError('name_taken', 'A member of the organization already has this email address.');
}

/** Who changes a member: only an owner changes owners, or makes them. Asked while no role can change. */
export interface Changer {
  isOwner(): Promise<boolean>;
}

/**
 * Changes the role of a member. What somebody of the new role may not have issued is ended by `endIssued`.
 *
 * @throws AppError admin_required if only an owner may, conflict if no owner would be left
 */
export async function changeRole(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  role: Role,
  { isOwner }: Changer,
): Promise<Member> {
  const member = await lockedMember(db, organizationId, id);
  if (member.role === role) return member;
  if (member.role === 'owner' || role === 'owner') refuseUnlessOwner(await isOwner());
  if (member.role === 'owner') await refuseLastOwner(db, member);
  // An address for a new password was asked for by somebody who might not ask for it now.
  await deleteLinks(db, organizationId, 'user_id', id);
  return users.update(db, organizationId, id, { role });
}

/**
 * Removes a member: sessions, logins and tokens end, and with the last membership the account. What the
 * member issued is ended by `endIssued`; everything else that the member made stays.
 *
 * @throws AppError admin_required if only an owner may, conflict if no owner would be left
 */
export async function removeMember(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
  { isOwner }: Changer,
): Promise<Member> {
  const member = await lockedMember(db, organizationId, id);
  if (member.role === 'owner') {
    refuseUnlessOwner(await isOwner());
    await refuseLastOwner(db, member);
  }
  await endEverySession(db, { organizationId, userId: id });
  await deleteLinks(db, organizationId, 'user_id', id);
  const { account_id: accountId } = member;
  const removed = await users.update(db, organizationId, id, {
    removed_at: new Date(),
    ...{ account_id: null, password_hash: null },
  });
  if (accountId !== null) await closeAccount(db, accountId);
  return removed;
}

export function refuseUnlessOwner(isOwner: boolean): void {
  if (!isOwner) throw new AppError('admin_required', 'Only an owner of the organization may do this.');
}

/** Changes of members take turns, so that two owners who step down at once do not both go. */
async function lockedMember(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<Member> {
  await db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return getMember(db, organizationId, id, 'update');
}

/** An owner without an account cannot act, so this owner doesn't count. */
async function refuseLastOwner(db: OrganizationTransaction, owner: Member): Promise<void> {
  const other = await db
    .selectFrom('users')
    .select('id')
    .where('organization_id', '=', owner.organization_id)
    .where('id', '!=', owner.id)
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .where('account_id', 'is not', null)
    .executeTakeFirst();
  if (other !== undefined) return;
  throw new AppError(
    'conflict',
    'This is the last owner of the organization. Make another member an owner first.',
  );
}
