import { sql } from 'kysely';
import { hashSecret, newSecret, secretMatches } from '../../../data/encryption.ts';
import { AppError, notFound } from '../../../data/errors.ts';
import { newId } from '../../../data/ids.ts';
import {
  type Database,
  inOrganization,
  type OrganizationTransaction,
} from '../../../data/postgres/client.ts';
import { type RecordOf, records, type Slice } from '../../../data/postgres/records.ts';
import { limits } from '../limits/limits.ts';
import { refuseBeyond } from '../limits/refuse.ts';

/** A one-time address: of the first owner, of an invitation, or for a new password. */
export type AccountLink = RecordOf<'account_links'>;
export type LinkKind = AccountLink['kind'];

const links = records('account_links', { prefix: undefined, what: 'The link' });

const hourMs = 3_600_000;
const lifetimeMs: Readonly<Record<LinkKind, number>> = {
  owner: 30 * 24 * hourMs,
  invitation: 7 * 24 * hourMs,
  password: hourMs,
};

export interface NewLink {
  organizationId: string;
  /** Default: a new id. */
  id?: string;
  kind: LinkKind;
  email: string;
  role: AccountLink['role'];
  /** Whose membership it is for; an invitation makes a new one. */
  userId?: string;
  createdBy?: string;
}

/** The secret of a link, in its two forms. */
export interface LinkSecret {
  /** For whoever made the link. */
  shown: string;
  /** For the mail: who opens it with this has shown that they read the mail of its address. */
  mailed: string;
}

/** A link that somebody opened. */
export interface OpenedLink {
  link: AccountLink;
  /** Whether it is the mailed one. */
  isMailed: boolean;
  /** The name of the organization. */
  organization: string;
}

/**
 * A new link and its secret, which is stored as hashes only. It replaces links of its kind for the same
 * e-mail: the last one sent is the one that works.
 *
 * @throws AppError conflict if too many invitations are open
 */
export async function makeLink(
  db: OrganizationTransaction,
  { organizationId, id = newId('lnk'), kind, email, role, userId, createdBy }: NewLink,
): Promise<{ link: AccountLink; secret: LinkSecret }> {
  await db
    .deleteFrom('account_links')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', kind)
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('used_at', 'is', null)
    .execute();
  if (kind === 'invitation') await refuseTooMany(db, organizationId);
  const shown = newSecret('wal');
  const proof = newSecret('wal');
  const link = await links.insert(db, {
    organization_id: organizationId,
    id,
    kind,
    token_hash: hashSecret(shown),
    mailed_hash: hashSecret(proof),
    email,
    role,
    user_id: userId ?? null,
    created_by: createdBy ?? null,
    expires_at: new Date(Date.now() + lifetimeMs[kind]),
  });
  return { link, secret: { shown, mailed: `${shown}.${proof}` } };
}

async function refuseTooMany(db: OrganizationTransaction, organizationId: string): Promise<void> {
  const { open } = await openInvitations(db, organizationId)
    .select((on) => on.fn.countAll<number>().as('open'))
    .executeTakeFirstOrThrow();
  refuseBeyond(limits.identity.invitations, open);
}

const openInvitations = (db: OrganizationTransaction, organizationId: string) =>
  db
    .selectFrom('account_links')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'invitation')
    .where('used_at', 'is', null)
    .where('expires_at', '>', new Date());

/** Invitations that can still be used, newest first. */
export function listInvitations(
  db: OrganizationTransaction,
  organizationId: string,
  { after, limit }: Slice,
): Promise<AccountLink[]> {
  let query = openInvitations(db, organizationId).selectAll();
  if (after !== undefined) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** An invitation that can still be used. */
export async function getInvitation(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<AccountLink> {
  const link = await openInvitations(db, organizationId).selectAll().where('id', '=', id).executeTakeFirst();
  if (link === undefined) throw notFound('The invitation');
  return link;
}

export async function deleteInvitation(
  db: OrganizationTransaction,
  organizationId: string,
  id: string,
): Promise<AccountLink> {
  const link = await getInvitation(db, organizationId, id);
  await links.remove(db, organizationId, id);
  return link;
}

/** Ends the unused links for a person, or those that a person or client made; of one role if it is given. */
export function deleteLinks(
  db: OrganizationTransaction,
  organizationId: string,
  by: 'user_id' | 'created_by',
  id: string,
  role?: AccountLink['role'],
): Promise<AccountLink[]> {
  const made = db
    .deleteFrom('account_links')
    .where('organization_id', '=', organizationId)
    .where(by, '=', id)
    .where('used_at', 'is', null)
    .returningAll();
  return (role === undefined ? made : made.where('role', '=', role)).execute();
}

/** The link of this secret, in either form, if it can still be used. */
export async function findLink(
  db: Database,
  kind: LinkKind,
  secret: string,
): Promise<OpenedLink | undefined> {
  const [shown = '', proof] = secret.split('.');
  const { rows } = await sql<{ organization_id: string; id: string }>`
    SELECT * FROM find_account_link(${hashSecret(shown)})`.execute(db);
  const [found] = rows;
  if (found === undefined) return undefined;
  const { organization_id: organizationId, id } = found;
  const [link, organization] = await inOrganization(db, organizationId, async (transaction) => {
    const { name } = await transaction
      .selectFrom('organizations')
      .select('name')
      .where('id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return [await links.find(transaction, organizationId, id), name] as const;
  });
  if (link === undefined || link.kind !== kind || !isUsable(link)) return undefined;
  const isMailed = proof !== undefined;
  const isProven = isMailed && link.mailed_hash !== null && secretMatches(proof, link.mailed_hash);
  return isMailed === isProven ? { link, isMailed, organization } : undefined;
}

const isUsable = (link: AccountLink) => link.used_at === null && link.expires_at.getTime() > Date.now();

/** Marks a link as used; of two uses at once one succeeds. */
export async function spendLink(
  db: OrganizationTransaction,
  { organization_id: organizationId, id }: AccountLink,
): Promise<void> {
  const current = await links.find(db, organizationId, id, 'update');
  if (current === undefined || !isUsable(current))
    throw new AppError('conflict', 'This link has already been used or has expired.');
  await links.update(db, organizationId, id, { used_at: new Date() });
}
