import { chooseBase } from './base.ts';
import { isCalendarPart } from './calendar.ts';
import type { Column, Table } from './catalog.ts';
import { isSystemColumn, isTime } from './catalog.ts';
import { type Findings, taken, timeColumn } from './findings.ts';
import { hasSubject } from './fold.ts';
import { refuseUnused } from './guards.ts';
import { additiveWords, qualityOf } from './lexicon.ts';
import { isBad, qualityColumn } from './qualities.ts';
import type { Condition, Draft, DraftGroup, Group, Measure, Question, Reference } from './question.ts';
import { reshape } from './reshape.ts';
import { resolveFilters } from './resolve-filters.ts';
import { joinsOf } from './resolve-joins.ts';
import { resolveMeasures, sumsUp } from './resolve-measures.ts';
import { isUnique, labelColumn, pick, type Scope, withoutJoin } from './scope.ts';

export type Resolved =
  | { question: Question; trouble?: undefined }
  | { question?: undefined; trouble: string[] };

export function resolve(read: Draft, tables: readonly Table[]): Resolved {
  if (!isAsked(read)) return { trouble: ['I did not understand what you are asking for.'] };
  const draft = reshape(read);
  const chosen = chooseBase(draft, tables);
  if (chosen.trouble !== undefined) return { trouble: [chosen.trouble] };
  const findings: Findings = { trouble: [], notes: [] };
  const { scope } = chosen;
  const question = questionOf(draft, scope, findings);
  return findings.trouble.length > 0 ? { trouble: [...new Set(findings.trouble)] } : { question };
}

function isAsked(draft: Draft): boolean {
  const { tables, measures, groups, filters, order } = draft;
  const isNamed = tables.length + measures.length > 0 || (groups.length > 0 && filters.length > 0);
  return isNamed || hasSubject(draft) || (order !== undefined && order.columns.length > 0);
}

function questionOf(draft: Draft, scope: Scope, findings: Findings): Question {
  const shape = shapeOf(draft);
  const groups = shape === 'rows' ? [] : resolveGroups(draft, scope, findings);
  const measures = shape === 'rows' ? [] : resolveMeasures(draft, scope, groups.length > 0, findings);
  const filters = resolveFilters(draft, scope, measures, findings);
  if (draft.isComparison) compareValues(filters, groups, findings);
  const order = resolveOrder(draft, scope, shape, groups, measures, findings);
  const columns = shape === 'rows' ? shownColumns(draft, scope, findings) : [];
  const question: Question = {
    kind: shape,
    base: scope.base.name,
    joins: [],
    measures,
    groups: labelled(groups, measures),
    filters,
    columns,
    mayTie: false,
    isReport: draft.isReport,
    notes: findings.notes,
  };
  if (order !== undefined) question.order = order;
  const limit = draft.limit ?? (isSuperlative(draft) ? 1 : undefined);
  if (limit !== undefined && (shape === 'rows' || groups.length > 0)) question.limit = limit;
  question.mayTie = question.limit !== undefined && mayTie(question, scope);
  if (draft.chart !== undefined) question.chart = draft.chart;
  if (draft.isShare) question.share = shareOf(question, findings);
  question.joins = joinsOf(question, scope, findings);
  refuseUnused(draft, question, scope, findings);
  return question;
}

/** "Compare JFK and LGA": the column of the values is the group, unless another is named. */
function compareValues(filters: readonly Condition[], groups: Group[], findings: Findings): void {
  if (groups.length > 0) return;
  for (const filter of filters)
    if (filter.kind === 'values' && filter.values.length > 1)
      groups.push({ column: filter.column, label: filter.column.name });
  if (groups.length === 0)
    findings.trouble.push('Compare what? Name two values of a column, as in “compare … of A and B”.');
}

/** Whether rows or groups beyond the limit may have the value by which the last one within it is ordered. */
function mayTie({ kind, order }: Question, { base }: Scope): boolean {
  const by = order?.by;
  return kind === 'rows' ? typeof by === 'object' && !isUnique(base, by) : by === 'measure';
}

/** Whether the answer is rows of a table or an aggregate. */
function shapeOf(draft: Draft): 'rows' | 'aggregate' {
  const { measures, groups, subject, order, loose, isRows, isShare, tables } = draft;
  if (measures.some(({ isSuperlative }) => isSuperlative) && isRowSubject(draft)) return 'rows';
  if (measures.length > 0 || groups.length > 0 || isShare) return 'aggregate';
  if (draft.chart === 'scatter') return 'rows';
  if (draft.intent === 'first' || draft.intent === 'last') return 'rows';
  const isTable = subject?.column !== undefined && subject.column.tables.length > 0;
  const isOthers =
    isTable && loose.some((one) => one.columns[0]?.column.kind === 'number' && !isOrderOwn(subject, one));
  if (isOthers && order === undefined) return 'aggregate';
  if (isTable) return order === undefined || isOrderOwn(subject, order) ? 'rows' : 'aggregate';
  if (subject !== undefined) return order !== undefined && isRows ? 'rows' : 'aggregate';
  if (order !== undefined) return 'rows';
  const isNumeric = loose.some(({ columns }) => columns[0]?.column.kind === 'number');
  if (loose.length > 0 && (isNumeric || tables.length === 0))
    return isRows && tables.length > 0 ? 'rows' : 'aggregate';
  if (loose.length > 0 && !isRows) return 'aggregate';
  return 'rows';
}

/** "which product has the highest price": the price is a column of product itself. */
function isRowSubject({ subject, measures }: Draft): boolean {
  const [measure] = measures;
  if (subject?.column === undefined || measure?.column === undefined || measures.length > 1) return false;
  return isOrderOwn(subject, measure.column);
}

function isOrderOwn(subject: DraftGroup, order: Reference): boolean {
  const tables = subject.column?.tables ?? [];
  const best = Math.max(0, ...order.columns.map(({ score }) => score));
  if (order.columns.length === 0) return true;
  return order.columns.some(({ column, score }) => score === best && tables.includes(column.table));
}

function isSuperlative({ measures, subject }: Draft): boolean {
  return subject !== undefined && measures.some(({ isSuperlative }) => isSuperlative);
}

function resolveGroups(draft: Draft, scope: Scope, findings: Findings): Group[] {
  const wanted = [...(draft.subject === undefined ? [] : [draft.subject]), ...draft.groups];
  if (wanted.length === 0 && draft.measures.length === 0 && !draft.isShare)
    wanted.push(
      ...draft.loose
        .filter(({ columns }) => columns.every(({ column }) => column.kind !== 'number'))
        .map((column): DraftGroup => ({ said: column.said, column })),
    );
  const groups: Group[] = [];
  for (const draftGroup of wanted) {
    const group = resolveGroup(draftGroup, scope, findings);
    const isNew = !groups.some(({ column, period }) => column === group?.column && period === group?.period);
    if (group !== undefined && isNew) groups.push(group);
  }
  if (groups.length > 2) findings.trouble.push('I can group by at most two things.');
  return groups;
}

function resolveGroup(group: DraftGroup, scope: Scope, findings: Findings): Group | undefined {
  if (group.period !== undefined) {
    const column = timeColumn(group.column, scope, findings);
    return column === undefined ? undefined : { column, period: group.period, label: group.period };
  }
  // A day of the month says little: a date is meant where there is one.
  const isDate = group.orPeriod === 'day' && scope.base.columns.some(isTime);
  if (group.orPeriod !== undefined && (isDate || !isOwn(group.column, scope))) {
    const column = timeColumn(undefined, scope, findings);
    return column === undefined ? undefined : { column, period: group.orPeriod, label: group.orPeriod };
  }
  const column = groupColumn(group.column, scope, findings);
  return column === undefined ? undefined : { column, label: column.name };
}

function isOwn({ columns }: Reference, { base }: Scope): boolean {
  return columns.some(({ column }) => column.table === base.name);
}

/**
 * "by customer" groups by the customer's name if names are unique, otherwise by the column that joins the two
 * tables.
 */
function groupColumn(reference: Reference, scope: Scope, findings: Findings): Column | undefined {
  const own = reference.columns.find(({ column, score }) => column.table === scope.base.name && score >= 9);
  const [name] = reference.tables;
  const table = scope.tables.find((table) => table.name === name);
  if (table === undefined || own !== undefined) return taken(pick(scope, reference, 'group'), findings);
  const join = scope.joins.get(table.name);
  const isReachable = table === scope.base || (join !== undefined && !join.isMany);
  const label = isReachable ? labelColumn(table) : undefined;
  const [holder, held] = join?.via === undefined ? [scope.base, join?.left] : [table, join.right];
  const key = holder.columns.find((column) => column.name === held);
  const column = label ?? (join?.isMany === false ? key : undefined);
  if (column !== undefined) return column;
  if (reference.columns.length > 0) return taken(pick(scope, reference, 'group'), findings);
  findings.trouble.push(
    `I cannot group “${scope.base.name}” by “${table.name}”: ${withoutJoin(scope.base, table)}.`,
  );
  return undefined;
}

function resolveOrder(
  draft: Draft,
  scope: Scope,
  shape: Question['kind'],
  groups: readonly Group[],
  measures: readonly Measure[],
  findings: Findings,
): Question['order'] {
  const superlative = draft.measures.find(({ isSuperlative }) => isSuperlative);
  const isLow = superlative?.aggregate === 'min';
  const [measure] = measures;
  const isWorse = draft.direction !== undefined && measure !== undefined && isBad(measure);
  const isFlipped = isWorse && (draft.quality === 'worst' || draft.quality === 'best');
  const said = draft.direction ?? (superlative !== undefined && isLow ? 'asc' : 'desc');
  const direction = isFlipped ? (said === 'asc' ? 'desc' : 'asc') : said;
  if (isFlipped) findings.notes.push(`I took more of “${measure.column!.name}” as worse.`);
  if (shape === 'aggregate') {
    if (namesGroup(draft.order, groups)) return { by: 'groups', direction: draft.direction ?? 'asc' };
    const isRanked = draft.direction !== undefined || isSuperlative(draft) || draft.order !== undefined;
    const isTimed = groups.some(
      ({ column, period }) => period !== undefined || isTime(column) || isCalendarPart(column),
    );
    if (isRanked || !isTimed) return { by: 'measure', direction };
    return { by: 'groups', direction: 'asc' };
  }
  const reference = draft.order ?? (superlative === undefined ? undefined : superlative.column);
  const isTimed = draft.intent === 'first' || draft.intent === 'last' || draft.order?.said === 'when';
  if (reference === undefined || isTimed) {
    if (draft.direction === undefined) return undefined;
    if (!isTimed) return defaultOrder(draft, scope, direction, findings);
    const column = timeColumn(undefined, scope, findings);
    return column === undefined ? undefined : { by: column, direction };
  }
  const column = taken(pick(scope, reference, 'any'), findings);
  if (column === undefined) return undefined;
  const isPlain = draft.direction === undefined && superlative === undefined;
  return { by: column, direction: isPlain && column.kind === 'text' ? 'asc' : direction };
}

/** "sorted by country", if it is grouped by country. */
function namesGroup(order: Reference | undefined, groups: readonly Group[]): boolean {
  return groups.some((group) => order?.columns.some(({ column }) => column === group.column) === true);
}

/** "top 5 orders": by the only column that can be summed; otherwise the user is asked. */
function defaultOrder(
  draft: Draft,
  { base }: Scope,
  direction: 'asc' | 'desc',
  findings: Findings,
): Question['order'] {
  const numbers = base.columns.filter(
    (column) => column.kind === 'number' && [...additiveWords].some((word) => sumsUp(column, word)),
  );
  if (draft.quality !== undefined && qualityOf.has(draft.quality)) {
    const by = qualityColumn(base, draft.quality, draft.quality, findings);
    return by === undefined ? undefined : { by, direction };
  }
  const [column] = numbers;
  if (column === undefined || numbers.length > 1) {
    const said = draft.subject?.said ?? base.name;
    findings.trouble.push(
      `Top or bottom “${said}” by what? Say for example “top 5 ${said} by …” with a column.`,
    );
    return undefined;
  }
  findings.notes.push(`I ordered by “${column.name}”.`);
  return { by: column, direction };
}

function shownColumns(draft: Draft, scope: Scope, findings: Findings): Column[] {
  const named = draft.loose.map((reference) => taken(pick(scope, reference, 'any'), findings));
  const columns = named.filter((column) => column !== undefined);
  if (columns.length > 0) return [...new Set(columns)];
  return scope.base.columns.filter(({ name }) => !isSystemColumn(name));
}

function shareOf(question: Question, findings: Findings): 'groups' | 'filters' {
  if (question.groups.length > 0) return 'groups';
  if (!question.filters.some(({ kind }) => kind !== 'dates'))
    findings.trouble.push(
      'A share of what? Say for example “share of orders by status” or “percentage of orders that are paid”.',
    );
  return 'filters';
}

/** Makes the names of the result's columns unique. */
function labelled(groups: readonly Group[], measures: readonly Measure[]): Group[] {
  const taken = new Set(measures.map(({ label }) => label));
  return groups.map((group) => {
    let { label } = group;
    if (taken.has(label)) label = `${group.column.table}_${label}`;
    while (taken.has(label)) label += '_';
    taken.add(label);
    return { ...group, label };
  });
}
