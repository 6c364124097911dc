import { identifier } from '../../../data/lake/sql.ts';

/** How one row alone decides a test. Columns are names as they are stored. */
export type RowRule =
  /** It fails where one of the columns is null; never, without any. */
  | { by: 'nulls'; columns: readonly string[] }
  /** It fails where the condition on the column's value is true. */
  | { by: 'value'; column: string; failing: string }
  /** It fails where the condition is not true; `columns` decide it, if they are known. */
  | { by: 'condition'; holds: string; columns?: readonly string[] | undefined };

/** The condition of a failing row. */
export function failingWhere(rule: RowRule): string {
  if (rule.by === 'nulls')
    return rule.columns.map((name) => `${identifier(name)} IS NULL`).join(' OR ') || 'false';
  return rule.by === 'value' ? rule.failing : `${rule.holds} IS NOT TRUE`;
}

interface Numbered {
  rule: RowRule;
  /** The column of the result. */
  as: string;
}

/**
 * A SELECT of one row that has, for each rule, how many rows of `this` fail it: `c0`, `c1`, … Where there are
 * many rules on the values of the same columns, or on nulls, it counts those values, or which columns are
 * null together, and asks the rules of these.
 * @param few The keys of those of `sampledSets` that have few values.
 */
export function countFailing(rules: readonly RowRule[], few: ReadonlySet<string> = new Set()): string {
  const nulls: Numbered[] = [];
  const rest: Numbered[] = [];
  const unfailing: Numbered[] = [];
  for (const [at, rule] of rules.entries()) {
    const group = rule.by !== 'nulls' ? rest : rule.columns.length > 0 ? nulls : unfailing;
    group.push({ rule, as: `c${at}` });
  }
  const parts: string[] = [];
  if (unfailing.length > 0) parts.push(`SELECT ${unfailing.map(({ as }) => `0 AS ${as}`).join(', ')}`);
  const nullable = columnsOf(nulls);
  const isPattern =
    nulls.length > 0 && nullable.length <= mostInPattern && nulls.length >= nullable.length * rulesPerNull;
  if (isPattern) parts.push(overPatterns(nulls, nullable));
  const overEach = isPattern ? [] : nulls;
  for (const [key, set] of Map.groupBy(rest, ({ rule }) => keyOf(rule))) {
    if (few.has(key) || isCounted(set)) parts.push(overValues(set));
    else overEach.push(...set);
  }
  if (overEach.length > 0) parts.push(`SELECT ${overEach.map(overRows).join(',\n')} FROM this`);
  return `SELECT * FROM ${parts.map((part, at) => `(${part}) AS p${at}`).join(', ')}`;
}

/** Columns whose values decide so many rules that counting the values costs less, if they are few. */
export interface ColumnSet {
  key: string;
  columns: readonly string[];
}

export function sampledSets(rules: readonly RowRule[]): ColumnSet[] {
  const numbered = rules.map((rule) => ({ rule, as: '' }));
  return [...Map.groupBy(numbered, ({ rule }) => keyOf(rule))].flatMap(([key, set]) => {
    const columns = readBy(set[0]!.rule);
    return columns !== undefined && set.length >= rulesPerSet && !isCounted(set) ? [{ key, columns }] : [];
  });
}

/** A SELECT of one row: how many rows a sample has, `n`, and how many values of each set: `c0`, `c1`, … */
export function countSampled(sets: readonly ColumnSet[]): string {
  const counts = sets.map(
    ({ columns }, at) => `approx_count_distinct((${columns.map(identifier).join(', ')})) AS c${at}`,
  );
  const names = [...new Set(sets.flatMap(({ columns }) => columns))].map(identifier);
  return `SELECT count(*) AS n, ${counts.join(',\n')}
    FROM (SELECT ${names.join(', ')} FROM this USING SAMPLE 5 PERCENT (system))`;
}

/** The keys of the sets that have few values, by the row of `countSampled`. */
export function fewValued(
  sets: readonly ColumnSet[],
  sampled: Readonly<Record<string, unknown>> | undefined,
): Set<string> {
  // So few rows are counted in no time.
  const rows = Math.max(Number(sampled?.['n']), 10_000);
  return new Set(
    sets.filter((_, at) => Number(sampled?.[`c${at}`]) <= rows * fewShare).map(({ key }) => key),
  );
}

/** Of the rows; with more, counting the values would be as slow as the rules. */
const fewShare = 0.3;

/** From so many rules for a column on, counting costs less; measured on two million rows. */
const rulesPerValue = 4;
const rulesPerNull = 3;
/** Conditions cost less than lists of accepted values. */
const rulesPerSet = 8;
/** Bits of a BIGINT that keep it positive. */
const mostInPattern = 62;

/** The columns whose values decide a rule, if they are known. */
function readBy(rule: RowRule): readonly string[] | undefined {
  if (rule.by === 'nulls') return undefined;
  return rule.by === 'value' ? [rule.column] : rule.columns;
}

const keyOf = (rule: RowRule): string => JSON.stringify(readBy(rule)?.toSorted() ?? null);

const isCounted = (set: readonly Numbered[]): boolean =>
  set.filter(({ rule }) => rule.by === 'value').length >= rulesPerValue;

/** FILTER would copy the rows for each rule: up to ten times as slow. */
function overRows({ rule, as }: Numbered): string {
  const [column, ...more] = rule.by === 'nulls' ? rule.columns : [];
  if (column !== undefined && more.length === 0) return `count(*) - count(${identifier(column)}) AS ${as}`;
  if (rule.by === 'condition') return `count(*) - coalesce(count_if(${rule.holds}), 0) AS ${as}`;
  return `coalesce(count_if(${failingWhere(rule)}), 0) AS ${as}`;
}

function overValues(rules: readonly Numbered[]): string {
  const columns = readBy(rules[0]!.rule)!;
  const names = columns.map(identifier).join(', ');
  // Longer than the columns', so it is another.
  const rows = identifier(`rows of ${columns.join(', ')}`);
  const counts = rules.map((rule) => sumOf(rows, failingWhere(rule.rule), rule));
  return `SELECT ${counts.join(',\n')} FROM (SELECT ${names}, count(*) AS ${rows} FROM this GROUP BY ${names})`;
}

function overPatterns(rules: readonly Numbered[], columns: readonly string[]): string {
  const bits = new Map(columns.map((column, at) => [column, 1n << BigInt(at)]));
  const set = columns.map(
    (name) => `CASE WHEN ${identifier(name)} IS NULL THEN ${bits.get(name)} ELSE 0 END`,
  );
  const counts = rules.map((rule) => {
    const wanted = columnsOf([rule]).reduce((sum, name) => sum + bits.get(name)!, 0n);
    return sumOf('n', `nulls & CAST(${wanted} AS BIGINT) <> 0`, rule);
  });
  return `SELECT ${counts.join(',\n')} FROM (SELECT nulls, count(*) AS n
    FROM (SELECT CAST(${set.join(' + ')} AS BIGINT) AS nulls FROM this) GROUP BY nulls)`;
}

const sumOf = (rows: string, condition: string, { as }: Numbered): string =>
  `coalesce(sum(CASE WHEN ${condition} THEN ${rows} END), 0) AS ${as}`;

const columnsOf = (rules: readonly Numbered[]): string[] => [
  ...new Set(rules.flatMap(({ rule }) => (rule.by === 'nulls' ? rule.columns : []))),
];
