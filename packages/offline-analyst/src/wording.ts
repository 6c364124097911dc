import { code, escaped } from './markdown.ts';
import type { Condition, Measure, Question, Range } from './question.ts';
import type { FailingTable, StaleTable } from './stale-tables.ts';

const maxChanges = 3;

/** A question in words, repeated in the answer to show what was understood. */
const aggregateNames = {
  count: 'number',
  distinct: 'number of different values',
  sum: 'total',
  avg: 'average',
  min: 'minimum',
  max: 'maximum',
  median: 'median',
} as const;

export function measureText({ aggregate, column }: Measure, base: string): string {
  if (column === undefined) return `number of rows of ${code(base)}`;
  return `${aggregateNames[aggregate]} of ${code(column.name)}`;
}

/** `say` writes a value: escaped as Markdown, or as it is. */
export function filtersText(filters: readonly Condition[], say: (value: string) => string = escaped): string {
  if (filters.length === 0) return '';
  return `, where ${filters.map((filter) => filterText(filter, say)).join(' and ')}`;
}

function filterText(filter: Condition, say: (value: string) => string): string {
  const not = filter.isNegated;
  if (filter.kind === 'anyText') {
    const names = filter.columns.map(({ name }) => code(name)).join(' or ');
    return `${names} is ${not ? 'not ' : ''}${valuesText(filter.values, say)}`;
  }
  if (filter.kind === 'related') return `there are no rows of ${code(filter.table)}`;
  const name = code(filter.column.name);
  switch (filter.kind) {
    case 'values':
      return `${name} is ${not ? 'not ' : ''}${valuesText(filter.values, say)}`;
    case 'flag':
      return `${name} is ${not ? 'false' : 'true'}`;
    case 'null':
      return `${name} is ${not ? 'there' : 'missing'}`;
    case 'dates':
      return `${name} is ${not ? 'not ' : ''}${filter.ranges.map(rangeText).join(' or ')}`;
    case 'compare':
      return `${name} is ${not ? 'not ' : ''}${operatorText(filter.operator)} ${filter.value}`;
    case 'between':
      return `${name} is ${not ? 'not ' : ''}between ${filter.low} and ${filter.high}`;
  }
}

function operatorText(operator: string): string {
  const names: Readonly<Record<string, string>> = {
    '=': 'equal to',
    '<>': 'other than',
    '<': 'below',
    '<=': 'at most',
    '>': 'above',
    '>=': 'at least',
  };
  return names[operator] ?? operator;
}

function valuesText(values: readonly string[], say: (value: string) => string): string {
  return values.map((value) => `“${say(value)}”`).join(' or ');
}

function rangeText({ from, to }: Range): string {
  if (from === undefined) return `before ${to}`;
  return to === undefined ? `from ${from} on` : `from ${from} to before ${to}`;
}

export function groupsText({ groups }: Question): string {
  if (groups.length === 0) return '';
  return ` by ${groups.map(({ column, period }) => (period === undefined ? code(column.name) : `${period} of ${code(column.name)}`)).join(' and ')}`;
}

/** A title for results, charts and reports: plain text. */
export function titleOf(question: Question): string {
  const filters = filtersText(question.filters, (value) => value);
  const plainText = `${subjectOf(question)}${filters}`.replaceAll('`', '');
  const title = plainText.slice(0, 1).toUpperCase() + plainText.slice(1);
  return title.length > 120 ? `${title.slice(0, 119)}…` : title;
}

export function subjectOf(question: Question): string {
  const { base, measures, groups, share, limit, order } = question;
  if (question.kind === 'rows') return `rows of ${code(base)}`;
  const figures = measures.map((measure) => measureText(measure, base)).join(', ');
  const isTop = limit !== undefined && groups.length > 0;
  const end = order?.direction === 'asc' && order.by === 'measure' ? 'lowest' : 'highest';
  const ranked = isTop ? ` (the ${limit} ${end})` : '';
  return `${share === undefined ? '' : 'share of '}${figures}${groupsText(question)}${ranked}`;
}

/** Says how many rows or groups beyond the limit have the value of the last one that is shown. */
export function tiesText(question: Question, tied: number | undefined): string[] {
  if (tied === 0) return [];
  const { order, measures, base, groups, limit } = question;
  const what = typeof order?.by === 'object' ? code(order.by.name) : measureText(measures[0]!, base);
  const same = `the same ${what} as ${limit === 1 ? 'this one' : 'the last of these'}.`;
  const thing = groups.length > 0 ? 'group' : 'row';
  if (tied === undefined) return [`Further ${thing}s may have ${same}`];
  return [`${tied} more ${tied === 1 ? `${thing} has` : `${thing}s have`} ${same}`];
}

/** Says of tables that they are out of date, or fail tests, a sentence each; nothing where all is well. */
export function caveatsText({
  staleTables,
  failingTables,
}: {
  staleTables: readonly StaleTable[];
  failingTables: readonly FailingTable[];
}): string[] {
  const sentences = [...staleTables.map(sentenceOf), ...failingTables.map(failingText)];
  return sentences.length === 0 ? [] : [sentences.join(' ')];
}

function failingText({ name, tests }: FailingTable): string {
  const shown = tests.slice(0, maxChanges).map((test) => `“${test}”`);
  const more = tests.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(' and ');
  return `${code(name)} fails ${tests.length === 1 ? 'its test' : 'its tests'} ${list}.`;
}

function sentenceOf({ name, builtAt, changed, isRedefined }: StaleTable): string {
  const table = name === null ? 'A calculated table behind a view' : code(name);
  return `${table} is out of date: it was built on ${momentText(builtAt)}, and ${changeText(changed, isRedefined)} since.`;
}

/** `2026-11-21T08:30:00.000Z` as `2026-11-21 at 08:30:00 UTC`. */
function momentText(moment: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(moment) ?? [];
  return day === undefined ? 'an unknown day' : `${day} at ${time} UTC`;
}

function changeText(changed: readonly string[], isRedefined: boolean): string {
  if (isRedefined) return 'its query, or that of a view in it, has changed';
  if (changed.length === 0) return 'what it is made from has changed';
  const names = changed.slice(0, maxChanges).map(code);
  const more = changed.length - names.length;
  const list = [...names, ...(more > 0 ? [`${more} more`] : [])];
  return `${list.join(' and ')} ${list.length === 1 ? 'has' : 'have'} changed`;
}
