import type { Column } from './catalog.ts';
import type { Condition, Group, Join, Measure, Question, Range } from './question.ts';

/** Groups that a result has room for, and cells of rows. */
const maxGroups = 10_000;
const maxCells = 40_000;
const fewestRows = 1_000;

/** Maximum rows or groups in the result of a question. */
export function maxRows({ kind, columns }: Question): number {
  return kind === 'rows' ? Math.max(fewestRows, Math.floor(maxCells / columns.length)) : maxGroups;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function literal(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/** One deterministic SELECT: ties in its order are broken by columns that distinguish the rows. */
export function sqlOf(question: Question): string {
  return question.kind === 'rows' ? rowsSql(question) : aggregateSql(question);
}

type Named = (column: Column) => string;

function namedIn(question: Question): Named {
  const isJoined = question.joins.some(({ isMany }) => !isMany);
  return ({ table, name }) => (isJoined ? `${identifier(table)}.${identifier(name)}` : identifier(name));
}

function rowsSql(question: Question): string {
  const named = namedIn(question);
  const { order, columns } = question;
  const keys =
    typeof order?.by === 'object' ? [`${named(order.by)} ${order.direction.toUpperCase()} NULLS LAST`] : [];
  const ordered = typeof order?.by === 'object' ? order.by : undefined;
  const rest = columns.filter((column) => column !== ordered && column.kind !== 'other').map(named);
  const lines = [
    `SELECT ${columns.map(named).join(', ')}`,
    fromOf(question),
    ...whereOf(question.filters, question, named),
  ];
  const all = [...keys, ...rest];
  if (all.length > 0) lines.push(`ORDER BY ${all.join(', ')}`);
  lines.push(`LIMIT ${question.limit ?? maxRows(question)}`);
  return lines.join('\n');
}

function aggregateSql(question: Question): string {
  const named = namedIn(question);
  const { groups, measures, share } = question;
  if (share === 'filters') return shareSql(question, named);
  const keys = groups.map((group) => `${groupExpression(group, named)} AS ${identifier(group.label)}`);
  const figures = measures.map(
    (measure) => `${measureExpression(measure, named)} AS ${identifier(measure.label)}`,
  );
  if (share === 'groups') {
    const total = measureExpression(measures[0]!, named);
    figures.push(`round(100.0 * ${total} / nullif(sum(${total}) OVER (), 0), 2) AS "percent"`);
  }
  const lines = [`SELECT ${[...keys, ...figures].join(', ')}`, fromOf(question)];
  lines.push(...whereOf(question.filters, question, named));
  if (groups.length > 0) {
    lines.push(groupBy(groups, named));
    lines.push(`ORDER BY ${orderOf(question).join(', ')}`);
    lines.push(`LIMIT ${question.limit ?? maxRows(question)}`);
  }
  return lines.join('\n');
}

/** How many rows or groups beyond the limit of a question have the value of the last one within it. */
export function tiesSql(question: Question): string | undefined {
  const { order, groups, measures, limit, filters, mayTie } = question;
  if (!mayTie || limit === undefined || order === undefined) return undefined;
  const named = namedIn(question);
  const by = typeof order.by === 'object' ? named(order.by) : measureExpression(measures[0]!, named);
  const lines = [
    `SELECT rank() OVER (ORDER BY ${by} ${order.direction.toUpperCase()} NULLS LAST) AS "place"`,
    fromOf(question),
    ...whereOf(filters, question, named),
  ];
  if (groups.length > 0) lines.push(groupBy(groups, named));
  return [
    `SELECT count(*) - ${limit} AS "tied" FROM (`,
    ...lines.map((line) => `  ${line}`),
    `) WHERE "place" <= ${limit}`,
  ].join('\n');
}

const groupBy = (groups: readonly Group[], named: Named): string =>
  `GROUP BY ${groups.map((group) => groupExpression(group, named)).join(', ')}`;

function orderOf({ order, groups, measures }: Question): string[] {
  const keys = groups.map(({ label }) => `${identifier(label)} NULLS LAST`);
  if (order?.by !== 'measure') return keys;
  return [`${identifier(measures[0]!.label)} ${order.direction.toUpperCase()} NULLS LAST`, ...keys];
}

/** The filtered part as a share of the whole. Date filters, and filters before the verb, apply to both. */
function shareSql(question: Question, named: Named): string {
  const { filters, measures } = question;
  const hasVerb = filters.some(({ isAfterVerb, kind }) => isAfterVerb && kind !== 'dates');
  const isPart = (filter: Condition) => filter.kind !== 'dates' && (!hasVerb || filter.isAfterVerb);
  const part = filters.filter(isPart).map((filter) => conditionOf(filter, question, named));
  const rest = filters.filter((filter) => !isPart(filter));
  const total = measureExpression(measures[0]!, named);
  const share = `${total} FILTER (WHERE ${part.join(' AND ')})`;
  return [
    `SELECT ${share} AS "part", ${total} AS "whole", round(100.0 * ${share} / nullif(${total}, 0), 2) AS "percent"`,
    fromOf(question),
    ...whereOf(rest, question, named),
  ].join('\n');
}

function fromOf({ base, joins }: Question): string {
  const lines = new Set([`FROM ${identifier(base)}`]);
  const add = ({ table, left, right, via }: Join) => {
    if (via !== undefined) add(via);
    const from = via?.table ?? base;
    const on = `${identifier(from)}.${identifier(left)} = ${identifier(table)}.${identifier(right)}`;
    lines.add(`LEFT JOIN ${identifier(table)} ON ${on}`);
  };
  for (const join of joins) if (!join.isMany) add(join);
  return [...lines].join('\n');
}

function whereOf(filters: readonly Condition[], question: Question, named: Named): string[] {
  if (filters.length === 0) return [];
  return [`WHERE ${filters.map((filter) => conditionOf(filter, question, named)).join('\n  AND ')}`];
}

function conditionOf(filter: Condition, question: Question, named: Named): string {
  const table =
    filter.kind === 'anyText'
      ? question.base
      : filter.kind === 'related'
        ? filter.table
        : filter.column.table;
  const join = question.joins.find((join) => join.table === table && join.isMany);
  if (join === undefined) return testOf(filter, named);
  return withinMany(filter, join, question, named);
}

/** For a join with many rows per row: one match is enough; if negated, there must be none. */
function withinMany(filter: Condition, join: Join, { base }: Question, named: Named): string {
  const key = (column: string) => named({ table: base, name: column, dataType: '', kind: 'other' });
  if (filter.kind === 'related')
    return [join, ...(join.others ?? [])].map((one) => withoutAny(one, key)).join(' AND ');
  const isInner = filter.isNegated && filter.kind !== 'null' && filter.kind !== 'flag';
  const test = testOf(isInner ? { ...filter, isNegated: false } : filter, ({ name }) => identifier(name));
  const { via } = join;
  const between = via === undefined ? test : `${identifier(join.left)} IN (${keysIn(join, test)})`;
  const first = via ?? join;
  return `${key(first.left)} ${isInner ? 'NOT IN' : 'IN'} (${keysIn(first, between)})`;
}

function withoutAny(join: Join, key: (column: string) => string): string {
  const { via, left } = join;
  if (via === undefined) return `${key(left)} NOT IN (${keysIn(join)})`;
  return `${key(via.left)} NOT IN (${keysIn(via, `${identifier(left)} IN (${keysIn(join)})`)})`;
}

function keysIn({ table, right }: Join, test?: string): string {
  const column = identifier(right);
  const and = test === undefined ? '' : ` AND ${test}`;
  return `SELECT ${column} FROM ${identifier(table)} WHERE ${column} IS NOT NULL${and}`;
}

function testOf(filter: Condition, named: Named): string {
  const not = filter.isNegated ? 'NOT ' : '';
  if (filter.kind === 'anyText') {
    const tests = filter.columns.map(
      (column) => `coalesce(${valuesTest(named(column), filter.values)}, false)`,
    );
    return `${not}(${tests.join(' OR ')})`;
  }
  if (filter.kind === 'related') return 'false';
  const column = named(filter.column);
  switch (filter.kind) {
    case 'values': {
      const test = valuesTest(column, filter.values);
      // A null is not one of the excluded values.
      return filter.isNegated ? `(NOT ${test} OR ${column} IS NULL)` : test;
    }
    case 'flag':
      if (filter.column.isBinary === true) return `${column} = ${filter.isNegated ? 0 : 1}`;
      return `${column} = ${filter.isNegated ? 'false' : 'true'}`;
    case 'null':
      return `${column} IS ${filter.isNegated ? 'NOT ' : ''}NULL`;
    case 'dates': {
      const tests = filter.ranges.map((range) => rangeTest(filter.column, column, range));
      return `${not}${tests.length === 1 ? tests[0]! : `(${tests.join(' OR ')})`}`;
    }
    case 'compare':
      return `${not}${column} ${filter.operator} ${filter.value}`;
    case 'between':
      return `${not}${column} BETWEEN ${filter.low} AND ${filter.high}`;
  }
}

function valuesTest(column: string, values: readonly string[]): string {
  if (values.length === 1) return `(${column} = ${literal(values[0]!)})`;
  return `(${column} IN (${values.map(literal).join(', ')}))`;
}

function rangeTest({ kind }: Column, column: string, { from, to }: Range): string {
  const instant = (date: string) =>
    kind === 'date'
      ? `DATE '${date}'`
      : kind === 'timestamp'
        ? `TIMESTAMP '${date} 00:00:00'`
        : `TIMESTAMPTZ '${date} 00:00:00+00'`;
  const tests = [];
  if (from !== undefined) tests.push(`${column} >= ${instant(from)}`);
  if (to !== undefined) tests.push(`${column} < ${instant(to)}`);
  return `(${tests.join(' AND ')})`;
}

function groupExpression({ column, period }: Group, named: Named): string {
  const name = named(column);
  if (period === undefined) return name;
  const local = column.kind === 'timestamptz' ? `timezone('UTC', ${name})` : name;
  return `CAST(date_trunc('${period}', ${local}) AS DATE)`;
}

function measureExpression({ aggregate, column }: Measure, named: Named): string {
  if (column === undefined) return 'count(*)';
  const name = named(column);
  return aggregate === 'distinct' ? `count(DISTINCT ${name})` : `${aggregate}(${name})`;
}
