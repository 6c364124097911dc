import { comparisonAt, looksLikeYear, units } from './comparisons.ts';
import { dateAt, dayAfter } from './dates.ts';
import { qualityOf, relativeOpeners, relativeWords } from './lexicon.ts';
import {
  addFilter,
  articles,
  filterFields,
  isAll,
  linking,
  mention,
  ofColumn,
  type Rule,
  referenceOf,
  type State,
  takeColumn,
  timeKinds,
  truths,
  valuesAt,
  wordAt,
} from './parse-state.ts';
import type { Range, Reference } from './question.ts';

/** "over 100", "at least 3 items", "between 10 and 20", "= 5". */
export const comparison: Rule = (state) => {
  const found = comparisonAt(state.tokens, state.at);
  if (found === undefined) return 0;
  const isBare = state.column === undefined;
  if (found.kind === 'between' && isBare && looksLikeYear(found.low) && looksLikeYear(found.high)) return 0;
  let column = isBare ? undefined : takeColumn(state);
  let { length } = found;
  const unit = otherUnits.has(wordAt(state, state.at + length))
    ? wordAt(state, state.at + length)
    : undefined;
  const adjective = adjectiveAfter(state, state.at + length);
  const next = adjective === undefined ? mention(state, state.at + length) : undefined;
  if (adjective !== undefined) length += adjective.length;
  if (column === undefined && next !== undefined && isAll(referenceOf(next), ['number'])) {
    column = referenceOf(next);
    length += next.length;
  } else if (units.has(wordAt(state, state.at + length))) length += 1;
  const common = filterFields(state, found.said);
  if (found.kind === 'between')
    addFilter(state, {
      ...common,
      kind: 'between',
      low: String(found.low.value),
      high: String(found.high.value),
      column,
    });
  else if (found.value.kind === 'date')
    addFilter(state, {
      ...common,
      kind: 'dates',
      ranges: [rangeOf(found.operator, found.value.text)],
      column,
    });
  else {
    const value = String(found.value.value);
    const quality = adjective === undefined ? {} : { quality: adjective.said };
    addFilter(state, {
      ...common,
      kind: 'compare',
      operator: found.operator,
      value,
      column,
      unit,
      ...quality,
    });
  }
  return length;
};

/** A column in another unit would give a wrong answer, so its name has to have these. */
const otherUnits = new Set('second seconds hour hours day days week weeks'.split(' '));

/** "15 minutes late": what the number is said of, after its unit if there is one. */
function adjectiveAfter(state: State, at: number): { said: string; length: number } | undefined {
  const start = units.has(wordAt(state, at)) || wordAt(state, at) === 'minute' ? at + 1 : at;
  const said = wordAt(state, start);
  return qualityOf.has(said) ? { said, length: start + 1 - at } : undefined;
}

function rangeOf(operator: string, date: string): Range {
  if (operator === '>') return { from: dayAfter(date) };
  if (operator === '>=') return { from: date };
  if (operator === '<') return { to: date };
  if (operator === '<=') return { to: dayAfter(date) };
  return { from: date, to: dayAfter(date) };
}

/** "rating 5", "quantity is 3": a number right after its column. */
export const equality: Rule = (state) => {
  const { column, tokens, at } = state;
  const token = tokens[at]!;
  if (token.kind !== 'number' || column === undefined || !isAll(column.reference, ['number'])) return 0;
  // "the amount of 5 orders" is not an equation.
  if (articles.has(wordAt(state, at - 1))) return 0;
  const reference = takeColumn(state);
  addFilter(state, {
    ...filterFields(state, token.text),
    kind: 'compare',
    operator: '=',
    value: String(token.value),
    column: reference,
  });
  return 1;
};

const periods = new Set(
  'day days week weeks month months quarter quarters year years night hour hours'.split(' '),
);

/** "last month", "yesterday": not supported, because there is no clock. */
export const relativeDate: Rule = (state) => {
  const word = wordAt(state, state.at);
  let length = 0;
  if (relativeWords.has(word)) length = 1;
  else if (relativeOpeners.has(word)) {
    const isNumbered = state.tokens[state.at + 1]?.kind === 'number';
    if (periods.has(wordAt(state, state.at + (isNumbered ? 2 : 1)))) length = isNumbered ? 3 : 2;
  }
  if (length === 0) return 0;
  const text = state.tokens.slice(state.at, state.at + length).map((token) => token.text);
  state.draft.problems.push(
    `“${text.join(' ')}” depends on today, which I do not know. Name the dates, as in “in March 2025” or “since 2025-03-01”.`,
  );
  return length;
};

export const dates: Rule = (state) => {
  const found = dateAt(state.tokens, state.at);
  if (found === undefined) return 0;
  const isFree = state.column === undefined || !isAll(state.column.reference, timeKinds);
  const column = isFree ? undefined : takeColumn(state);
  if (found.problem !== undefined) state.draft.problems.push(found.problem);
  else {
    const { ranges, month } = found;
    addFilter(state, { ...filterFields(state, found.said), kind: 'dates', ranges, month, column });
  }
  return found.length;
};

/** `= true`, "is false" after a column of BOOLEAN. */
export const truth: Rule = (state) => {
  const value = truths.get(wordAt(state, state.at));
  if (value === undefined || state.column === undefined || !isAll(state.column.reference, ['boolean']))
    return 0;
  const common = filterFields(state, wordAt(state, state.at));
  addFilter(state, {
    ...common,
    isNegated: common.isNegated === value,
    kind: 'flag',
    column: takeColumn(state)!,
  });
  return 1;
};

export const quoted: Rule = (state) => {
  const token = state.tokens[state.at]!;
  if (token.kind !== 'quoted') return 0;
  const last = state.draft.filters.at(-1);
  if (state.context === 'values' && last?.kind === 'quoted') last.values.push(token.text);
  else {
    const isText = state.column !== undefined && isAll(state.column.reference, ['text']);
    const isSaid = isText || linking.has(wordAt(state, state.at - 1));
    const column = isSaid ? takeColumn(state) : undefined;
    addFilter(state, { ...filterFields(state, token.text), kind: 'quoted', values: [token.text], column });
  }
  state.context = 'values';
  return 1;
};

/** A value of a column: "in Germany", "status is paid", "excluding cancelled and refunded". */
export const values: Rule = (state) => {
  const reference = state.column?.reference;
  const found = mention(state, state.at);
  let matches = valuesAt(state, state.at, reference);
  if (matches.length === 0) return 0;
  const own = reference === undefined ? [] : ofColumn(matches, reference);
  if (own.length > 0) matches = own;
  // The name of a column or a table takes precedence over a value, unless its column was just named or values
  // are being listed.
  const isListed = state.context === 'values' && joinsLast(state, matches);
  const isName = (found?.tables.length ?? 0) > 0 || (found?.columns ?? []).some(({ score }) => score >= 9);
  if (isName && own.length === 0 && !isListed) return 0;
  let length = found !== undefined && found.values.length > 0 ? found.length : 1;
  // "in the web channel": the column may come after its value.
  const after = mention(state, state.at + length);
  const named = after === undefined || after.tables.length > 0 ? [] : ofColumn(matches, referenceOf(after));
  if (own.length === 0 && named.length > 0 && after !== undefined) {
    matches = named;
    length += after.length;
  }
  const text = state.tokens[state.at]!.text;
  const last = state.draft.filters.at(-1);
  const list = matches.map(({ value }) => value);
  if (isListed && last?.kind === 'values') {
    last.matches = [...last.matches, ...matches];
    last.values.push(...new Set(list));
  } else {
    const column = own.length > 0 ? takeColumn(state) : undefined;
    addFilter(state, {
      ...filterFields(state, found?.said ?? text),
      kind: 'values',
      matches,
      values: [...new Set(list)],
      column,
    });
  }
  state.context = 'values';
  return length;
};

/** True if these values belong to a column of the previous filter. */
function joinsLast(state: State, matches: readonly { column: { table: string; name: string } }[]): boolean {
  const last = state.draft.filters.at(-1);
  if (last?.kind !== 'values') return false;
  return matches.some(({ column }) =>
    last.matches.some((match) => match.column.table === column.table && match.column.name === column.name),
  );
}

/** A BOOLEAN column on its own: "returned loans", "not active". */
export function flagOf(state: State, reference: Reference): void {
  addFilter(state, { ...filterFields(state, reference.said), kind: 'flag', column: reference });
}
