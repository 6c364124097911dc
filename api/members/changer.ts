import { AppError } from '../../data/errors.ts';
import type { OrganizationTransaction } from '../../data/postgres/client.ts';
import { getMember } from '../../domain/workspace/people/members.ts';
import { type Caller, scopes } from '../caller.ts';

/** Whether the caller is a person with the role owner. */
export async function isOwner(
  db: OrganizationTransaction,
  { organizationId, kind, id }: Caller,
): Promise<boolean> {
  return kind === 'user' && (await getMember(db, organizationId, id)).role === 'owner';
}

/**
 * A person may sign in with every scope, so a client that opens an account, or takes one over, has every
 * scope itself: nobody grants more than they have.
 */
export function refuseNarrowClient({ kind, scopes: granted }: Caller): void {
  const missing = scopes.find((scope) => !granted.includes(scope));
  if (kind === 'user' || missing === undefined) return;
  throw new AppError('missing_scope', `The token lacks the scope ${missing}, so it cannot grant it.`, {
    extensions: { missing_scope: missing },
  });
}
