/** What somebody chose by clicking, as the address keeps it. */
export interface Exploration {
  filters: Filter[];
  sort: { column: string; isDescending: boolean }[];
  hidden: string[];
  groups: Group[];
  measures: Measure[];
}

export interface Filter {
  column: string;
  test: Test;
  value: string;
}

export interface Group {
  column: string;
  /** Of a day or a time: what is the same within it. */
  unit?: Unit;
}

export interface Measure {
  function: Aggregate;
  /** None for the number of rows. */
  column?: string;
}

export const tests = ['is', 'is_not', 'contains', 'starts', 'above', 'below', 'empty', 'filled'] as const;
export type Test = (typeof tests)[number];
export const units = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type Unit = (typeof units)[number];
export const aggregates = ['count', 'distinct', 'sum', 'avg', 'min', 'max'] as const;
export type Aggregate = (typeof aggregates)[number];

export interface ExploredColumn {
  name: string;
  dataType: string | null;
}

export const nothing: Exploration = { filters: [], sort: [], hidden: [], groups: [], measures: [] };

export const isNothing = (chosen: Exploration): boolean =>
  Object.values(chosen).every((list: unknown[]) => list.length === 0);

export const isDated = (dataType: string | null): boolean => /^(DATE|TIMESTAMP)/.test(dataType ?? '');
const isText = (dataType: string | null): boolean =>
  dataType === null || /^(STRING|VARCHAR|JSON)/.test(dataType);

/** The tests that make sense for values of a type. */
export function testsOf(dataType: string | null): readonly Test[] {
  if (dataType === 'BOOLEAN') return ['is', 'is_not', 'empty', 'filled'];
  return isText(dataType)
    ? ['is', 'is_not', 'contains', 'starts', 'empty', 'filled']
    : ['is', 'is_not', 'above', 'below', 'empty', 'filled'];
}

/** Whether a test compares with a value. */
export const takesValue = (test: Test): boolean => test !== 'empty' && test !== 'filled';

export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
/** A text within a pattern of LIKE stands for itself. */
const pattern = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

function condition({ column, test, value }: Filter): string {
  const name = identifier(column);
  switch (test) {
    case 'is':
      return `${name} = ${literal(value)}`;
    case 'is_not':
      return `${name} IS DISTINCT FROM ${literal(value)}`;
    case 'contains':
      return `${name} ILIKE ${literal(`%${pattern(value)}%`)} ESCAPE '\\'`;
    case 'starts':
      return `${name} ILIKE ${literal(`${pattern(value)}%`)} ESCAPE '\\'`;
    case 'above':
      return `${name} >= ${literal(value)}`;
    case 'below':
      return `${name} <= ${literal(value)}`;
    case 'empty':
      return `${name} IS NULL`;
    case 'filled':
      return `${name} IS NOT NULL`;
  }
}

/** The name of a measure's column. */
export function measureName({ function: name, column }: Measure): string {
  return column === undefined ? 'rows' : `${name} of ${column}`;
}

function measureSql(measure: Measure): string {
  const { function: name, column } = measure;
  const as = ` AS ${identifier(measureName(measure))}`;
  if (column === undefined || name === 'count') return `count(*)${as}`;
  if (name === 'distinct') return `count(DISTINCT ${identifier(column)})${as}`;
  return `${name}(${identifier(column)})${as}`;
}

const groupSql = ({ column, unit }: Group): string =>
  unit === undefined
    ? identifier(column)
    : `date_trunc(${literal(unit)}, ${identifier(column)}) AS ${identifier(column)}`;

/**
 * The statement of what was chosen. Columns that the table no longer has are left out.
 *
 * @param from the table's name in SQL
 */
export function statementOf(from: string, columns: readonly ExploredColumn[], chosen: Exploration): string {
  const names = new Set(columns.map(({ name }) => name));
  const has = ({ column }: { column?: string }) => column === undefined || names.has(column);
  const groups = chosen.groups.filter(has);
  const measures = chosen.measures.filter(has);
  const isGrouped = groups.length > 0 || measures.length > 0;
  const counted = measures.length > 0 ? measures : [{ function: 'count' as const }];
  const shown = columns.filter(({ name }) => !chosen.hidden.includes(name));
  const list = isGrouped
    ? [...groups.map(groupSql), ...counted.map(measureSql)]
    : shown.length === columns.length
      ? ['*']
      : shown.map(({ name }) => identifier(name));
  const lines = [`SELECT ${list.length === 0 ? '*' : list.join(', ')}`, `FROM ${from}`];
  const filters = chosen.filters.filter(has).map(condition);
  if (filters.length > 0) lines.push(`WHERE ${filters.join('\n  AND ')}`);
  if (groups.length > 0) lines.push('GROUP BY ALL');
  const sortable = isGrouped
    ? new Set([...groups.map(({ column }) => column), ...counted.map(measureName)])
    : names;
  const sort = chosen.sort
    .filter(({ column }) => sortable.has(column))
    .map(({ column, isDescending }) => `${identifier(column)}${isDescending ? ' DESC' : ''} NULLS LAST`);
  // Groups come in an order of their own: days as they follow, others by how much there is of them.
  const ordered =
    sort.length > 0 || groups.length === 0
      ? sort
      : groups[0]!.unit === undefined
        ? [`${identifier(measureName(counted[0]!))} DESC NULLS LAST`]
        : [`${identifier(groups[0]!.column)} NULLS LAST`];
  if (ordered.length > 0) lines.push(`ORDER BY ${ordered.join(', ')}`);
  return lines.join('\n');
}

/** As text of the address; undefined for nothing. */
export function addressed(chosen: Exploration): string | undefined {
  if (isNothing(chosen)) return undefined;
  return JSON.stringify(Object.fromEntries(Object.entries(chosen).filter(([, list]) => list.length > 0)));
}

/** What the address says; whatever else may have been typed there is left out. */
export function fromAddress(text: string | undefined): Exploration {
  if (text === undefined) return nothing;
  try {
    const read = JSON.parse(text) as Record<string, unknown>;
    const list = (name: keyof Exploration) =>
      Array.isArray(read[name]) ? (read[name] as never[]).slice(0, 100) : [];
    const isNamed = (each: unknown): boolean => typeof (each as { column?: unknown }).column === 'string';
    return {
      filters: list('filters').filter(
        (each: Filter) => isNamed(each) && tests.includes(each.test) && typeof each.value === 'string',
      ),
      sort: list('sort').filter(isNamed),
      hidden: list('hidden').filter((name) => typeof name === 'string'),
      groups: list('groups').filter(
        (each: Group) => isNamed(each) && (each.unit === undefined || units.includes(each.unit)),
      ),
      measures: list('measures').filter(
        (each: Measure) => aggregates.includes(each.function) && (each.column === undefined || isNamed(each)),
      ),
    };
  } catch {
    return nothing;
  }
}
