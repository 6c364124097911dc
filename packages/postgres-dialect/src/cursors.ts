import type { Command } from './command.ts';
import type { Token } from './lexer.ts';

export function declareCommand(sql: string, tokens: readonly Token[]): Command {
  const name = tokens[1]?.value;
  const at = tokens.findIndex(({ kind, value }, index) => index > 2 && kind === 'word' && value === 'for');
  const query = tokens[at + 1];
  if (name === undefined || at === -1 || query === undefined)
    return { kind: 'unsupported', what: 'This form of DECLARE' };
  const words = tokens.slice(2, at).map(({ value }) => value);
  const isHeld = words.join(' ').includes('with hold');
  return { kind: 'declare', name, sql: sql.slice(query.start), isHeld };
}

export function fetchCommand(tokens: readonly Token[]): Command {
  const isMove = tokens[0]?.value === 'move';
  const name = tokens.at(-1)?.value;
  const words = tokens
    .slice(1, -1)
    .map(({ value }) => value)
    .filter((word) => !['from', 'in', 'forward', 'next', 'relative'].includes(word));
  const [size = '1'] = words;
  const isKnown = words.length < 2 && (size === 'all' || /^\d+$/.test(size));
  if (name === undefined || tokens.length < 2 || !isKnown)
    return { kind: 'unsupported', what: 'A cursor that moves other than forward' };
  return { kind: 'fetch', name, count: size === 'all' ? undefined : Number(size), isMove };
}

export function closeCommand(tokens: readonly Token[]): Command {
  const [, named] = tokens;
  if (named === undefined) return { kind: 'unsupported', what: 'This form of CLOSE' };
  return { kind: 'close', name: named.kind === 'word' && named.value === 'all' ? undefined : named.value };
}
