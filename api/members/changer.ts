import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import { getMember } from '../../domain/workspace/people/members.ts';
import type { Caller } from '../caller.ts';

/** Whether the caller is a person with the role owner. */
export async function isOwner(
  db: OrganizationTransaction,
  { organizationId, kind, id }: Caller,
): Promise<boolean> {
  return kind === 'user' && (await getMember(db, organizationId, id)).role === 'owner';
}
