import { type Scope, scopes } from '../caller.ts';

const usual: readonly Scope[] = ['agent:read', 'agent:write'];

/**
 * The scopes that a program asks a person for, the usual ones if none; or, where one does not exist, the
 * `error_description` of RFC 6749, which allows few characters.
 */
export function askedScopes(scope = ''): { scopes: Scope[] } | { refusal: string } {
  const names = [...new Set(scope.trim().split(/\s+/))].filter((name) => name !== '');
  if (names.length === 0) return { scopes: [...usual] };
  const unknown = names.find((name) => !scopes.some((known) => known === name));
  if (unknown === undefined) return { scopes: scopes.filter((known) => names.includes(known)) };
  const shown = /^[\w:./-]{1,64}$/.test(unknown) ? `scope ${unknown}` : 'such scope';
  return { refusal: `There is no ${shown}. The scopes are ${scopes.join(', ')}.` };
}
