import { additiveWords } from './lexicon.ts';
import type { Draft, DraftFilter, DraftMeasure } from './question.ts';
import { stem } from './words.ts';

/** The question of the last message, combined with what still applies from earlier messages. */
export function foldAll(drafts: readonly Draft[]): { draft: Draft; isFolded: boolean } | undefined {
  let before: Draft | undefined;
  let isFolded = false;
  drafts.forEach((draft, index) => {
    const isLast = index === drafts.length - 1;
    isFolded = before !== undefined && goesOn(draft, before);
    const folded = isFolded ? fold(before!, regrouped(before!, draft)) : draft;
    // A message that was not understood gives no subject to the next question.
    if (isLast || (isAnswerable(folded) && folded.intent !== 'help' && folded.intent !== 'tables'))
      before = folded;
  });
  return before === undefined ? undefined : { draft: before, isFolded };
}

function isAnswerable({ unknown, problems }: Draft): boolean {
  return unknown.length === 0 && problems.length === 0;
}

/** True if a message names no subject of its own, or is phrased as a continuation. */
function goesOn(draft: Draft, before: Draft): boolean {
  if (draft.intent === 'help' || draft.intent === 'tables' || draft.intent === 'describe') return false;
  if (draft.tables.length === 0) return draft.isOpener || !hasSubject(draft);
  if (!draft.isOpener) return false;
  if (draft.isBy) return true;
  const isSame = draft.tables.every((table) => before.tables.includes(table));
  return isSame || draft.measures.length === 0;
}

export function hasSubject({ measures, loose, groups, subject, intent }: Draft): boolean {
  if (intent !== undefined && intent !== 'first' && intent !== 'last') return true;
  const isNamed = measures.some(({ column, table }) => column !== undefined || table !== undefined);
  const isMeasured = loose.some(({ columns }) => columns.some(({ column }) => column.kind === 'number'));
  return isNamed || isMeasured || loose.length > 0 || (subject !== undefined && groups.length === 0);
}

function fold(before: Draft, draft: Draft): Draft {
  const measures = foldMeasures(before, draft);
  const isReplaced = draft.groups.length > 0 && !draft.isAddition;
  const groups = isReplaced ? draft.groups : [...before.groups, ...draft.groups];
  const ranks = draft.direction !== undefined || draft.limit !== undefined;
  const subject = draft.subject ?? (isReplaced ? undefined : before.subject);
  return {
    ...draft,
    intent: draft.intent ?? (draft.measures.length === 0 && isEnd(before) ? before.intent : undefined),
    tables: foldTables(before, draft),
    measures,
    groups,
    subject,
    loose: draft.loose.length > 0 ? draft.loose : measures === before.measures ? before.loose : [],
    filters: foldFilters(before.filters, draft.filters),
    direction: draft.direction ?? (isReplaced ? undefined : before.direction),
    limit: draft.limit ?? (isReplaced ? undefined : before.limit),
    order: draft.order ?? ((isReplaced && !ranks) || draft.measures.length > 0 ? undefined : before.order),
    isRows: draft.measures.length === 0 && draft.groups.length === 0 && (before.isRows || draft.isRows),
    isShare: draft.isShare || (before.isShare && draft.measures.length === 0),
    chart: draft.chart,
    isReport: draft.isReport,
  };
}

function isEnd({ intent }: Draft): boolean {
  return intent === 'first' || intent === 'last';
}

/** "orders by status", "what about channel?": another group. */
function regrouped(before: Draft, draft: Draft): Draft {
  const [named] = draft.loose;
  const isBare = draft.measures.length + draft.groups.length + draft.filters.length === 0;
  const isName = named?.columns.every(({ column }) => column.kind !== 'number') === true;
  if (!isBare || !isName || before.groups.length === 0 || !draft.isOpener) return draft;
  return { ...draft, loose: [], groups: draft.loose.map((column) => ({ said: column.said, column })) };
}

/** "and the average?" applies to the previous column; "what about products?" counts another table. */
function foldMeasures(before: Draft, { measures, loose, tables, groups, filters }: Draft): DraftMeasure[] {
  const isOtherTable = measures.length + groups.length + filters.length === 0 && tables.length === 1;
  if (isOtherTable && before.measures.length > 0 && before.measures.every(({ table }) => table !== undefined))
    return before.measures.map((measure) => ({ ...measure, table: tables[0]!, said: tables[0]! }));
  if (measures.length === 0) {
    const isNumber = loose.some(({ columns }) => columns.some(({ column }) => column.kind === 'number'));
    const [last] = before.measures;
    if (!isNumber) return before.measures;
    const aggregate = last === undefined || last.aggregate === 'count' ? undefined : last.aggregate;
    if (aggregate === undefined) return [];
    return loose.map((column) => ({ aggregate, column, said: column.said }));
  }
  const column = before.measures.find((measure) => measure.column !== undefined)?.column ?? numberOf(before);
  return measures.map((measure) => {
    if (measure.column !== undefined || measure.table !== undefined) return measure;
    if (measure.aggregate === 'count') return measure;
    return column === undefined ? measure : { ...measure, column, said: column.said };
  });
}

function numberOf({ loose, order }: Draft) {
  const [first] = loose.filter(({ columns }) => columns.some(({ column }) => column.kind === 'number'));
  return first ?? (order !== undefined && additiveWords.has(stem(order.said)) ? order : undefined);
}

function foldTables(before: Draft, { tables, measures, groups, filters }: Draft): string[] {
  const isOther = tables.length > 0 && measures.length + groups.length + filters.length === 0;
  return isOther ? tables : [...before.tables, ...tables];
}

/** A filter replaces earlier filters on the same column. */
function foldFilters(before: readonly DraftFilter[], filters: readonly DraftFilter[]): DraftFilter[] {
  const isReplaced = (old: DraftFilter) => filters.some((filter) => isSame(old, filter));
  return [...before.filter((old) => !isReplaced(old)), ...filters];
}

function isSame(old: DraftFilter, filter: DraftFilter): boolean {
  if (old.kind === 'dates' && filter.kind === 'dates')
    return (
      filter.column === undefined ||
      old.column === undefined ||
      namesOf(old).some((name) => namesOf(filter).includes(name))
    );
  if (old.kind === 'dates' || filter.kind === 'dates') return false;
  const names = namesOf(old);
  return namesOf(filter).some((name) => names.includes(name));
}

function namesOf(filter: DraftFilter): string[] {
  const columns = (filter.column?.columns ?? []).map(({ column }) => column);
  if (columns.length === 0 && filter.kind === 'values')
    columns.push(...filter.matches.map(({ column }) => column));
  return columns.map(({ table, name }) => `${table}.${name}`);
}
