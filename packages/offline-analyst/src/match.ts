import { type Column, isSystemColumn, isTime, type Table } from './catalog.ts';
import { units } from './comparisons.ts';
import { allowsAsWord, grammarWords } from './grammar-words.ts';
import { harmless, neutralVerbs, stopWords, synonyms, unreadWords } from './lexicon.ts';
import { allowance, distance, keyOf, plain, stem, type Token, wordsOf } from './words.ts';

export interface ColumnMatch {
  column: Column;
  /**
   * How well the words name it: 12 with its table, 10 completely, 9 without is/has, 5 partially, less as a
   * synonym.
   */
  score: number;
}

export interface ValueMatch {
  column: Column;
  value: string;
}

/** What a run of words may stand for. */
export interface Mention {
  length: number;
  said: string;
  tables: string[];
  columns: ColumnMatch[];
  values: ValueMatch[];
  /** The word only qualifies the name of the table: it is not what the table's rows are. */
  isQualifier?: boolean;
}

type Entry = Pick<Mention, 'tables' | 'columns' | 'values' | 'isQualifier'>;

export interface Vocabulary {
  tables: readonly Table[];
  entries: ReadonlyMap<string, Entry>;
  /** Single words of names and values by their stems, to compare misspelt words with. */
  known: ReadonlyMap<string, string>;
  /** Words of columns, which longer words may be written for. */
  columnWords: ReadonlySet<string>;
}

const maxPhraseWords = 6;
const maxCorrections = 40;
/** Maximum number of columns of all tables. */
const maxColumns = 5000;

export function vocabularyOf(tables: readonly Table[]): Vocabulary {
  const entries = new Map<string, Entry>();
  const known = new Map<string, string>();
  const columnWords = new Set<string>();
  const at = (key: string): Entry => {
    const entry = entries.get(key) ?? { tables: [], columns: [], values: [] };
    entries.set(key, entry);
    return entry;
  };
  let columns = 0;
  for (const table of tables) {
    columns += table.columns.length;
    if (columns > maxColumns) break;
    const tableWords = wordsOf(table.name);
    for (const word of tableWords) known.set(stem(word), word);
    at(keyOf(tableWords)).tables.push(table.name);
    const label = table.columns.find(({ name, kind }) => kind === 'text' && plain(name) === 'name');
    for (const column of table.columns) {
      for (const word of wordsOf(column.name)) {
        known.set(stem(word), word);
        if (!isSystemColumn(column.name)) columnWords.add(word);
      }
      // "carrier name", where a carrier is what the table's rows are.
      if (label !== undefined && label !== column && (isKey(column) || column === table.columns[0]))
        at(keyOf([...wordsOf(column.name), 'name'])).columns.push({ column: label, score: 11 });
      for (const [key, score] of keysOfColumn(tableWords, column)) at(key).columns.push({ column, score });
      for (const value of column.values ?? []) {
        const valueWords = column.kind === 'text' ? wordsOf(value) : [];
        if (valueWords.length === 0 || valueWords.length > maxPhraseWords) continue;
        for (const word of valueWords) known.set(stem(word), word);
        at(keyOf(valueWords)).values.push({ column, value });
      }
    }
  }
  namePartly(tables, entries);
  return { tables, entries, known, columnWords };
}

/** "in Seattle" names the table `seattle_weather`, if nothing else has the word. */
function namePartly(tables: readonly Table[], entries: Map<string, Entry>): void {
  const owners = new Map<string, Entry[]>();
  for (const { name } of tables) {
    const words = wordsOf(name);
    if (words.length < 2) continue;
    for (const word of new Set(words)) {
      if (grammarWords.has(word) || word.length < 3) continue;
      const entry = { tables: [name], columns: [], values: [], isQualifier: word !== words.at(-1) };
      owners.set(stem(word), [...(owners.get(stem(word)) ?? []), entry]);
    }
  }
  for (const [key, [only, ...others]] of owners)
    if (others.length === 0 && !entries.has(key)) entries.set(key, only!);
}

/** The keys that name a column, with their scores. */
function keysOfColumn(tableWords: readonly string[], column: Column): Map<string, number> {
  const words = wordsOf(column.name);
  const keys = new Map<string, number>();
  const add = (key: string, score: number) => keys.set(key, Math.max(score, keys.get(key) ?? 0));
  if (words.length === 0) return keys;
  add(keyOf(words), 10);
  if (isSystemColumn(column.name)) return keys;
  if (!keyOf(words).startsWith(keyOf(tableWords))) add(keyOf(tableWords) + keyOf(words), 12);
  const isFlag = words[0] === 'is' || words[0] === 'has' || words[0] === 'was';
  if (isFlag && words.length > 1) add(keyOf(words.slice(1)), 9);
  // "due date" matches `due_on`, "creation date" does not.
  const last = words.at(-1)!;
  if (isTime(column) && words.length > 1 && (last === 'on' || last === 'at'))
    add(keyOf([...words.slice(0, -1), 'date']), 9);
  if (words.length <= maxPhraseWords) {
    for (let from = 0; from < words.length; from += 1)
      for (let to = from + 1; to <= words.length; to += 1) {
        const part = words.slice(from, to);
        if (part.length === words.length || keyOf(part).length <= 2) continue;
        const isHead = column.kind !== 'number' || isKey(column) || part.at(-1) === headOf(column);
        add(keyOf(part), isHead ? 5 : 2);
      }
  }
  return keys;
}

/** The longest run of words from `at` on that names something. */
export function mentionAt(vocabulary: Vocabulary, tokens: readonly Token[], at: number): Mention | undefined {
  for (let length = Math.min(maxPhraseWords, tokens.length - at); length > 0; length -= 1) {
    const run = tokens.slice(at, at + length);
    if (run.some(({ kind }) => kind !== 'word' && kind !== 'number')) continue;
    if (run[0]!.kind === 'number' && length === 1) continue;
    const said = run.map(({ text }) => text).filter((text, index, all) => text !== all[index - 1]);
    const mention = found(vocabulary, run, said.join(' '));
    if (mention !== undefined) return mention;
  }
  return undefined;
}

function found(vocabulary: Vocabulary, run: readonly Token[], said: string): Mention | undefined {
  const isGrammar = run.length === 1 && grammarWords.has(run[0]!.word);
  const key = run.map((token) => token.stem).join('');
  const entry = vocabulary.entries.get(key);
  const values = (entry?.values ?? []).filter((match) => !isGrammar || allowsAsWord(run[0]!, match.value));
  let columns = entry?.columns ?? [];
  if (isGrammar) columns = columns.filter(({ score }) => score >= 9);
  const tables = entry?.tables ?? [];
  if (!columns.some(({ score }) => score >= 9)) columns = [...columns, ...synonymous(vocabulary, key)];
  if (tables.length + columns.length + values.length === 0) return undefined;
  const isQualifier = entry?.isQualifier === true;
  return { length: run.length, said, tables, columns, values, isQualifier };
}

/** Numeric columns that a word such as "revenue" may stand for. */
function synonymous(vocabulary: Vocabulary, key: string): ColumnMatch[] {
  const targets = synonyms.get(key) ?? [];
  return targets.flatMap((target, index) =>
    (vocabulary.entries.get(target)?.columns ?? [])
      .filter(({ column, score }) => column.kind === 'number' && !isKey(column) && score >= 5)
      .map(({ column, score }) => ({ column, score: (score >= 10 ? 4 : 3.5) - index / 10 })),
  );
}

const unitWords = new Set(
  'c f k mm cm m km g kg t l ml eur usd gbp chf pct percent s sec ms min h hours minutes days'.split(' '),
);

/** What a numeric column measures: the last word of its name that is not a unit. */
export function headOf(column: Column): string | undefined {
  const words = wordsOf(column.name);
  return words.findLast((word, index) => index === 0 || !unitWords.has(word));
}

/** True for a number that identifies something, so that a sum would be meaningless. */
export function isKey(column: Column): boolean {
  const words = wordsOf(column.name);
  return ['id', 'key', 'code', 'no', 'nr', 'uuid'].includes(words.at(-1) ?? '');
}

export function timeColumns(table: Table): Column[] {
  return table.columns.filter((column) => isTime(column) && !isSystemColumn(column.name));
}

export interface Correction {
  from: string;
  to: string;
}

/** Replaces unknown words by the one known word that they are a typo of. */
export function corrected(
  vocabulary: Vocabulary,
  tokens: readonly Token[],
): { tokens: Token[]; corrections: Correction[] } {
  const corrections: Correction[] = [];
  let tried = 0;
  const written = inFull(vocabulary, tokens, corrections);
  const fixed = written.map((token) => {
    const limit = allowance(token.word.length);
    const isKnown = grammarWords.has(token.word) || vocabulary.known.has(token.stem);
    if (token.kind !== 'word' || limit === 0 || isKnown || vocabulary.entries.has(token.stem)) return token;
    if (
      synonyms.has(token.stem) ||
      neutralVerbs.has(token.word) ||
      unreadWords.has(token.word) ||
      units.has(token.word) ||
      tried >= maxCorrections
    )
      return token;
    tried += 1;
    const to = nearest(token, limit, vocabulary);
    if (to === undefined) return token;
    corrections.push({ from: token.text, to });
    return { ...token, word: to, stem: stem(to) };
  });
  return { tokens: fixed, corrections };
}

const endings = new Set(['ing', 'ings', 'ers', 'able', 'wise', 'ment']);
const shortestAbbreviation = 3;
/** Abbreviations from this length on are read for themselves, shorter ones only as part of a whole name. */
const clearAbbreviation = 4;

/** Reads words that columns abbreviate: "departure delay" as `dep_delay`, "temperature" as `temp`. */
function inFull(vocabulary: Vocabulary, tokens: readonly Token[], corrections: Correction[]): Token[] {
  const read = [...tokens];
  let tried = 0;
  for (const [index, token] of tokens.entries()) {
    const isKnown = grammarWords.has(token.word) || vocabulary.entries.has(token.stem);
    if (token.kind !== 'word' || isKnown || vocabulary.known.has(token.stem) || tried >= maxCorrections)
      continue;
    tried += 1;
    const word = abbreviationOf(token, vocabulary);
    if (word === undefined) continue;
    read[index] = { ...token, word, stem: stem(word) };
    const isWhole = [index - 1, index].some(
      (at) => at >= 0 && mentionAt(vocabulary, read, at)?.columns.some(({ score }) => score >= 9) === true,
    );
    if (isWhole || word.length >= clearAbbreviation) corrections.push({ from: token.text, to: word });
    else read[index] = token;
  }
  return read;
}

function abbreviationOf(token: Token, { columnWords }: Vocabulary): string | undefined {
  const said = token.stem;
  let best: string | undefined;
  for (const word of columnWords) {
    if (word.length < shortestAbbreviation || word.length < (best?.length ?? 0)) continue;
    const rest = said.slice(word.length);
    if (said.startsWith(word) && rest.length >= 3 && !endings.has(rest)) best = word;
  }
  return best;
}

function nearest(token: Token, limit: number, { known }: Vocabulary): string | undefined {
  // Words of the data take precedence over words of the grammar.
  const candidates = [known, grammarStems, synonymStems];
  for (const words of candidates) {
    let best: string | undefined;
    // A grammar word changes the question, so only one typo is tolerated there.
    let bestDistance = words === grammarStems ? 2 : limit + 1;
    for (const [key, word] of words) {
      if (word.length < 4) continue;
      const away = Math.min(distance(token.stem, key, limit), distance(token.word, word, limit));
      if (away >= bestDistance) continue;
      best = word;
      bestDistance = away;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

/** Words without meaning are not used as corrections: they would make another word meaningless. */
const grammarStems = new Map(
  [...grammarWords]
    .filter((word) => !stopWords.has(word) && !harmless.has(word))
    .reverse()
    .map((word) => [stem(word), word]),
);
const synonymStems = new Map([...synonyms.keys()].map((key) => [key, key]));
