import { flagOf } from './conditions.ts';
import { type Aggregate, neutralVerbs } from './lexicon.ts';
import { isKey, type Mention } from './match.ts';
import { takeMeasures } from './measures.ts';
import { ends, isAll, isConditionAhead, mention, referenceOf, type State, wordAt } from './parse-state.ts';

/** A table or a column, assigned to whatever is pending. */
export function named(state: State): number {
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
  const isOfNext = found.tables.length > 0 && state.pending.some(({ aggregate }) => !isCount(aggregate));
  if (isVerbOnly(state, found)) {
    draft.ignored.push(state.tokens[state.at]!.text);
    state.isAfterVerb = true;
    return found.length;
  }
  if (isOfNext && next?.columns.some(({ column }) => column.kind === 'number' && !isKey(column)) === true) {
    // "average order value": the table only qualifies the value.
    draft.tables.push(...found.tables);
    return found.length;
  }
  if (found.isQualifier === true && state.pending.some(({ aggregate }) => isCount(aggregate)))
    draft.problems.push(
      `“${found.said}” is only a part of the name of “${found.tables[0]}”: say the whole name.`,
    );
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

/** "shipped to Germany", although a column is called `shipped_on`. */
function isVerbOnly(state: State, { length, tables, columns }: Mention): boolean {
  if (length > 1 || tables.length > 0 || !isNeutralVerb(state, state.at)) return false;
  if (columns.some(({ score }) => score >= 9)) return false;
  const next = wordAt(state, state.at + 1);
  return next === '' || ends.has(next) || prepositions.has(next);
}

const isCount = (aggregate: Aggregate): boolean => aggregate === 'count' || aggregate === 'distinct';

const copulas = new Set('is are was were be been being'.split(' '));

/** A verb that changes nothing; "are shipped" and "are left" say a state, unless a preposition follows. */
export function isNeutralVerb(state: State, at: number): boolean {
  if (!neutralVerbs.has(wordAt(state, at))) return false;
  return !copulas.has(wordAt(state, at - 1)) || prepositions.has(wordAt(state, at + 1));
}

const prepositions = new Set('to from in at by with for on of into out'.split(' '));

function isFlag(state: State, reference: Parameters<typeof isAll>[0], tables: readonly string[]): boolean {
  const isCounting = state.pending.every(({ aggregate }) => aggregate === 'count');
  return tables.length === 0 && isCounting && isAll(reference, ['boolean']);
}
