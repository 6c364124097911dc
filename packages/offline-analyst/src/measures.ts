import {
  type Aggregate,
  aggregateOf,
  ascending,
  busyWords,
  descending,
  distinctWords,
  shareWords,
  superlatives,
} from './lexicon.ts';
import type { Mention } from './match.ts';
import {
  articles,
  isAll,
  isContinued,
  mention,
  type Rule,
  referenceOf,
  type State,
  skip,
  wordAt,
} from './parse-state.ts';
import type { DraftMeasure, Reference } from './question.ts';
import { stem } from './words.ts';

const superlativeWords = new Set(
  'highest lowest largest biggest smallest greatest cheapest earliest latest hottest coldest warmest longest shortest fastest slowest heaviest lightest peak'.split(
    ' ',
  ),
);

function wait(state: State, aggregate: Aggregate, said: string, earlier?: Reference): void {
  const isExtreme = superlativeWords.has(said) || said === 'most' || said === 'least' || said === 'fewest';
  const owner = isExtreme ? ownerOf(state) : earlier;
  state.pending.push({ aggregate, said, isSuperlative: superlativeWords.has(said), owner });
}

/** The column or the table before "with the highest". */
function ownerOf({ tokens, at, draft }: State): Reference | undefined {
  let before = at - 1;
  while (articles.has(tokens[before]?.word ?? '')) before -= 1;
  if (!['with', 'having', 'has', 'had', 'have'].includes(tokens[before]?.word ?? '')) return undefined;
  const table = draft.tables.at(-1);
  return (
    draft.loose.at(-1) ?? (table === undefined ? undefined : { said: table, columns: [], tables: [table] })
  );
}

/** "how many", "number of", "count": counts rows, or the values of a column. */
export const counting: Rule = (state) => {
  const [word, next] = [wordAt(state, state.at), wordAt(state, state.at + 1)];
  const isCount =
    (word === 'how' && (next === 'many' || next === 'often')) ||
    ((word === 'number' || word === 'count' || word === 'counts' || word === 'numbers') && next === 'of');
  if (word === 'how' && next === 'much') {
    wait(state, 'sum', 'how much');
    return 2;
  }
  if (!isCount && word !== 'count') return 0;
  if (isCount && word === 'number' && isOfNumbers(state)) return 2;
  if (!isCount && mention(state, state.at)?.columns.some(({ score }) => score >= 9)) return 0;
  // "total number of" is a count, "the highest number of" an order; an average of counts is something else.
  if (
    state.pending.some(
      ({ aggregate, isSuperlative }) => !isSuperlative && ['avg', 'min', 'max', 'median'].includes(aggregate),
    )
  )
    state.draft.problems.push('I cannot compute with counts: I count rows, or count them by groups.');
  const owner = orderBySoft(state);
  state.pending = state.pending.filter(({ aggregate }) => aggregate === 'count' || aggregate === 'distinct');
  wait(state, 'count', 'count', owner);
  return isCount ? 2 : 1;
};

/** "average number of seats": the seats are a column, and nothing is counted. */
function isOfNumbers(state: State): boolean {
  const isComputed = state.pending.some(({ aggregate }) => aggregate !== 'count' && aggregate !== 'distinct');
  const found = mention(state, state.at + 2);
  return (
    isComputed && found !== undefined && found.tables.length === 0 && isAll(referenceOf(found), ['number'])
  );
}

/** "different countries": counts distinct values. */
export const distinctness: Rule = (state) => {
  if (!distinctWords.has(wordAt(state, state.at))) return 0;
  state.pending = state.pending.filter(({ aggregate }) => aggregate !== 'count');
  wait(state, 'distinct', 'different');
  return 1;
};

/** "total", "average", "highest" …, unless the word is the name of the wanted column. */
export const aggregating: Rule = (state) => {
  const word = wordAt(state, state.at);
  const aggregate = aggregateOf.get(word);
  if (aggregate === undefined) return 0;
  const isName = mention(state, state.at)?.columns.some(({ score }) => score >= 9) ?? false;
  if (isName && (state.pending.length > 0 || !namesNext(state))) return 0;
  const isOrdered = !superlativeWords.has(word) && state.pending.at(-1)?.said === wordAt(state, state.at - 1);
  wait(state, aggregate, word, isOrdered ? orderBySoft(state) : undefined);
  return 1;
};

/** "the lowest average": the extreme becomes the order of what follows. */
function orderBySoft(state: State): Reference | undefined {
  const last = state.pending.at(-1);
  if (last?.isSuperlative !== true) return undefined;
  state.pending.pop();
  state.draft.direction = last.aggregate === 'min' ? 'asc' : 'desc';
  state.draft.limit ??= 1;
  return last.owner;
}

function namesNext(state: State): boolean {
  const next = mention(state, skip(state, state.at + 1, articles));
  return next !== undefined && next.columns.length + next.tables.length > 0;
}

/** "top 5", "bottom 3", "the 3 most expensive", "the newest order": an order and a limit. */
export const ranking: Rule = (state) => {
  const word = wordAt(state, state.at);
  if (wordAt(state, state.at + 1) === 'first' && isRanking(word)) return sortedFirst(state, word);
  const busy = busyWords.get(word);
  if (busy !== undefined) {
    state.draft.direction = busy;
    state.draft.isBusy = true;
    state.draft.limit ??= 1;
    state.wantsSubject = true;
    wait(state, 'count', word);
    return 1;
  }
  const superlative = superlatives.get(word);
  if (superlative !== undefined) return superlatively(state, superlative, 1);
  const direction = descending.has(word) ? 'desc' : ascending.has(word) ? 'asc' : undefined;
  if (direction === undefined) return 0;
  if (word === 'most' || word === 'least' || word === 'fewest') {
    const adjective = superlatives.get(wordAt(state, state.at + 1));
    if (adjective !== undefined) {
      const isLeast = word === 'least' && adjective.direction === 'desc';
      return superlatively(state, { ...adjective, direction: isLeast ? 'asc' : adjective.direction }, 2);
    }
    if (state.tokens[state.at - 1]?.word === 'at') return 0;
    state.draft.direction = direction;
    if (['common', 'frequent', 'popular', 'frequently', 'often'].includes(wordAt(state, state.at + 1))) {
      state.wantsSubject = true;
      wait(state, 'count', word);
      state.draft.limit ??= 1;
      return 2;
    }
    wait(state, 'count', word);
    state.draft.limit ??= 1;
    return 1;
  }
  state.draft.direction = direction;
  if (word === 'best' || word === 'worst') state.draft.quality = word;
  if (['top', 'best', 'bottom', 'worst'].includes(word)) {
    const number = state.tokens[state.at + 1];
    state.wantsSubject = true;
    if (number?.kind === 'number' && isSmall(number.value)) {
      state.draft.limit = number.value!;
      return 2;
    }
    state.draft.limit ??= 10;
  }
  return 1;
};

const isRanking = (word: string) => descending.has(word) || ascending.has(word) || superlativeWords.has(word);

/** "highest first", "worst first": the order of what is shown. */
function sortedFirst({ draft }: State, word: string): number {
  const aggregate = aggregateOf.get(word);
  draft.direction = ascending.has(word) || aggregate === 'min' ? 'asc' : 'desc';
  if (word === 'best' || word === 'worst') draft.quality = word;
  return 2;
}

export function isSmall(value: number | undefined): boolean {
  return value !== undefined && Number.isInteger(value) && value > 0 && value <= 1000;
}

/** "the newest 5 orders", "cheapest product": rows ordered by a column; "latest order date" is a maximum. */
function superlatively(
  state: State,
  { column, direction }: { column: string; direction: 'asc' | 'desc' },
  length: number,
): number {
  let at = state.at + length;
  const number = state.tokens[at];
  const isNumbered = number?.kind === 'number' && isSmall(number.value);
  if (isNumbered) at += 1;
  const found = mention(state, at);
  const { draft } = state;
  if (found === undefined || found.tables.length === 0) {
    // "which product is the most expensive": its table was named earlier.
    if (found !== undefined || draft.subject?.column?.tables.length !== 1) return 0;
    Object.assign(draft, {
      direction,
      limit: draft.limit ?? 1,
      isRows: true,
      order: ordering(state, column),
    });
    return at - state.at;
  }
  const isPlural = state.tokens[at + found.length - 1]!.word.endsWith('s');
  draft.direction = direction;
  draft.limit = isNumbered ? number.value! : (draft.limit ?? (isPlural ? 10 : 1));
  draft.isRows = true;
  draft.order = ordering(state, column);
  draft.tables.push(...found.tables);
  return at + found.length - state.at;
}

/** No column for "when": the date column is determined once the table is known. */
function ordering({ vocabulary }: State, said: string): Reference {
  const columns = said === 'when' ? [] : (vocabulary.entries.get(stem(said))?.columns ?? []);
  return { said, columns, tables: [] };
}

export const sharing: Rule = (state) => {
  if (!shareWords.has(wordAt(state, state.at))) return 0;
  state.draft.isShare = true;
  return wordAt(state, state.at + 1) === 'of' ? 2 : 1;
};

/**
 * Assigns a table or a column to the pending aggregates. True if there were any, or a list of measures
 * continues.
 */
export function takeMeasures(state: State, length: number): boolean {
  const found = mention(state, state.at)!;
  const waiting = state.pending.length > 0 ? state.pending : continued(state);
  if (waiting.length === 0) return false;
  const { draft } = state;
  const reference = referenceOf(found);
  const isTable = found.tables.length > 0;
  const isNumber = reference.columns.some(({ column }) => column.kind === 'number');
  if (isTable && waiting.every(({ isSuperlative }) => isSuperlative)) return rankRows(state, found, length);
  for (const { aggregate, said, isSuperlative, owner } of waiting) {
    const isCounted = isTable && (aggregate === 'count' || (aggregate === 'sum' && !isNumber));
    const measure: DraftMeasure = isCounted
      ? { aggregate: 'count', table: found.tables[0]!, said: found.said, owner }
      : { aggregate, said: isSuperlative ? said : found.said, column: reference, isSuperlative, owner };
    if (isTable && !isCounted && reference.columns.length === 0) {
      draft.tables.push(...found.tables);
      if (aggregate === 'distinct')
        draft.measures.push({ aggregate: 'count', table: found.tables[0]!, said });
      else return false;
    } else draft.measures.push(measure);
  }
  if (isTable) draft.tables.push(...found.tables);
  state.lastAggregates = waiting.map(({ aggregate }) => aggregate);
  state.pending = [];
  state.context = 'measure';
  state.at += length;
  return true;
}

/** "highest stations by elevation": its rows, ordered. */
function rankRows(state: State, { tables }: Mention, length: number): boolean {
  const { draft } = state;
  draft.direction = state.pending.at(-1)?.aggregate === 'min' ? 'asc' : 'desc';
  draft.limit ??= state.tokens[state.at + length - 1]!.word.endsWith('s') ? 10 : 1;
  draft.isRows = true;
  const said = state.pending.at(-1)?.said;
  if (said !== undefined) draft.quality = said;
  draft.tables.push(...tables);
  state.pending = [];
  state.at += length;
  return true;
}

function continued(state: State): State['pending'] {
  if (state.context !== 'measure' || !isContinued(state)) return [];
  return state.lastAggregates.map((aggregate) => ({
    aggregate,
    said: aggregate,
    isSuperlative: false,
    owner: undefined,
  }));
}
