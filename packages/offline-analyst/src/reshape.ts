import type { Draft, DraftGroup, Reference } from './question.ts';
import { isFlow } from './resolve-measures.ts';

/** Normalises phrasings to the one form that is resolved. */
export function reshape(draft: Draft): Draft {
  return draft.chart === 'scatter' ? scattered(draft) : withSubject(withOrder(draft));
}

/** A scatter plot has no groups: both of its axes are numbers. */
function scattered(draft: Draft): Draft {
  const isNumber = (reference?: Reference) =>
    reference?.columns.some(({ column }) => column.kind === 'number') === true &&
    reference.tables.length === 0;
  const columns = [
    ...draft.measures.map(({ column }) => column),
    ...draft.loose,
    ...draft.groups.map(({ column }) => column),
  ].filter((column) => column !== undefined);
  if (columns.filter(isNumber).length < 2) return draft;
  return { ...draft, measures: [], groups: [], loose: columns.filter(isNumber), isRows: true };
}

/** "list products by price": ordered rows, because groups by price would be useless. */
function withOrder(draft: Draft): Draft {
  const [group] = draft.groups;
  const isList =
    draft.isRows && draft.measures.length + draft.loose.length === 0 && draft.groups.length === 1;
  if (!isList || group?.column?.columns[0]?.column.kind !== 'number' || draft.tables.length === 0)
    return draft;
  return { ...draft, groups: [], order: group.column };
}

/** "the country with the highest revenue" asks which country; "the highest revenue by month", which month. */
function withSubject(draft: Draft): Draft {
  const [measure] = draft.measures;
  if (measure === undefined || draft.measures.length > 1 || draft.subject !== undefined) return draft;
  const [group, ...groups] = draft.groups;
  const isFlowing = measure.isSuperlative === true && measure.column !== undefined && isFlow(measure.column);
  if (group !== undefined) return isFlowing ? { ...draft, subject: group, groups } : draft;
  const { owner } = measure;
  if (owner === undefined) return draft;
  const subject: DraftGroup = { said: owner.said, column: owner };
  return { ...draft, subject, loose: draft.loose.filter((one) => one !== owner) };
}
