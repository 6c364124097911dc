import type { Token } from './words.ts';

export type Operator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Comparison = { length: number; said: string } & (
  | { kind: 'compare'; operator: Operator; value: Token }
  | { kind: 'between'; low: Token; high: Token }
);

/** Longer phrases first. */
const phrases: readonly (readonly [string, Operator])[] = [
  ['no less than', '>='],
  ['not less than', '>='],
  ['no fewer than', '>='],
  ['no more than', '<='],
  ['not more than', '<='],
  ['greater than or equal to', '>='],
  ['less than or equal to', '<='],
  ['not equal to', '<>'],
  ['more than', '>'],
  ['greater than', '>'],
  ['larger than', '>'],
  ['bigger than', '>'],
  ['higher than', '>'],
  ['longer than', '>'],
  ['later than', '>'],
  ['less than', '<'],
  ['fewer than', '<'],
  ['lower than', '<'],
  ['smaller than', '<'],
  ['shorter than', '<'],
  ['earlier than', '<'],
  ['at least', '>='],
  ['at most', '<='],
  ['up to', '<='],
  ['equal to', '='],
  ['equals', '='],
  ['exactly', '='],
  ['over', '>'],
  ['above', '>'],
  ['beyond', '>'],
  ['exceeding', '>'],
  ['exceeds', '>'],
  ['under', '<'],
  ['below', '<'],
  ['!=', '<>'],
  ['<>', '<>'],
  ['>=', '>='],
  ['≥', '>='],
  ['<=', '<='],
  ['≤', '<='],
  ['=', '='],
  ['>', '>'],
  ['<', '<'],
];
const split = phrases.map(([phrase, operator]) => ({ words: phrase.split(' '), operator }));

/** Words that may follow a number and carry no meaning here. */
export const units: ReadonlySet<string> = new Set(
  'eur euro euros usd dollar dollars degrees percent days hours minutes % gbp chf'.split(' '),
);

/** The comparison that begins at `at`, if any: "over 100", "at least 3", "between 10 and 20". */
export function comparisonAt(tokens: readonly Token[], at: number): Comparison | undefined {
  const word = (index: number) => tokens[index]?.word ?? '';
  const said = (length: number) =>
    tokens
      .slice(at, at + length)
      .map(({ text }) => text)
      .join(' ');
  if (word(at) === 'between' || word(at) === 'from') {
    const [low, high] = [tokens[at + 1], tokens[at + 3]];
    const joins = word(at) === 'between' ? 'and' : 'to';
    if (low?.kind !== 'number' || high?.kind !== 'number' || word(at + 2) !== joins) return undefined;
    return { kind: 'between', low, high, length: 4, said: said(4) };
  }
  for (const { words, operator } of split) {
    if (!words.every((one, index) => word(at + index) === one)) continue;
    const value = tokens[at + words.length];
    if (value?.kind !== 'number' && value?.kind !== 'date') return undefined;
    const length = words.length + 1;
    return { kind: 'compare', operator, value, length, said: said(length) };
  }
  return undefined;
}

/** True if the number, standing alone, would be a year. */
export function looksLikeYear(token: Token): boolean {
  return token.kind === 'number' && /^(?:19|20)\d\d$/.test(token.text);
}
