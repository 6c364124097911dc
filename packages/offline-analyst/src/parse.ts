import { negation, nullTest, outOf, undone } from './absence.ts';
import { bracketed, prefer } from './brackets.ts';
import { comparison, dates, equality, quoted, relativeDate, truth, values } from './conditions.ts';
import { adverb, furtherGroup, grouping, listing, subject, which } from './groups.ts';
import { charting, intentOf, isOpener } from './intents.ts';
import { harmless, stopWords, unreadWords } from './lexicon.ts';
import { firstRows, limiting } from './limits.ts';
import { corrected, type Vocabulary } from './match.ts';
import { aggregating, counting, distinctness, ranking, sharing } from './measures.ts';
import { isNeutralVerb, named } from './names.ts';
import {
  articles,
  connectors,
  ends,
  linking,
  mention,
  type Rule,
  type State,
  wordAt,
} from './parse-state.ts';
import { type Draft, emptyDraft } from './question.ts';
import { type Token, tokenize } from './words.ts';

/** Tried in this order at each word. */
const rules: readonly Rule[] = [
  charting,
  relativeDate,
  truth,
  adverb,
  comparing,
  comparison,
  outOf,
  undone,
  nullTest,
  equality,
  dates,
  furtherGroup,
  counting,
  distinctness,
  ranking,
  grouping,
  sharing,
  aggregating,
  which,
  subject,
  values,
  named,
  negation,
  quoted,
  firstRows,
  limiting,
  listing,
];

const verbs = new Set(['is', 'are', 'was', 'were', 'have', 'has', 'come', 'comes', 'came']);

/**
 * Parses one message. Every word is either understood, known to have no meaning here, or reported as unknown.
 */
export function parse(text: string, vocabulary: Vocabulary): Draft {
  const { tokens: read, isCut } = tokenize(text);
  const { tokens, corrections } = corrected(vocabulary, read);
  const draft: Draft = { ...emptyDraft(), isCut, corrections };
  draft.isOpener = isOpener(tokens);
  draft.isBy = draft.isOpener && tokens.slice(0, 2).some(({ word }) => word === 'by');
  draft.isAddition = tokens.slice(0, 4).some(({ word }) => word === 'also' || word === 'additionally');
  const state: State = {
    tokens,
    vocabulary,
    draft,
    at: 0,
    pending: [],
    lastAggregates: [],
    isNegated: false,
    isOr: false,
    wantsSubject: false,
    wantsOrder: false,
    isAfterVerb: false,
  };
  draft.intent = intentOf(tokens, vocabulary);
  while (state.at < tokens.length) step(state);
  leaveClause(state);
  const [compared] = draft.filters.flatMap((filter) =>
    filter.kind === 'compare' ? (filter.column ?? []) : [],
  );
  for (const measure of state.pending) {
    // "average fine over 2": the compared column is also the computed one.
    const column = measure.aggregate === 'count' || draft.loose.length > 0 ? undefined : compared;
    draft.measures.push(column === undefined ? measure : { ...measure, column });
  }
  prefer(draft);
  if (tokens.some(({ word }) => word === 'when')) refuseWhen(draft);
  return draft;
}

/** Refuses "when was the highest temperature", which would otherwise be answered with the temperature. */
function refuseWhen({ measures, problems, intent }: Draft): void {
  const isNumber = measures.some(({ column }) => column?.columns[0]?.column.kind === 'number');
  if (isNumber && intent === undefined)
    problems.push(
      'I cannot tell when: ask which day, month or year had it, as in “which month had the highest …”.',
    );
}

function step(state: State): void {
  const token = state.tokens[state.at]!;
  if (connectors.has(token.word) && (mention(state, state.at)?.length ?? 0) < 2) {
    if (token.word === 'or' && state.draft.filters.length > 0) state.isOr = true;
    if (state.context === undefined) state.column = undefined;
    state.at += 1;
    return;
  }
  if (bracketed(state)) return;
  const before = state.at;
  for (const rule of rules) {
    const was = state.context;
    const filters = state.draft.filters.length;
    const taken = rule(state);
    if (taken === 0) continue;
    state.at = before + taken;
    if (state.draft.filters.length > filters) refuseOr(state);
    else if (rule === values || rule === quoted) state.isOr = false;
    if (state.context === was && !keepsContext(rule)) state.context = undefined;
    if (rule !== named && rule !== negation) state.column = undefined;
    return;
  }
  plainWord(state, token);
}

function refuseOr(state: State): void {
  if (!state.isOr) return;
  state.isOr = false;
  state.draft.problems.push(
    'I can combine filters with “and”. With “or”, I can combine only values of one column.',
  );
}

/** Rules that continue a list; after any other rule, "and" begins something new. */
function keepsContext(rule: Rule): boolean {
  return rule === values || rule === quoted || rule === furtherGroup || rule === named || rule === grouping;
}

/** A word without a rule: either without meaning here, or not understood. */
function plainWord(state: State, token: Token): void {
  const { draft } = state;
  state.at += 1;
  if (verbs.has(token.word)) state.isAfterVerb = true;
  if (token.kind === 'symbol') {
    if (ends.has(token.word)) leaveClause(state);
    return;
  }
  if (linking.has(token.word) || articles.has(token.word)) return;
  const isNaming = token.word === 'named' || token.word === 'called';
  if (token.kind === 'word' && stopWords.has(token.word) && !(isNaming && !namesValue(state))) {
    if (!['in', 'with', 'to', 'where', 'the'].includes(token.word)) state.column = undefined;
    if (state.context === 'group' || state.context === 'measure') state.context = undefined;
    return;
  }
  if (token.kind === 'word' && isNeutralVerb(state, state.at - 1)) {
    if (!draft.ignored.includes(token.text)) draft.ignored.push(token.text);
    state.isAfterVerb = true;
    state.column = undefined;
    return;
  }
  const isHarmless =
    harmless.has(token.word) ||
    (token.word.endsWith('ly') && token.word.length > 4 && !unreadWords.has(token.word));
  const list = isHarmless ? draft.ignored : draft.unknown;
  if (!list.includes(token.text)) list.push(token.text);
  if (list === draft.unknown && state.column !== undefined) explainValue(state, token);
  state.column = undefined;
  state.context = undefined;
}

/** True if "named" is followed by a value. */
function namesValue(state: State): boolean {
  return state.tokens[state.at]?.kind === 'quoted' || (mention(state, state.at)?.values.length ?? 0) > 0;
}

function leaveClause(state: State): void {
  if (state.isNegated) state.draft.problems.push('I did not understand what “not” or “without” refers to.');
  state.context = undefined;
  state.column = undefined;
  state.isNegated = false;
}

function explainValue(state: State, token: Token): void {
  const column = state.column!.reference.columns[0]?.column;
  if (column?.values === undefined || column.values === null) return;
  const some = column.values.slice(0, 10).map((value) => `“${value}”`);
  const more = column.values.length > some.length ? ', …' : '';
  state.draft.problems.push(
    `“${token.text}” is not a value of ${column.name}, which contains ${some.join(', ')}${more}.`,
  );
}

/** "compare JFK and LGA": the values are the groups. */
function comparing(state: State): number {
  if (!['compare', 'comparison', 'compared', 'comparing'].includes(wordAt(state, state.at))) return 0;
  state.draft.isComparison = true;
  return 1;
}
