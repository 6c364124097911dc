import { isTime } from './catalog.ts';
import { negations } from './lexicon.ts';
import {
  addFilter,
  articles,
  emptiness,
  filterFields,
  isAll,
  isConditionAhead,
  mention,
  type Rule,
  referenceOf,
  skip,
  takeColumn,
  wordAt,
} from './parse-state.ts';
import { stem } from './words.ts';

const lackFillers: ReadonlySet<string> = new Set([
  ...articles,
  'value',
  'values',
  'entry',
  'entries',
  'in',
  'for',
]);

/** "without email", "no email", "missing email"; "with an email"; "email is missing". */
export const nullTest: Rule = (state) => {
  const word = wordAt(state, state.at);
  if (state.column !== undefined && emptiness.has(word)) {
    addFilter(state, { ...filterFields(state, word), kind: 'null', column: takeColumn(state)! });
    return 1;
  }
  const isLack = ['without', 'missing', 'no', 'lacking', 'empty', 'blank', 'null'].includes(word);
  const isHold = ['with', 'having', 'have', 'has'].includes(word);
  if (!isLack && !isHold) return 0;
  const start = skip(state, state.at + 1, lackFillers);
  if (isHold && (emptiness.has(wordAt(state, start)) || wordAt(state, start) === 'no')) return 0;
  const found = mention(state, start);
  const isLeftOut = word === 'without' || word === 'no' || (isHold && state.isNegated);
  if (isLeftOut && found !== undefined && found.tables.length > 0 && state.draft.tables.length > 0) {
    addFilter(state, {
      ...filterFields(state, found.said),
      isNegated: true,
      kind: 'related',
      table: found.tables[0]!,
    });
    return start + found.length - state.at;
  }
  if (found === undefined || found.values.length > 0 || found.columns.length === 0) return 0;
  const reference = referenceOf(found);
  if (found.tables.length > 0 || isAll(reference, ['boolean'])) return 0;
  const end = start + found.length;
  if (isConditionAhead(state, reference, end)) return 0;
  if (isHold && state.draft.measures.length + state.draft.tables.length === 0 && state.pending.length === 0)
    return 0;
  addFilter(state, {
    ...filterFields(state, found.said),
    isNegated: state.isNegated !== isHold,
    kind: 'null',
    column: reference,
  });
  return end - state.at;
};

/** "out of stock": of a number none is left, of yes or no it is no. */
export const outOf: Rule = (state) => {
  if (wordAt(state, state.at) !== 'out' || wordAt(state, state.at + 1) !== 'of') return 0;
  const found = mention(state, state.at + 2);
  if (found === undefined || found.tables.length > 0) return 0;
  const column = referenceOf(found);
  const common = filterFields(state, found.said);
  if (isAll(column, ['boolean']))
    addFilter(state, { ...common, isNegated: !common.isNegated, kind: 'flag', column });
  else if (isAll(column, ['number']))
    addFilter(state, { ...common, kind: 'compare', operator: '=', value: '0', column });
  else return 0;
  return 2 + found.length;
};

/** "not shipped", "never returned": the date of it is missing. "Never ordered": there are no orders. */
export const undone: Rule = (state) => {
  if (!state.isNegated || !wordAt(state, state.at).endsWith('ed')) return 0;
  const found = mention(state, state.at);
  if (found !== undefined && found.length === 1 && found.tables.length === 0) {
    const column = {
      ...referenceOf(found),
      columns: found.columns.filter((column) => isTime(column.column)),
    };
    if (column.columns.length === 0) return 0;
    addFilter(state, { ...filterFields(state, found.said), isNegated: false, kind: 'null', column });
    return 1;
  }
  const verb = state.tokens[state.at]!.word.slice(0, -2);
  const [table] = state.vocabulary.entries.get(stem(verb))?.tables ?? [];
  if (table === undefined || state.draft.tables.length === 0 || state.draft.tables.includes(table)) return 0;
  addFilter(state, { ...filterFields(state, state.tokens[state.at]!.text), kind: 'related', table });
  return 1;
};

/** "not", "excluding", "other than": negates the filter that follows. */
export const negation: Rule = (state) => {
  const word = wordAt(state, state.at);
  const isOther = word === 'other' && wordAt(state, state.at + 1) === 'than';
  const isRather = word === 'apart' && wordAt(state, state.at + 1) === 'from';
  const isUnequal = (word === '!=' || word === '<>') && state.tokens[state.at + 1]?.kind !== 'number';
  if (!isOther && !isRather && !isUnequal && !negations.has(word)) return 0;
  state.isNegated = true;
  if (wordAt(state, state.at + 1) === 'for') return 2;
  return isOther || isRather ? 2 : 1;
};
