import { chartOf, chartWords, openers } from './lexicon.ts';
import type { Vocabulary } from './match.ts';
import { mention, type Rule, wordAt } from './parse-state.ts';
import type { Intent } from './question.ts';
import { stem, type Token } from './words.ts';

const helpPhrases = [
  'help',
  'who are you',
  'what are you',
  'what can you do',
  'what can i ask',
  'how do you work',
  'how does this work',
  'hello',
  'hi',
  'hey',
  'good morning',
];
const tableNouns = new Set(['tables', 'table', 'datasets', 'dataset', 'sets', 'data']);
const describing = new Set(
  'describe profile explain summarize summarise summary schema structure columns fields profiling'.split(' '),
);

/** Questions other than for figures: help, the tables, a description of a table or a column, some rows. */
export function intentOf(tokens: readonly Token[], vocabulary: Vocabulary): Intent | undefined {
  const words = tokens.filter(({ kind }) => kind === 'word').map(({ word }) => word);
  const text = words.join(' ');
  if (
    text === '' ||
    helpPhrases.some((phrase) => text === phrase || (text.startsWith(`${phrase} `) && words.length < 8))
  )
    return 'help';
  const has = (...some: string[]) => some.some((word) => words.includes(word));
  const isNamed = (word: string) => vocabulary.entries.has(stem(word));
  const asksTables = words.some((word) => tableNouns.has(word) && !isNamed(word));
  if (
    asksTables &&
    has('what', 'which', 'list', 'show') &&
    words.length <= 9 &&
    !namesAny(tokens, vocabulary)
  )
    return 'tables';
  if (text.startsWith('tell me about') || text.startsWith('what is in') || text.startsWith('whats in'))
    return 'describe';
  if (words.some((word) => describing.has(word) && !isNamed(word))) return 'describe';
  if (has('values') && has('what', 'which', 'list', 'show', 'possible')) return 'values';
  if (has('sample', 'preview', 'samples') || text.includes('example rows')) return 'rows';
  return undefined;
}

function namesAny(tokens: readonly Token[], vocabulary: Vocabulary): boolean {
  return tokens.some(({ stem }) => vocabulary.entries.has(stem));
}

const pronouns = new Set(['it', 'them', 'those', 'these', 'that', 'this']);

/** True if a message begins like a continuation of the previous one. */
export function isOpener(tokens: readonly Token[]): boolean {
  const words = tokens.slice(0, 6).map(({ word }) => word);
  const [first, second, third] = words;
  if (first === undefined) return false;
  if (words.some((word) => ['their', 'its', 'them'].includes(word))) return true;
  if ((first === 'what' || first === 'how') && (second === 'about' || second === 'if')) return true;
  if (first === 'make' && second === 'it') return true;
  if (
    words.slice(0, 5).some((word, index) => pronouns.has(word) && words[index + 1] !== 'table' && index > 0)
  ) {
    if (words.includes('of') || chartWords.has(first) || ['show', 'draw', 'as'].includes(first)) return true;
  }
  if (first === 'what' || first === 'how' || (first === 'now' && third === undefined)) return false;
  return openers.has(first) || first === 'in' || first === 'since' || first === 'not';
}

const chartFillers = new Set(['a', 'an', 'as']);

/** "as a pie chart", "plot", "write a report", "summary": the wanted form of the answer. */
export const charting: Rule = (state) => {
  const { draft } = state;
  const word = wordAt(state, state.at);
  const next = wordAt(state, state.at + 1);
  const isName = mention(state, state.at) !== undefined;
  if (draft.intent === 'values' && (word === 'values' || word === 'value')) return 1;
  const kind = chartOf.get(word);
  if (kind !== undefined && chartWords.has(next)) {
    draft.chart = kind;
    return 2;
  }
  if (isName) return 0;
  const isAlone = state.tokens.length <= 2 || chartFillers.has(wordAt(state, state.at - 1));
  if (kind !== undefined && (word === 'pie' || word === 'scatter' || word === 'scatterplot' || isAlone)) {
    draft.chart = kind;
    return 1;
  }
  if (chartWords.has(word)) {
    draft.chart ??= 'any';
    return 1;
  }
  if (word === 'report' || word === 'reports') {
    draft.isReport = true;
    return 1;
  }
  if (word === 'write' && (next === 'a' || next === 'up' || next === 'me' || next === 'the')) return 2;
  if (word === 'tell' || word === 'write') return 1;
  return isIntentWord(word, draft.intent) ? 1 : 0;
};

const sampleWords = new Set(['sample', 'samples', 'preview', 'example', 'examples', 'random']);

function isIntentWord(word: string, intent: Intent | undefined): boolean {
  if (intent === 'describe') return describing.has(word);
  if (intent === 'rows') return sampleWords.has(word);
  if (intent === 'values') return word === 'possible';
  return intent === 'help' && helpPhrases.some((phrase) => phrase.split(' ').includes(word));
}
