import type { Token } from '../lexer.ts';

const rowFunctions = new Set(['generate_series', 'unnest', 'generate_subscripts', 'regexp_split_to_table']);
/** It gives one value, which the engine takes only from a SELECT. */
const oneValue = 'string_to_array';
const clauses = new Set(['select', 'from', 'where', 'group', 'order', 'having', 'limit', 'union', 'on']);
const notAliases = new Set([
  ...['on', 'where', 'join', 'left', 'right', 'inner', 'cross', 'full', 'order', 'group', 'union', 'with'],
  ...['limit', 'as', 'natural', 'lateral', 'having', 'offset'],
]);

/**
 * The alias of a function in FROM is also the name of its column: `generate_series(1, 2) s` becomes `s(s)`.
 */
export function withColumnAliases(tokens: readonly Token[]): Token[] {
  const out: Token[] = [];
  const aliases = new Set<number>();
  const ends = new Set<number>();
  /** The clause at each depth of brackets. */
  const clause = [''];
  for (const [at, token] of tokens.entries()) {
    if (token.text === '(') clause.push('');
    else if (token.text === ')') clause.pop();
    else if (token.kind === 'word' && clauses.has(token.value)) clause[clause.length - 1] = token.value;
    const before = tokens[at - 1]?.value ?? '';
    const isPlace =
      ['from', 'join', 'lateral'].includes(before) || (before === ',' && clause.at(-1) === 'from');
    const place = isPlace && tokens[at + 1]?.text === '(' ? aliasPlace(tokens, at + 1) : undefined;
    if (place !== undefined && (rowFunctions.has(token.value) || token.value === oneValue))
      aliases.add(place);
    if (place !== undefined && token.value === oneValue) {
      out.push(symbol('(', token), symbol('SELECT', token));
      ends.add(closing(tokens, at + 1));
    }
    out.push(token);
    if (ends.has(at)) out.push(symbol(')', token));
    if (aliases.has(at)) out.push(symbol('(', token), token, symbol(')', token));
  }
  return out;
}

function aliasPlace(tokens: readonly Token[], open: number): number | undefined {
  const last = closing(tokens, open);
  const place = tokens[last + 1]?.value === 'as' ? last + 2 : last + 1;
  const alias = tokens[place];
  const isAlias = alias?.kind === 'quoted' || (alias?.kind === 'word' && !notAliases.has(alias.value));
  return isAlias && tokens[place + 1]?.text !== '(' ? place : undefined;
}

/** The place of the bracket that closes the one at `at`. */
function closing(tokens: readonly Token[], at: number): number {
  let depth = 0;
  for (let place = at; place < tokens.length; place += 1) {
    depth += tokens[place]!.text === '(' ? 1 : tokens[place]!.text === ')' ? -1 : 0;
    if (depth === 0) return place;
  }
  return tokens.length;
}

const symbol = (text: string, { start, end }: Token): Token => ({
  kind: 'symbol',
  text,
  value: text,
  start,
  end,
});
