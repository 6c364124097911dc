import { isSmall } from './measures.ts';
import { mention, type State, wordAt } from './parse-state.ts';

/** "first 5 orders", "the last order": by its date column. */
export function firstRows(state: State): number {
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
export function limiting(state: State): number {
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
