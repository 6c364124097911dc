import {
  comparison,
  dates,
  equality,
  flagOf,
  negation,
  nullTest,
  quoted,
  relativeDate,
  truth,
  values,
} from './conditions.ts';
import { adverb, furtherGroup, grouping, listing, subject, which } from './groups.ts';
import { charting, intentOf, isOpener } from './intents.ts';
import { harmless, stopWords } from './lexicon.ts';
import { corrected, isKey, type Vocabulary } from './match.ts';
import { aggregating, counting, distinctness, isSmall, ranking, sharing, takeMeasures } from './measures.ts';
import {
  articles,
  connectors,
  isAll,
  isConditionAhead,
  linking,
  mention,
  type Rule,
  referenceOf,
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
  comparison,
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

const ends = new Set(['.', ';', '?', '!']);
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
  state.draft.problems.push('I join filters by “and”; by “or” only values of one column.');
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
  const isHarmless = harmless.has(token.word) || (token.word.endsWith('ly') && token.word.length > 4);
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
  if (state.isNegated) state.draft.problems.push('I did not understand what “not” or “without” is said of.');
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
    `“${token.text}” is no value of ${column.name}, which holds ${some.join(', ')}${more}.`,
  );
}

/** A table or a column, assigned to whatever is pending. */
function named(state: State): number {
  const found = mention(state, state.at);
  if (found === undefined || found.tables.length + found.columns.length === 0) return 0;
  const reference = referenceOf(found);
  const end = state.at + found.length;
  const start = state.at;
  const { draft } = state;
  const isCondition = found.tables.length === 0 && isConditionAhead(state, reference, end);
  if (state.wantsOrder && found.columns.length > 0) {
    draft.order = reference;
    state.wantsOrder = false;
    return found.length;
  }
  const next = mention(state, end);
  const isOfNext =
    found.tables.length > 0 &&
    state.pending.some(({ aggregate }) => aggregate !== 'count' && aggregate !== 'distinct');
  if (isOfNext && next?.columns.some(({ column }) => column.kind === 'number' && !isKey(column)) === true) {
    // "average order value": the table only qualifies the value.
    draft.tables.push(...found.tables);
    return found.length;
  }
  if (!isCondition && !isFlag(state, reference, found.tables) && takeMeasures(state, found.length)) {
    state.column = found.tables.length > 0 ? undefined : { reference, isLoose: false };
    state.at = start;
    return found.length;
  }
  if (found.tables.length > 0) {
    draft.tables.push(...found.tables);
    state.column = undefined;
    return found.length;
  }
  if (!isCondition && isAll(reference, ['boolean'])) {
    flagOf(state, reference);
    return found.length;
  }
  draft.loose.push(reference);
  state.column = { reference, isLoose: true };
  return found.length;
}

function isFlag(state: State, reference: Parameters<typeof isAll>[0], tables: readonly string[]): boolean {
  const isCounting = state.pending.every(({ aggregate }) => aggregate === 'count');
  return tables.length === 0 && isCounting && isAll(reference, ['boolean']);
}

/** "first 5 orders", "the last order": by its date column. */
function firstRows(state: State): number {
  const word = wordAt(state, state.at);
  if (word !== 'first' && word !== 'last') return 0;
  const number = state.tokens[state.at + 1];
  const isNumbered = number?.kind === 'number' && isSmall(number.value);
  const found = mention(state, state.at + (isNumbered ? 2 : 1));
  if (found === undefined) return 0;
  state.draft.direction = word === 'first' ? 'asc' : 'desc';
  state.draft.intent = word;
  state.draft.limit = isNumbered ? number.value! : 1;
  return isNumbered ? 2 : 1;
}

/** "show 5 orders", "5 rows": a number before the listed things. */
function limiting(state: State): number {
  const token = state.tokens[state.at]!;
  if (token.kind !== 'number' || !isSmall(token.value)) return 0;
  const next = wordAt(state, state.at + 1);
  const isRows = ['rows', 'row', 'records', 'examples', 'samples', 'entries', 'sample', 'random'].includes(
    next,
  );
  const isTable = (mention(state, state.at + 1)?.tables.length ?? 0) > 0;
  // "the 3 highest amounts"
  const isRanked = state.tokens[state.at + 1]?.kind === 'word' && rankable.has(next);
  if (!isRows && !isTable && !isRanked && !isOwner(state)) return 0;
  state.draft.limit = token.value!;
  if (isRows || isTable) state.draft.isRows = true;
  return isRows ? 2 : 1;
}

/** "3 countries with the highest revenue". */
function isOwner(state: State): boolean {
  const found = mention(state, state.at + 1);
  if (found === undefined) return false;
  const end = state.at + 1 + found.length;
  const start = wordAt(state, end + 1) === 'the' ? end + 2 : end + 1;
  return ['with', 'having'].includes(wordAt(state, end)) && rankable.has(wordAt(state, start));
}

const rankable = new Set(
  'highest lowest largest biggest smallest greatest most least cheapest newest oldest latest earliest best worst hottest coldest warmest longest shortest'.split(
    ' ',
  ),
);
