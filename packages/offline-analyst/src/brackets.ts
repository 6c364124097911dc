import { mention, type State, wordAt } from './parse-state.ts';
import type { Draft } from './question.ts';

const longestBracket = 6;

/** "average delay (arr_delay)": the column in brackets is meant. */
export function bracketed(state: State): boolean {
  if (wordAt(state, state.at) !== '(') return false;
  const found = mention(state, state.at + 1);
  const end = state.at + 1 + (found?.length ?? longestBracket);
  const columns = (found?.columns ?? []).filter(({ score }) => score >= 9);
  if (wordAt(state, end) !== ')' || columns.length === 0) return false;
  state.draft.preferred.push(...columns.map(({ column }) => column));
  state.at = end + 1;
  return true;
}

/** Of the columns that words may mean, keeps the one that was named in brackets. */
export function prefer(draft: Draft): void {
  const { preferred } = draft;
  if (preferred.length === 0) return;
  const references = [
    ...[...draft.measures, ...draft.groups, ...draft.filters].map(({ column }) => column),
    ...draft.loose,
    draft.order,
    draft.subject?.column,
  ];
  for (const reference of references) {
    const meant = reference?.columns.filter(({ column }) => preferred.includes(column)) ?? [];
    if (reference !== undefined && meant.length > 0) reference.columns = meant;
  }
}
