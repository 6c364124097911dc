import { calendarColumn, monthRange, onlyYear, wholeRange } from './calendar.ts';
import type { Column } from './catalog.ts';
import { withoutYear } from './dates.ts';
import { type Findings, taken, timeColumn } from './findings.ts';
import { qualityColumn } from './qualities.ts';
import type { Condition, Draft, DraftFilter, Measure } from './question.ts';
import { amountColumn } from './resolve-measures.ts';
import { pick, type Scope } from './scope.ts';
import { plain, stem, wordsOf } from './words.ts';

export function resolveFilters(
  { filters }: Draft,
  scope: Scope,
  measures: readonly Measure[],
  findings: Findings,
): Condition[] {
  const related = filters.find(({ kind }) => kind === 'related');
  if (related !== undefined && filters.some(({ kind }) => kind === 'dates' || kind === 'compare'))
    findings.trouble.push(
      `I do not know which table the dates and numbers beside “${related.said}” belong to.`,
    );
  return filters.flatMap((filter) => resolveFilter(filter, scope, measures, findings) ?? []);
}

function resolveFilter(
  filter: DraftFilter,
  scope: Scope,
  measures: readonly Measure[],
  findings: Findings,
): Condition | Condition[] | undefined {
  const { isNegated, said, isAfterVerb } = filter;
  const common = { isNegated, said, isAfterVerb };
  if (filter.kind === 'related') return { ...common, kind: 'related', table: filter.table };
  if (filter.kind === 'quoted') return quotedCondition(filter, scope, findings);
  if (filter.kind === 'dates') {
    const parts = partsCondition(filter, scope, findings);
    if (parts !== undefined) return parts;
    const column = timeColumn(filter.column, scope, findings);
    return column === undefined ? undefined : { ...common, kind: 'dates', column, ranges: filter.ranges };
  }
  if (filter.kind === 'values') {
    // Of columns with the same values, those are meant that hold all of the named ones.
    const heldBy = (of: Column) => filter.matches.filter(({ column }) => column === of).length;
    const most = Math.max(...filter.matches.map(({ column }) => heldBy(column)));
    const holding = filter.matches.filter(({ column }) => heldBy(column) === most);
    const columns = holding.map(({ column }) => ({ column, score: 8 }));
    const reference = {
      said,
      columns: unique(columns, ({ column }) => `${column.table}.${column.name}`),
      tables: [],
    };
    const column = taken(pick(scope, narrowed(reference, filter), 'group'), findings);
    if (column === undefined) return undefined;
    const own = filter.matches.filter((match) => match.column === column).map(({ value }) => value);
    return { ...common, kind: 'values', column, values: [...new Set(own)] };
  }
  if (filter.kind === 'flag' || filter.kind === 'null') {
    const column = taken(pick(scope, filter.column, filter.kind === 'flag' ? 'boolean' : 'any'), findings);
    return column === undefined ? undefined : { ...common, kind: filter.kind, column };
  }
  const column = comparedColumn(filter, scope, measures, findings);
  if (column === undefined) return undefined;
  if (
    filter.kind === 'compare' &&
    filter.unit !== undefined &&
    !wordsOf(column.name).some((word) => stem(word) === stem(filter.unit!))
  )
    findings.trouble.push(
      `The name of “${column.name}” does not say that it is in ${filter.unit}: give the number in its own unit.`,
    );
  if (filter.kind === 'between')
    return { ...common, kind: 'between', column, low: filter.low, high: filter.high };
  return { ...common, kind: 'compare', column, operator: filter.operator, value: filter.value };
}

/**
 * A year or a month of tables that have columns for them, or a month of a table with the dates of one year.
 */
function partsCondition(
  { column, ranges, month, isNegated, said, isAfterVerb }: Extract<DraftFilter, { kind: 'dates' }>,
  scope: Scope,
  findings: Findings,
): Condition[] | undefined {
  const common = { isNegated, said, isAfterVerb };
  const [yearColumn, monthColumn] = [calendarColumn(scope.base, 'year'), calendarColumn(scope.base, 'month')];
  const equal = (of: Column, value: number): Condition => ({
    ...common,
    kind: 'compare',
    column: of,
    operator: '=',
    value: String(value),
  });
  if (month !== undefined) {
    if (column === undefined && monthColumn !== undefined) return [equal(monthColumn, month)];
    const dated = timeColumn(column, scope, findings);
    const year = dated === undefined ? undefined : onlyYear(dated);
    if (dated === undefined) return [];
    if (year !== undefined)
      return [{ ...common, kind: 'dates', column: dated, ranges: [monthRange(year, month)] }];
    findings.trouble.push(withoutYear(said));
    return [];
  }
  const [range, another] = ranges;
  const whole = range === undefined || another !== undefined ? undefined : wholeRange(range);
  if (column !== undefined || whole === undefined || yearColumn === undefined) return undefined;
  if (whole.month === undefined) return [equal(yearColumn, whole.year)];
  if (monthColumn === undefined || isNegated) return undefined;
  return [equal(yearColumn, whole.year), equal(monthColumn, whole.month)];
}

/** Keeps only the named column, if there is one. */
function narrowed<T extends { columns: { column: Column; score: number }[] }>(
  reference: T,
  filter: Extract<DraftFilter, { kind: 'values' }>,
): T {
  const named = filter.column?.columns;
  if (named === undefined) return reference;
  const columns = reference.columns.flatMap(({ column }) => named.filter((match) => match.column === column));
  return columns.length === 0 ? reference : { ...reference, columns };
}

function unique<T>(list: readonly T[], key: (item: T) => string): T[] {
  return [...new Map(list.map((one) => [key(one), one])).values()];
}

/** A number without a column is compared with the computed column, or with the amount. */
function comparedColumn(
  filter: Extract<DraftFilter, { kind: 'compare' | 'between' }>,
  scope: Scope,
  measures: readonly Measure[],
  findings: Findings,
): Column | undefined {
  if (filter.column !== undefined) return taken(pick(scope, filter.column, 'number'), findings);
  if (filter.kind === 'compare' && filter.quality !== undefined)
    return qualityColumn(scope.base, filter.quality, filter.said, findings);
  const computed = measures.flatMap(({ column, aggregate }) =>
    column?.kind === 'number' && aggregate !== 'distinct' ? [column] : [],
  );
  const column = computed.length === 1 ? computed[0] : amountColumn(scope);
  if (column === undefined) findings.trouble.push(`Which column should be compared in “${filter.said}”?`);
  else findings.notes.push(`I compared “${column.name}” in “${filter.said}”.`);
  return column;
}

/** A quoted text is a literal value: of the named column, or of any text column that may hold it. */
function quotedCondition(
  filter: Extract<DraftFilter, { kind: 'quoted' }>,
  scope: Scope,
  findings: Findings,
): Condition | undefined {
  const { isNegated, said, isAfterVerb, values } = filter;
  const common = { isNegated, said, isAfterVerb };
  if (filter.column !== undefined) {
    const column = taken(pick(scope, filter.column, 'any'), findings);
    if (column === undefined) return undefined;
    if (column.kind !== 'text') {
      findings.trouble.push(
        `“${column.name}” holds ${column.dataType}, not text: say its value without quotes.`,
      );
      return undefined;
    }
    return { ...common, kind: 'values', column, values: values.map((value) => asStored(column, value)) };
  }
  const texts = scope.base.columns.filter(({ kind }) => kind === 'text');
  const reachable = [...scope.joins.values()]
    .filter(({ isMany }) => !isMany)
    .flatMap(({ table }) => scope.tables.find(({ name }) => name === table)?.columns ?? [])
    .filter(({ kind }) => kind === 'text');
  for (const columns of [texts, reachable]) {
    const holding = columns.filter((column) => values.some((value) => holds(column, value)));
    if (holding.length === 1) {
      const column = holding[0]!;
      return { ...common, kind: 'values', column, values: values.map((value) => asStored(column, value)) };
    }
    if (holding.length > 1) {
      const names = holding.map(({ name }) => `“${name}”`);
      findings.trouble.push(`“${said}” is a value of ${names.join(' and ')}: say which one you mean.`);
      return undefined;
    }
  }
  const open = texts.filter((column) => column.values === null || column.values === undefined);
  if (open.length === 0) {
    findings.trouble.push(`“${said}” is not a value of any text column of “${scope.base.name}”.`);
    return undefined;
  }
  const names = open.map(({ name }) => `“${name}”`).join(', ');
  findings.notes.push(`I looked for “${said}” in ${names}.`);
  return { ...common, kind: 'anyText', columns: open, values };
}

function holds({ values }: Column, value: string): boolean {
  return (values ?? []).some((one) => plain(one) === plain(value));
}

/** The value as stored in the column: an exact match, or one that differs only in letter case and accents. */
function asStored({ values }: Column, value: string): string {
  if (values === undefined || values === null || values.includes(value)) return value;
  return values.find((one) => plain(one) === plain(value)) ?? value;
}
