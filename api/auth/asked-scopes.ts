import { type Scope, scopes } from '../caller.ts';

const usual: readonly Scope[] = ['agent:read', 'agent:write'];

/** The scopes that a program asks a person for, the usual ones if none; undefined if one does not exist. */
export function askedScopes(scope = ''): Scope[] | undefined {
  const names = [...new Set(scope.trim().split(/\s+/))].filter((name) => name !== '');
  if (names.length === 0) return [...usual];
  const asked = scopes.filter((known) => names.includes(known));
  return asked.length === names.length ? asked : undefined;
}
