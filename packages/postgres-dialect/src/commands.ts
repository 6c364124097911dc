import type { Command } from './command.ts';
import { copyCommand } from './copy.ts';
import { closeCommand, declareCommand, fetchCommand } from './cursors.ts';
import type { Statement, Token } from './lexer.ts';

const writing = new Set([
  ...['insert', 'update', 'delete', 'merge', 'truncate', 'create', 'alter', 'drop', 'grant', 'revoke'],
  ...['comment', 'vacuum', 'reindex', 'cluster', 'refresh', 'import', 'call', 'lock', 'reassign', 'security'],
]);
const twoWords = new Set(['create', 'alter', 'drop']);

/** Reads the first words of a statement. Whatever isn't a command is a query. */
export function commandOf({ tokens, sql }: Statement): Command {
  const word = (at: number) => (tokens[at]?.kind === 'word' ? tokens[at].value : undefined);
  const first = word(0);
  const second = word(1);
  switch (first) {
    case 'begin':
      return { kind: 'begin', tag: 'BEGIN' };
    case 'start':
      return second === 'transaction' ? { kind: 'begin', tag: 'START TRANSACTION' } : { kind: 'query' };
    case 'commit':
    case 'end':
      return second === 'prepared' ? twoPhases : { kind: 'commit', tag: 'COMMIT' };
    case 'rollback':
    case 'abort': {
      if (second === 'prepared') return twoPhases;
      const isPart = tokens.some((token) => token.kind === 'word' && token.value === 'to');
      return isPart
        ? { kind: 'savepoint', tag: 'ROLLBACK', recovers: true }
        : { kind: 'rollback', tag: 'ROLLBACK' };
    }
    case 'savepoint':
    case 'release':
      return { kind: 'savepoint', tag: first.toUpperCase(), recovers: false };
    case 'set':
      return setCommand(tokens.slice(1));
    case 'reset':
      return { kind: 'set', name: nameOf(tokens.slice(1)), value: null };
    case 'show':
      return { kind: 'show', name: nameOf(tokens.slice(1)) };
    case 'discard':
      return { kind: 'discard', tag: `DISCARD ${(second ?? 'all').toUpperCase()}` };
    case 'deallocate': {
      const named = tokens.slice(second === 'prepare' ? 2 : 1)[0];
      return {
        kind: 'deallocate',
        name: named?.value === 'all' && named.kind === 'word' ? undefined : named?.value,
      };
    }
    case 'listen':
    case 'unlisten':
    case 'checkpoint':
      return { kind: 'nothing', tag: first.toUpperCase() };
    case 'analyze':
      return { kind: 'nothing', tag: 'ANALYZE' };
    case 'copy':
      return copyCommand(sql, tokens);
    case 'declare':
      return declareCommand(sql, tokens);
    case 'fetch':
    case 'move':
      return fetchCommand(tokens);
    case 'close':
      return closeCommand(tokens);
    case 'prepare':
    case 'execute':
    case 'do':
    case 'notify':
    case 'load':
      return { kind: 'unsupported', what: first.toUpperCase() };
    default:
      if (first !== undefined && writing.has(first)) return { kind: 'write', verb: verbOf(first, second) };
      return { kind: 'query' };
  }
}

const twoPhases: Command = { kind: 'unsupported', what: 'A prepared transaction' };

function verbOf(first: string, second: string | undefined): string {
  const verb = first.toUpperCase();
  return twoWords.has(first) && second !== undefined ? `${verb} ${second.toUpperCase()}` : verb;
}

/** `a.b` and `TIME ZONE`, as one name. */
function nameOf(tokens: readonly Token[]): string {
  const words = tokens.map(({ value }) => value.toLowerCase());
  if (words[0] === 'time' && words[1] === 'zone') return 'timezone';
  if (words.join(' ') === 'transaction isolation level') return 'transaction_isolation';
  if (words.join(' ') === 'session authorization') return 'session_authorization';
  return words.join(tokens.length > 1 && words[1] !== '.' ? ' ' : '');
}

function setCommand(tokens: readonly Token[]): Command {
  const scope = tokens[0]?.value;
  const rest = tokens.slice(scope === 'session' || scope === 'local' ? 1 : 0);
  const words = rest.map(({ value }) => value.toLowerCase());
  if (words[0] === 'characteristics' || words[0] === 'transaction' || words[0] === 'constraints')
    return { kind: 'nothing', tag: 'SET' };
  if (words[0] === 'role' || words[0] === 'authorization') return { kind: 'nothing', tag: 'SET' };
  if (words[0] === 'names') return { kind: 'set', name: 'client_encoding', value: rest[1]?.value ?? null };
  if (words[0] === 'time' && words[1] === 'zone')
    return { kind: 'set', name: 'timezone', value: settingOf(rest.slice(2)) };
  const at = words.findIndex((each) => each === '=' || each === 'to');
  if (at < 1) return { kind: 'unsupported', what: 'This form of SET' };
  return { kind: 'set', name: nameOf(rest.slice(0, at)), value: settingOf(rest.slice(at + 1)) };
}

function settingOf(tokens: readonly Token[]): string | null {
  const [only] = tokens;
  if (tokens.length === 1 && only?.kind === 'word' && only.value === 'default') return null;
  let text = '';
  for (const { value } of tokens) text += value === ',' ? ', ' : value;
  return text;
}
