/** Turns text into comparable words: bounded, in one pass, without patterns that could backtrack. */
export type TokenKind = 'word' | 'number' | 'date' | 'quoted' | 'symbol';

export interface Token {
  kind: TokenKind;
  /** As written, for messages to the user. */
  text: string;
  /** Lower case without accents, used for comparisons. */
  word: string;
  /** `word` in the singular. */
  stem: string;
  /** Start position in the text. */
  at: number;
  value?: number;
}

export interface Tokens {
  tokens: Token[];
  /** True if the text is longer than what is read. */
  isCut: boolean;
}

const maxTokens = 400;
const maxCharacters = 8000;
const maxWordCharacters = 60;
const maxQuotedCharacters = 200;

const closers: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '“': '”',
  '„': '“',
  '‘': '’',
  '«': '»',
};
const symbols = [
  '!=',
  '<>',
  '>=',
  '<=',
  '=',
  '>',
  '<',
  '≥',
  '≤',
  ',',
  ';',
  '?',
  '!',
  '.',
  ':',
  '%',
  '(',
  ')',
];

/** Letters, lower case, without accents; `ß` is `ss`. */
export function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
}

/** The singular of an English word, without a final `e`; good enough for comparisons. */
export function stem(word: string): string {
  if (word.length < 4 || word.endsWith('ss') || word.endsWith('us') || word.endsWith('is')) return word;
  let singular = word.endsWith('s') ? word.slice(0, -1) : word;
  if (word.endsWith('ies') && word.length > 4) singular = `${word.slice(0, -3)}y`;
  return singular.endsWith('e') && singular.length > 4 ? singular.slice(0, -1) : singular;
}

/** Words of a name or a value, split at non-alphanumeric characters and at capitals that begin a word. */
export function wordsOf(name: string, mostCharacters = maxQuotedCharacters): string[] {
  const parted = name.slice(0, mostCharacters).replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2');
  return plain(parted)
    .split(/[^\p{L}\p{N}]/u)
    .filter((word) => word !== '');
}

/** One key for all spellings of a name: `order_date`, `orderDate` and `Order dates` are `orderdate`. */
export function keyOf(words: readonly string[]): string {
  return words.map(stem).join('');
}

export function tokenize(text: string): Tokens {
  const clean = text
    .slice(0, maxCharacters)
    .replace(/[\p{Cc}\p{Cf}]/gu, (character) =>
      character === '\n' || character === '\t' || character === '\r' ? ' ' : '',
    );
  const tokens: Token[] = [];
  let at = 0;
  while (at < clean.length && tokens.length < maxTokens) {
    const end = readToken(clean, at, tokens);
    at = end > at ? end : at + 1;
  }
  return { tokens: tokens.slice(0, maxTokens), isCut: text.length > maxCharacters || at < clean.length };
}

/** Reads the token at `at`; returns its end, or `at` if there is none. */
function readToken(text: string, at: number, into: Token[]): number {
  const character = text[at]!;
  if (character === ' ') return at;
  if (closers[character] !== undefined && !isWordCharacter(text[at - 1])) {
    const end = readQuoted(text, at, into);
    if (end > at) return end;
  }
  if (isDigit(character) || (character === '-' && isDigit(text[at + 1]) && !isWordCharacter(text[at - 1]))) {
    const end = readNumber(text, at, into);
    if (end > at) return end;
  }
  if (isWordCharacter(character)) return readWord(text, at, into);
  const symbol = symbols.find((symbol) => text.startsWith(symbol, at));
  if (symbol === undefined) return at;
  into.push({ kind: 'symbol', text: symbol, word: symbol, stem: symbol, at });
  return at + symbol.length;
}

function readQuoted(text: string, at: number, into: Token[]): number {
  const close = closers[text[at]!]!;
  const end = text.indexOf(close, at + 1);
  if (end < 0 || end === at + 1 || end - at > maxQuotedCharacters) return at;
  // An apostrophe may not begin a quotation: a quotation ends only before a character that is not part of a
  // word.
  if (close === "'" && isWordCharacter(text[end + 1])) return at;
  const inner = text.slice(at + 1, end);
  into.push({ kind: 'quoted', text: inner, word: plain(inner), stem: plain(inner), at });
  return end + 1;
}

const isoDate = /^\d{4}-\d{2}-\d{2}(?![\d-])/;
const isoMonth = /^\d{4}-\d{2}(?![\d-])/;
const figure = /^-?\d{1,15}(?:,\d{3}){0,4}(?:\.\d{1,10})?/;

function readNumber(text: string, at: number, into: Token[]): number {
  const rest = text.slice(at, at + 40);
  const date = isoDate.exec(rest) ?? isoMonth.exec(rest);
  if (date !== null) {
    into.push({ kind: 'date', text: date[0], word: date[0], stem: date[0], at });
    return at + date[0].length;
  }
  const found = figure.exec(rest);
  if (found === null) return at;
  const scale = scaleOf(rest.slice(found[0].length));
  const length = found[0].length + (scale === 1 ? 0 : 1);
  if (isWordCharacter(text[at + length])) return at;
  const value = Number(found[0].replaceAll(',', '')) * scale;
  const written = rest.slice(0, length);
  into.push({ kind: 'number', text: written, word: written, stem: written, at, value });
  return at + length;
}

function scaleOf(suffix: string): number {
  if (isWordCharacter(suffix[1])) return 1;
  return suffix[0] === 'k' || suffix[0] === 'K' ? 1000 : suffix[0] === 'M' ? 1_000_000 : 1;
}

function readWord(text: string, at: number, into: Token[]): number {
  let end = at;
  while (end < text.length && (isWordCharacter(text[end]) || isApostropheWithin(text, end))) end += 1;
  const written = text.slice(at, end);
  for (const part of wordsOf(contracted(written).slice(0, maxWordCharacters))) {
    into.push({ kind: 'word', text: written.slice(0, maxWordCharacters), word: part, stem: stem(part), at });
  }
  return end;
}

/** `isn't` is "is not", `customer's` is "customer". */
function contracted(word: string): string {
  const lower = word.replaceAll('’', "'");
  if (/n't$/i.test(lower)) return `${lower.slice(0, -3)} not`;
  const apostrophe = lower.indexOf("'");
  return apostrophe > 1 && lower.length - apostrophe <= 3 ? lower.slice(0, apostrophe) : lower;
}

function isApostropheWithin(text: string, at: number): boolean {
  const isOne = text[at] === "'" || text[at] === '’';
  return isOne && isWordCharacter(text[at + 1]);
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}\p{M}_]/u.test(character);
}

/** Number of typos tolerated in a word of this length. */
export function allowance(length: number): number {
  return length >= 9 ? 2 : length >= 5 ? 1 : 0;
}

/** Damerau–Levenshtein distance (swapped neighbours are one typo), or `limit + 1` if it is larger. */
export function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const cost = a[row - 1] === b[column - 1] ? 0 : 1;
      let best = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + cost);
      const isSwap = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (isSwap) best = Math.min(best, before[column - 2]! + 1);
      current.push(best);
    }
    if (Math.min(...current) > limit) return limit + 1;
    before = previous;
    previous = current;
  }
  return previous[b.length]!;
}
