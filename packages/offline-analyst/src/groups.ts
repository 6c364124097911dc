import { aggregateOf, distinctWords, listWords, periodOf, whichWords } from './lexicon.ts';
import {
  articles,
  isAll,
  isContinued,
  mention,
  namesCalendarPart,
  type Rule,
  referenceOf,
  type State,
  skip,
  timeKinds,
  wordAt,
} from './parse-state.ts';
import type { DraftGroup } from './question.ts';

const by = new Set(['by', 'per', 'each', 'every', 'across', 'versus', 'vs', 'against']);
const doing = new Set(['made', 'placed', 'sold', 'given', 'done']);
const sorting = new Set(['order', 'ordered', 'sort', 'sorted', 'rank', 'ranked', 'ordering', 'sorting']);
const fillers: ReadonlySet<string> = new Set([...articles, 'each', 'every', 'calendar', 'both', 'type']);
const adverbs = new Set(['daily', 'weekly', 'monthly', 'quarterly', 'yearly', 'annual', 'annually']);

/** "by country", "per month", "for each status and year", "sorted by amount". */
export const grouping: Rule = (state) => {
  const word = wordAt(state, state.at);
  if (sorting.has(word) && wordAt(state, state.at + 1) === 'by') {
    state.wantsOrder = true;
    return 2;
  }
  if (!by.has(word)) return 0;
  // "orders made by customers in Germany" is not a grouping.
  if (doing.has(wordAt(state, state.at - 1))) return 1;
  const start = skip(state, state.at + 1, fillers);
  const next = wordAt(state, start);
  const isMeasure =
    aggregateOf.has(next) || ['number', 'count', 'how'].includes(next) || distinctWords.has(next);
  const isRanked = state.draft.direction !== undefined || state.wantsOrder;
  const isName = mention(state, start)?.columns.some(({ score }) => score >= 9) ?? false;
  if (isMeasure && !isName) return start - state.at;
  const found = mention(state, start);
  const isNumber =
    found !== undefined &&
    found.tables.length === 0 &&
    isAll(referenceOf(found), ['number']) &&
    !namesCalendarPart(found);
  if (isNumber && isRanked && word === 'by') {
    state.wantsOrder = true;
    return start - state.at;
  }
  const taken = groupAt(state, start);
  if (taken === 0) return 0;
  state.context = 'group';
  return start + taken - state.at;
};

/** A further group, as in "by country and month". */
export const furtherGroup: Rule = (state) => {
  if (state.context !== 'group' || !isContinued(state)) return 0;
  const start = skip(state, state.at, fillers);
  const taken = groupAt(state, start);
  if (taken > 0) state.context = 'group';
  return taken === 0 ? 0 : start + taken - state.at;
};

/** "monthly revenue", "over time". */
export const adverb: Rule = (state) => {
  const word = wordAt(state, state.at);
  if (word === 'over' && wordAt(state, state.at + 1) === 'time') {
    state.draft.groups.push({ period: 'month', said: 'over time' });
    return 2;
  }
  if (word === 'trend' || word === 'trends') {
    if (state.draft.groups.length === 0) state.draft.groups.push({ period: 'month', said: word });
    return 1;
  }
  if (!adverbs.has(word)) return 0;
  state.draft.groups.push({ period: periodOf.get(word)!, said: word });
  return 1;
};

function groupAt(state: State, at: number): number {
  const read = nameOfGroup(state, at);
  if (read === undefined) return 0;
  state.draft.groups.push(read.group);
  return read.length;
}

/** A period, optionally with "of" and its date column, or the name of a column or a table. */
function nameOfGroup(state: State, at: number): { group: DraftGroup; length: number } | undefined {
  const found = mention(state, at);
  const isColumn = found?.columns.some(({ score }) => score >= 9) ?? false;
  const period = periodOf.get(wordAt(state, at));
  if (period !== undefined && !isColumn) {
    const of = wordAt(state, at + 1) === 'of' ? skip(state, at + 2, articles) : at + 1;
    const dated = mention(state, of);
    if (dated !== undefined && isAll(referenceOf(dated), timeKinds) && dated.tables.length === 0)
      return {
        group: { period, said: dated.said, column: referenceOf(dated) },
        length: of + dated.length - at,
      };
    return { group: { period, said: period }, length: 1 };
  }
  if (found === undefined || found.columns.length + found.tables.length === 0) return undefined;
  if (found.isQualifier === true) return undefined;
  // "by product category": of two tables, the second is the group.
  const next = found.tables.length === 0 ? undefined : mention(state, at + found.length);
  const isQualifier = next !== undefined && next.tables.length > 0;
  const named = isQualifier ? next : found;
  const length = found.length + (isQualifier ? next.length : 0);
  const orPeriod = period === undefined || !namesCalendarPart(named) ? {} : { orPeriod: period };
  return { group: { said: named.said, column: referenceOf(named), ...orPeriod }, length };
}

/** "which country …", "what products …": the subject is named next. */
export const which: Rule = (state) => {
  if (!whichWords.has(wordAt(state, state.at))) return 0;
  const next = wordAt(state, state.at + 1);
  const isName = mention(state, state.at + 1) !== undefined || periodOf.has(next);
  if (isName) state.wantsSubject = true;
  return 1;
};

/** The name after "which" or "top 5". */
export const subject: Rule = (state) => {
  if (!state.wantsSubject) return 0;
  const found = mention(state, state.at);
  const isNumber =
    found !== undefined &&
    found.tables.length === 0 &&
    isAll(referenceOf(found), ['number', 'boolean']) &&
    !namesCalendarPart(found);
  if (found !== undefined && (isNumber || isValueOnly(found))) return 0;
  const read = nameOfGroup(state, state.at);
  if (read === undefined) return 0;
  state.wantsSubject = false;
  state.draft.subject = read.group;
  if (read.group.column !== undefined) state.draft.tables.push(...read.group.column.tables);
  return read.length;
};

function isValueOnly(found: { values: unknown[]; tables: unknown[]; columns: { score: number }[] }): boolean {
  return (
    found.values.length > 0 && found.tables.length === 0 && !found.columns.some(({ score }) => score >= 9)
  );
}

/** "show", "list": rows, unless something is computed. */
export const listing: Rule = (state) => {
  if (!listWords.has(wordAt(state, state.at))) return 0;
  state.draft.isRows = true;
  return 1;
};
