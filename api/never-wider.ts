import { AppError } from '../data/errors.ts';
import { type Caller, type Scope, scopes } from './caller.ts';

/** What runs later as its maker reads tables, and may send them elsewhere. */
export const whatRunsReads: readonly Scope[] = ['agent:read'];

/** What a person who signs in can give to a token of theirs. */
export const ofAPerson = scopes;

/**
 * A token never makes more than it is: whoever hands out a credential, an account, a role, a one-time address
 * or something that runs later needs, in the token that asks, every scope that could then be used. Routes
 * that do so declare it as `handsOut`; `test/api/never-wider.test.ts` finds those that do not.
 *
 * @throws AppError missing_scope with the first scope that the token lacks
 */
export function refuseWider(caller: Caller, receivers: readonly Scope[]): void {
  const missing = receivers.find((scope) => !caller.scopes.includes(scope));
  if (missing === undefined) return;
  throw new AppError('missing_scope', `The token doesn't have the scope ${missing}, so it can't grant it.`, {
    extensions: { missing_scope: missing },
  });
}
