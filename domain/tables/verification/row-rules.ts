import { identifier } from '../../../data/lake/sql.ts';

/** How one row alone decides a test. Columns are names as they are stored. */
export type RowRule =
  /** It fails where one of the columns is null. */
  | { by: 'nulls'; columns: readonly string[] }
  /** It fails where the condition on the column's value is true. */
  | { by: 'value'; column: string; failing: string }
  /** It fails where the condition is not true. */
  | { by: 'condition'; holds: string };

/** The condition of a failing row. */
export function failingWhere(rule: RowRule): string {
  if (rule.by === 'nulls') return rule.columns.map((name) => `${identifier(name)} IS NULL`).join(' OR ');
  return rule.by === 'value' ? rule.failing : `${rule.holds} IS NOT TRUE`;
}

interface Numbered {
  rule: RowRule;
  /** The column of the result. */
  as: string;
}

/**
 * A SELECT of one row that has, for each rule, how many rows of `this` fail it: `c0`, `c1`, … Where there are
 * many rules on the values of one column, or on nulls, it counts those values, or which columns are null
 * together, and asks the rules of these.
 */
export function countFailing(rules: readonly RowRule[]): string {
  const rest: Numbered[] = [];
  const nulls: Numbered[] = [];
  const values = new Map<string, Numbered[]>();
  for (const [at, rule] of rules.entries()) {
    const numbered = { rule, as: `c${at}` };
    if (rule.by === 'nulls') nulls.push(numbered);
    else if (rule.by === 'value') values.set(rule.column, [...(values.get(rule.column) ?? []), numbered]);
    else rest.push(numbered);
  }
  const parts: string[] = [];
  const nullable = columnsOf(nulls);
  if (nulls.length > 0 && nullable.length <= mostInPattern && nulls.length >= nullable.length * rulesPerNull)
    parts.push(overPatterns(nulls, nullable));
  else rest.push(...nulls);
  for (const [column, ofColumn] of values) {
    if (ofColumn.length >= rulesPerValue) parts.push(overValues(ofColumn, column));
    else rest.push(...ofColumn);
  }
  if (rest.length > 0) parts.push(`SELECT ${rest.map(overRows).join(',\n')} FROM this`);
  return `SELECT * FROM ${parts.map((part, at) => `(${part}) AS p${at}`).join(', ')}`;
}

/** From so many rules for a column on, counting costs less; measured on two million rows. */
const rulesPerValue = 4;
const rulesPerNull = 3;
/** Bits of a BIGINT that keep it positive. */
const mostInPattern = 62;

/** FILTER would copy the rows for each rule: up to ten times as slow. */
function overRows({ rule, as }: Numbered): string {
  const [column, ...more] = rule.by === 'nulls' ? rule.columns : [];
  if (column !== undefined && more.length === 0) return `count(*) - count(${identifier(column)}) AS ${as}`;
  if (rule.by === 'condition') return `count(*) - coalesce(count_if(${rule.holds}), 0) AS ${as}`;
  return `coalesce(count_if(${failingWhere(rule)}), 0) AS ${as}`;
}

function overValues(rules: readonly Numbered[], column: string): string {
  const name = identifier(column);
  // Longer than the column's, so it is another.
  const rows = identifier(`rows of ${column}`);
  const counts = rules.map((one) => sumOf(rows, failingWhere(one.rule), one));
  return `SELECT ${counts.join(',\n')} FROM (SELECT ${name}, count(*) AS ${rows} FROM this GROUP BY ${name})`;
}

function overPatterns(rules: readonly Numbered[], columns: readonly string[]): string {
  const bits = new Map(columns.map((column, at) => [column, 1n << BigInt(at)]));
  const set = columns.map(
    (name) => `CASE WHEN ${identifier(name)} IS NULL THEN ${bits.get(name)} ELSE 0 END`,
  );
  const counts = rules.map((one) => {
    const wanted = columnsOf([one]).reduce((sum, name) => sum + bits.get(name)!, 0n);
    return sumOf('n', `nulls & CAST(${wanted} AS BIGINT) <> 0`, one);
  });
  return `SELECT ${counts.join(',\n')} FROM (SELECT nulls, count(*) AS n
    FROM (SELECT CAST(${set.join(' + ')} AS BIGINT) AS nulls FROM this) GROUP BY nulls)`;
}

const sumOf = (rows: string, condition: string, { as }: Numbered): string =>
  `coalesce(sum(CASE WHEN ${condition} THEN ${rows} END), 0) AS ${as}`;

const columnsOf = (rules: readonly Numbered[]): string[] => [
  ...new Set(rules.flatMap(({ rule }) => (rule.by === 'nulls' ? rule.columns : []))),
];
