import { isCalendarPart } from './calendar.ts';
import type { Column } from './catalog.ts';
import { comparisonAt } from './comparisons.ts';
import { dateAt } from './dates.ts';
import { type Mention, mentionAt, type Vocabulary } from './match.ts';
import type { Aggregate, Draft, DraftFilter, Reference } from './question.ts';
import type { Token } from './words.ts';

/** The state of parsing a message. */
export interface State {
  readonly tokens: readonly Token[];
  readonly vocabulary: Vocabulary;
  readonly draft: Draft;
  at: number;
  /** Aggregates waiting for their column or table. */
  pending: { aggregate: Aggregate; said: string; isSuperlative: boolean; owner: Reference | undefined }[];
  /** True after "or": a following filter would be an alternative, which is not supported. */
  isOr: boolean;
  /** What "and" and a comma continue. */
  context?: 'group' | 'measure' | 'values' | undefined;
  /** The aggregates of the last measure, for a following "and". */
  lastAggregates: Aggregate[];
  isNegated: boolean;
  /** The last named column, if only words such as "is" followed it. */
  column?: { reference: Reference; isLoose: boolean } | undefined;
  /** True after "which" or "top": the next name is the subject. */
  wantsSubject: boolean;
  /** True after "sort by", or "by" after a "top": the next column is the order. */
  wantsOrder: boolean;
  /** True after a verb: for shares, what follows it selects the part. */
  isAfterVerb: boolean;
}

/** Parses at `state.at`; returns the number of tokens consumed, or 0. */
export type Rule = (state: State) => number;

export function wordAt(state: State, at: number): string {
  return state.tokens[at]?.word ?? '';
}

export function mention(state: State, at: number): Mention | undefined {
  return at < state.tokens.length ? mentionAt(state.vocabulary, state.tokens, at) : undefined;
}

/** The position after any `words` starting at `at`. */
export function skip(state: State, at: number, words: ReadonlySet<string>): number {
  let end = at;
  while (words.has(wordAt(state, end))) end += 1;
  return end;
}

export const articles: ReadonlySet<string> = new Set([
  'the',
  'a',
  'an',
  'any',
  'of',
  'their',
  'its',
  'our',
  'all',
]);
export const linking: ReadonlySet<string> = new Set(
  'is are was were be been has have had = : equals equal to'.split(' '),
);
export const emptiness: ReadonlySet<string> = new Set([
  'null',
  'missing',
  'empty',
  'blank',
  'unknown',
  'unset',
]);
export const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['false', false],
]);

export function referenceOf(found: Mention): Reference {
  return { said: found.said, columns: found.columns, tables: found.tables };
}

/** The columns with the best score. */
function bestColumns(reference: Reference) {
  const best = Math.max(...reference.columns.map(({ score }) => score));
  return reference.columns.filter(({ score }) => score === best).map(({ column }) => column);
}

export function isAll(reference: Reference, kinds: readonly string[]): boolean {
  const isOne = (column: Column) =>
    kinds.includes(column.kind) || (column.isBinary === true && kinds.includes('boolean'));
  return reference.columns.length > 0 && bestColumns(reference).every(isOne);
}

/** True if the words name a part of a date, such as a column `month`. */
export function namesCalendarPart({ columns }: Pick<Reference, 'columns'>): boolean {
  return columns.some(({ column, score }) => score >= 9 && isCalendarPart(column));
}

export const timeKinds = ['date', 'timestamp', 'timestamptz'];

/** True if what follows a column at `end` is a condition on its values. */
export function isConditionAhead(state: State, reference: Reference, end: number): boolean {
  let at = skip(state, end, linking);
  if (wordAt(state, at) === 'of' && comparisonAt(state.tokens, at + 1) !== undefined) return true;
  const isLinked = at > end;
  if (wordAt(state, at) === 'not' || wordAt(state, at) === 'never') at += 1;
  if (at >= state.tokens.length) return false;
  const token = state.tokens[at]!;
  if (isLinked && (emptiness.has(token.word) || truths.has(token.word))) return true;
  if (comparisonAt(state.tokens, at) !== undefined) return true;
  if (comparisonAt(state.tokens, end) !== undefined) return true;
  if (token.kind === 'quoted') return true;
  if (token.kind === 'number' && (isLinked || at === end)) return isAll(reference, ['number']);
  if (isAll(reference, timeKinds)) return dateAt(state.tokens, at) !== undefined;
  return ofColumn(valuesAt(state, at, reference), reference).length > 0;
}

/** Values at `at`; those that are also grammar words count only if their column was named just before. */
export function valuesAt(state: State, at: number, reference?: Reference): Mention['values'] {
  const found = mention(state, at)?.values ?? [];
  if (found.length > 0 || reference === undefined) return found;
  const token = state.tokens[at];
  const entry = token === undefined ? undefined : state.vocabulary.entries.get(token.stem);
  return ofColumn(entry?.values ?? [], reference);
}

export function ofColumn(values: Mention['values'], reference: Reference): Mention['values'] {
  return values.filter(({ column }) =>
    reference.columns.some(
      (match) => match.column.table === column.table && match.column.name === column.name,
    ),
  );
}

/** True right after "and" or a comma. */
export function isContinued(state: State): boolean {
  let before = state.at - 1;
  while (articles.has(wordAt(state, before))) before -= 1;
  return connectors.has(wordAt(state, before));
}

/** Symbols that end a clause. */
export const ends: ReadonlySet<string> = new Set(['.', ';', '?', '!']);

export const connectors: ReadonlySet<string> = new Set(['and', 'or', ',', '&', 'plus']);

/** Consumes the last named column for the current condition. */
export function takeColumn(state: State): Reference | undefined {
  const { column, draft } = state;
  state.column = undefined;
  if (column === undefined) return undefined;
  if (column.isLoose) draft.loose = draft.loose.filter((one) => one !== column.reference);
  return column.reference;
}

/** Fields common to all filters. */
export const filterFields = (state: State, text: string) => ({
  isNegated: state.isNegated,
  said: text,
  isAfterVerb: state.isAfterVerb,
});

export function addFilter(state: State, filter: DraftFilter): void {
  state.draft.filters.push(filter);
  state.isNegated = false;
}
