import { isRawNumber } from '../../../data/exact-json.ts';
import { identifier, literal } from '../../../data/lake/sql.ts';
import { withoutTail } from '../../../packages/sql-guard/index.ts';
import { duckDbType, type LakeColumn } from '../tables/columns.ts';
import { columnsOfCondition } from './condition-columns.ts';
import { manyRows } from './integer-keys.ts';
import type { Cell, Test } from './kinds.ts';
import { failingWhere, type RowRule } from './row-rules.ts';

/** A test as statements over the relation `this`, of which no part comes from a request but expressions. */
export interface CompiledTest {
  /** SELECT of the failing rows. */
  failing: string;
  /** SELECT of one number: how many there are. */
  count: string;
  /** Where one row alone decides; such tests are counted together. */
  rule: RowRule | undefined;
  /** The column whose values must differ, if it is one and has integers, of so many rows that it matters. */
  integerKey?: string | undefined;
}

/** What a test is compiled for. */
export interface Subject {
  /** One that is not nullable is known to have no null. */
  columns: readonly LakeColumn[];
  /** The name of the table that a relationship leads to. */
  toTable: string | undefined;
  /** Rows of the version before, if there is one that had any. */
  rowsBefore: number | undefined;
  /** About how many rows it has, if that is known. */
  rows?: number | undefined;
  /** When the version was committed, and now. */
  versionAt: Date;
  now: Date;
  /** The relation of the rows that are new; a key is looked for only where it is among them. */
  newRows?: string;
}

/** A test cannot be compiled for this table. `field` is the parameter that does not fit. */
export class UnfitTest extends Error {
  override readonly name = 'UnfitTest';
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

const timeTypes = /^(?:DATE|TIMESTAMP(?:TZ|_S|_MS|_NS)?)$/;

/** @throws UnfitTest where a column is missing or of another type */
export function compileTest(test: Test, subject: Subject): CompiledTest {
  switch (test.kind) {
    case 'not_null': {
      const named = test.params.columns.map((name, at) => columnNamed(subject, name, ['columns', at]));
      const columns = named.filter(({ nullable }) => nullable).map(({ name }) => name);
      return rowTest({ by: 'nulls', columns });
    }
    case 'accepted_values': {
      const { name: column } = columnNamed(subject, test.params.column, ['column']);
      const values = valueLiterals(test.params, subject).join(', ');
      // The same as NOT IN, null of null too; but the engine compares a column's dictionary, not every row.
      return rowTest({
        by: 'value',
        column,
        failing: `NOT list_contains([${values}], ${identifier(column)})`,
      });
    }
    case 'expression':
      // What is not BOOLEAN counts as IS TRUE would read it.
      return rowTest({
        by: 'condition',
        holds: `CAST((${test.params.expression}\n) AS BOOLEAN)`,
        columns: columnsOfCondition(test.params.expression, subject.columns),
      });
    case 'unique':
      return uniqueTest(test.params, subject);
    case 'relationship': {
      const names = columnsNamed(subject, test.params.columns, 'columns');
      if (subject.toTable === undefined)
        throw new UnfitTest(['to_table_id'], "You can't read a table with this id.");
      const matches = names.map((name, at) => `o.${identifier(test.params.to_columns[at]!)} = t.${name}`);
      const other = `SELECT 1 FROM ${identifier(subject.toTable)} AS o WHERE ${matches.join(' AND ')}`;
      const given = names.map((name) => `t.${name} IS NOT NULL`).join(' AND ');
      return counted(`SELECT * FROM this AS t WHERE ${given} AND NOT EXISTS (${other})`);
    }
    case 'row_count':
      return rowCountTest(test.params, subject);
    case 'freshness':
      return freshnessTest(test.params, subject);
    case 'sql':
      return counted(test.params.sql);
  }
}

/** The accepted values, each as `CAST(… AS type)`. @throws UnfitTest */
export function valueLiterals(
  { column, values }: Extract<Test, { kind: 'accepted_values' }>['params'],
  subject: Subject,
): string[] {
  const found = columnNamed(subject, column, ['column']);
  return values.map((value, at) => typedLiteral(value, found, ['values', at]));
}

const rowTest = (rule: RowRule): CompiledTest => ({
  ...counted(`SELECT * FROM this WHERE ${failingWhere(rule)}`),
  rule,
});

function counted(failing: string): CompiledTest {
  const bare = withoutTail(failing);
  return { failing: bare, count: `SELECT count(*) AS failing FROM (${bare}\n) AS f`, rule: undefined };
}

function uniqueTest(
  { columns }: Extract<Test, { kind: 'unique' }>['params'],
  subject: Subject,
): CompiledTest {
  const { newRows, rows = 0 } = subject;
  const found = columns.map((name, at) => columnNamed(subject, name, ['columns', at]));
  const names = found.map(({ name }) => identifier(name));
  const [only, ...others] = found;
  const isInteger = others.length === 0 && only?.dataType === 'INTEGER';
  const keys = names.join(', ');
  const given = names.map((name) => `${name} IS NOT NULL`).join(' AND ');
  const same = (left: string, right: string) =>
    names.map((name) => `${left}.${name} = ${right}.${name}`).join(' AND ');
  // Old rows that share a key among themselves are not the fault of new ones.
  const among =
    newRows === undefined
      ? ''
      : ` AND EXISTS (SELECT 1 FROM ${identifier(newRows)} AS n WHERE ${same('n', 'this')})`;
  const repeated = `FROM this WHERE ${given}${among} GROUP BY ${keys} HAVING count(*) > 1`;
  return {
    failing: `SELECT t.* FROM this AS t WHERE EXISTS (SELECT 1 FROM (SELECT ${keys} ${repeated}) AS d
      WHERE ${same('d', 't')}) ORDER BY ${names.map((name) => `t.${name}`).join(', ')}`,
    count: `SELECT coalesce(sum(n), 0) AS failing FROM (SELECT count(*) AS n ${repeated}) AS d`,
    rule: undefined,
    integerKey: isInteger && newRows === undefined && rows >= manyRows ? only.name : undefined,
  };
}

function rowCountTest(
  { min, max, max_change_ratio: ratio }: Extract<Test, { kind: 'row_count' }>['params'],
  { rowsBefore }: Subject,
): CompiledTest {
  const rules = [
    ...(min === undefined ? [] : [`n >= ${min}`]),
    ...(max === undefined ? [] : [`n <= ${max}`]),
    ...(ratio === undefined || rowsBefore === undefined
      ? []
      : [`abs(n - ${rowsBefore}) <= ${ratio} * ${rowsBefore}`]),
  ];
  const shown = [
    'n AS row_count',
    `${min ?? 'NULL'} AS min`,
    `${max ?? 'NULL'} AS max`,
    `${ratio === undefined ? 'NULL' : (rowsBefore ?? 'NULL')} AS rows_before`,
  ];
  return counted(
    `SELECT ${shown.join(', ')} FROM (SELECT count(*) AS n FROM this) AS c WHERE NOT (${['true', ...rules].join(' AND ')})`,
  );
}

function freshnessTest(
  { column, max_age_seconds: maxAgeSeconds }: Extract<Test, { kind: 'freshness' }>['params'],
  subject: Subject,
): CompiledTest {
  const oldest = new Date(Math.max(subject.now.getTime() - maxAgeSeconds * 1_000, -62_135_596_800_000));
  const instant = (time: Date) => `CAST(${literal(time.toISOString())} AS TIMESTAMPTZ)`;
  if (column === undefined) {
    const isOld = subject.versionAt < oldest;
    const shown = `${instant(subject.versionAt)} AS newest, ${instant(oldest)} AS oldest_allowed`;
    return counted(`SELECT newest, oldest_allowed FROM (SELECT ${shown}) AS v WHERE ${isOld}`);
  }
  const found = columnNamed(subject, column, ['column']);
  if (!timeTypes.test(found.dataType))
    throw new UnfitTest(
      ['column'],
      `The column has the type ${found.dataType}. A freshness test needs a column of dates or times.`,
    );
  const cutoff = `CAST(${instant(oldest)} AS ${duckDbType(found.dataType)})`;
  return counted(
    `SELECT newest, ${cutoff} AS oldest_allowed FROM (SELECT max(${identifier(found.name)}) AS newest FROM this) AS v
      WHERE newest IS NULL OR newest < ${cutoff}`,
  );
}

function columnsNamed(subject: Subject, names: readonly string[], field: string): string[] {
  return names.map((name, at) => identifier(columnNamed(subject, name, [field, at]).name));
}

/** Ignoring case, as the engine does. */
function columnNamed({ columns }: Subject, name: string, path: readonly (string | number)[]): LakeColumn {
  const folded = name.toLowerCase();
  const found = columns.find((column) => column.name.toLowerCase() === folded);
  if (found !== undefined) return found;
  const known = columns.slice(0, 20).map((column) => column.name);
  throw new UnfitTest(
    path,
    `The table has no column ${JSON.stringify(name)}. Its columns are ${known.join(', ')}${columns.length > known.length ? ', …' : ''}.`,
  );
}

/** A value as a literal of the column's type. */
function typedLiteral(value: Cell, column: LakeColumn, path: readonly (string | number)[]): string {
  const { dataType } = column;
  const text = isRawNumber(value) ? value.rawJSON : String(value);
  const fits =
    dataType === 'STRING'
      ? typeof value === 'string'
      : dataType === 'BOOLEAN'
        ? typeof value === 'boolean'
        : dataType === 'INTEGER'
          ? typeof value !== 'boolean' && /^-?\d{1,38}$/.test(text)
          : dataType === 'DOUBLE' || dataType.startsWith('DECIMAL')
            ? typeof value !== 'boolean' && /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][-+]?\d{1,3})?$/.test(text)
            : typeof value === 'string';
  if (!fits)
    throw new UnfitTest(
      path,
      `${text.slice(0, 100)} isn't a value of the type ${dataType}, which the column has.`,
    );
  return `CAST(${literal(text)} AS ${duckDbType(dataType)})`;
}
