import { z } from 'zod';
import { identifier, literal } from '../../../../data/lake/sql.ts';
import { knownTablesNamed } from './known-tables.ts';
import { queryAttached } from './query.ts';
import { defineTool, text } from './tool.ts';

/** Tables that are looked at in one call, columns of each, and pairs of columns altogether. */
const maxTables = 8;
const maxColumns = 16;
const maxPairs = 150;
/** Rows of a table whose values are looked up, and the most rows that a table of unique values may have. */
const lookedUpRows = 200_000;
const maxKeyRows = 1_000_000;
/** Share of the different values that must be found for two columns to be a key. */
const smallestShare = 0.9;

export interface JoinTable {
  name: string;
  columns: readonly { name: string; dataType: string }[];
}

interface Column {
  table: string;
  name: string;
  isText: boolean;
}

const isWhole = (dataType: string): boolean => /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$/.test(dataType);

/** Columns that may hold the key of another table: texts and whole numbers. */
function candidatesOf({ name: table, columns }: JoinTable): Column[] {
  return columns
    .filter(({ name, dataType }) => name !== 's_id' && (dataType === 'STRING' || isWhole(dataType)))
    .slice(0, maxColumns)
    .map(({ name, dataType }) => ({ table, name, isText: dataType === 'STRING' }));
}

/** One row for each candidate: its table, its name, and whether its values are unique. */
export function uniqueStatement(tables: readonly JoinTable[]): string {
  const lines = tables.flatMap((table) =>
    candidatesOf(table).map(({ name }) => {
      const [column, from] = [identifier(name), identifier(table.name)];
      return `SELECT ${literal(table.name)} AS t, ${literal(name)} AS c, count(*) > 1 AND count(DISTINCT ${column}) = count(*) AS u FROM ${from}`;
    }),
  );
  return lines.join('\nUNION ALL ');
}

export interface Pair {
  from: Column;
  to: Column;
}

/**
 * Candidates with the unique columns of other tables. Whole numbers are compared only if their names are
 * alike.
 */
export function pairsOf(tables: readonly JoinTable[], unique: ReadonlySet<string>): Pair[] {
  const all = tables.flatMap(candidatesOf);
  const keys = all.filter((column) => unique.has(columnKey(column)));
  const isPair = (from: Column, to: Column) =>
    from.table !== to.table && from.isText === to.isText && (from.isText || isAlike(from, to));
  return keys
    .flatMap((to) => all.filter((from) => isPair(from, to)).map((from) => ({ from, to })))
    .slice(0, maxPairs);
}

export const columnKey = ({ table, name }: Pick<Column, 'table' | 'name'>): string => `${table}\n${name}`;

/** `manager_id` and `employees.id` are not alike, `employee_id` and `employees.id` are. */
function isAlike(from: Column, to: Column): boolean {
  const [one, other] = [from.name.toLowerCase(), to.name.toLowerCase()];
  return one === other ? one !== 'id' : one.includes(to.table.toLowerCase().replace(/s$/, ''));
}

/** One row for each pair, by its position: the number of different values, and how many were found. */
export function foundStatement(pairs: readonly Pair[]): string {
  const lines = pairs.map(({ from, to }, index) => {
    const [column, table] = [identifier(from.name), identifier(from.table)];
    const values = `SELECT DISTINCT ${column} AS v FROM (SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL LIMIT ${lookedUpRows})`;
    return `SELECT ${index} AS i, count(*) AS n, count(k.v) AS f FROM (${values}) AS a LEFT JOIN (SELECT ${identifier(to.name)} AS v FROM ${identifier(to.table)}) AS k ON a.v = k.v`;
  });
  return lines.join('\nUNION ALL ');
}

/** The joins among the pairs, by the rows of the statement above. */
export function joinsOf(pairs: readonly Pair[], rows: readonly (readonly unknown[])[]) {
  return rows.flatMap(([index, values, valuesFound]) => {
    const pair = pairs[Number(index)];
    const [all, found] = [Number(values), Number(valuesFound)];
    if (pair === undefined || found < 2 || found < all * smallestShare) return [];
    const { from, to } = pair;
    return [
      {
        table: from.table,
        column: from.name,
        otherTable: to.table,
        otherColumn: to.name,
        values: all,
        valuesFound: found,
      },
    ];
  });
}

export const findJoins = defineTool({
  name: 'find_joins',
  description:
    'Finds the columns by which attached tables can be joined, by comparing their values. Each join names a column, and a column with unique values in another table that contains at least nine tenths of the different values of the first. Use it if the names of the columns do not make this clear.',
  input: z.strictObject({
    tables: z
      .array(text(1, 255))
      .min(2)
      .max(maxTables)
      .describe('The names of the tables. Each table is compared with every other one.'),
  }),
  async run(call, { tables: names }) {
    const known = await knownTablesNamed(call, names);
    const small = known.filter(({ rowCount }) => rowCount === null || rowCount <= maxKeyRows);
    if (known.length < 2 || small.every((table) => candidatesOf(table).length === 0))
      return { output: { joins: [] }, summary: 'No joins found.' };
    const limit = maxTables * maxColumns;
    const uniqueness = await queryAttached(call, uniqueStatement(small), limit);
    const unique = new Set(
      uniqueness.rows.flatMap(([table, name, isUnique]) =>
        isUnique === true ? [columnKey({ table: String(table), name: String(name) })] : [],
      ),
    );
    const pairs = pairsOf(known, unique);
    const found = pairs.length === 0 ? undefined : await queryAttached(call, foundStatement(pairs), maxPairs);
    const joins = joinsOf(pairs, found?.rows ?? []);
    const count = joins.length === 1 ? '1 join found.' : `${joins.length} joins found.`;
    return { output: { joins, ...found?.notices }, summary: count };
  },
});
