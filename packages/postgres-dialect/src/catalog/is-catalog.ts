import type { Token } from '../lexer.ts';
import { catalogFunctions } from './functions.ts';
import { shapes } from './shapes.ts';

const schemas = new Set(['pg_catalog', 'information_schema']);
const isName = ({ kind }: Token): boolean => kind === 'word' || kind === 'quoted';
/** Functions that SQL calls without brackets. */
export const bareFunctions = new Set([
  'current_user',
  'session_user',
  'user',
  'current_role',
  'current_catalog',
  'current_schema',
]);
/** Casts to these look names up in the catalog. */
export const lookups = new Set(['regclass', 'regtype', 'regproc', 'regprocedure', 'regnamespace', 'regrole']);

/**
 * Whether a statement is about the catalog: it names one of its schemas or tables, or it calls one of its
 * functions and reads no table.
 */
export function isCatalogStatement(tokens: readonly Token[]): boolean {
  let readsTables = false;
  let calls = false;
  for (const [at, token] of tokens.entries()) {
    const [before, next] = [tokens[at - 1], tokens[at + 1]];
    if (token.kind === 'word' && token.value === 'from') readsTables = true;
    if (!isName(token)) continue;
    if (schemas.has(token.value) && next?.text === '.') return true;
    if (shapes.has(token.value) && isTablePlace(before)) return true;
    if (catalogFunctions.has(token.value) && next?.text === '(' && before?.text !== '.') calls = true;
    if (
      token.kind === 'word' &&
      bareFunctions.has(token.value) &&
      before?.text !== '.' &&
      before?.value !== 'as'
    )
      calls = true;
    if (lookups.has(token.value) && before?.text === '::') calls = true;
  }
  return calls && !readsTables;
}

const isTablePlace = (before: Token | undefined): boolean =>
  before?.kind === 'word' && (before.value === 'from' || before.value === 'join');
