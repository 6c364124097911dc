import { type Column, isSystemColumn, type Table } from './catalog.ts';
import { isKey, timeColumns } from './match.ts';
import type { Join, Reference } from './question.ts';
import { keyOf, wordsOf } from './words.ts';

/** A table, and the tables it can be joined with. */
export interface Scope {
  base: Table;
  tables: readonly Table[];
  /** Tables that the question names. */
  named: readonly string[];
  joins: ReadonlyMap<string, Join>;
}

export function scopeOf(base: Table, tables: readonly Table[], named: readonly string[]): Scope {
  const joins = new Map<string, Join>();
  for (const table of tables) {
    const join = table === base ? undefined : joinOf(base, table);
    if (join !== undefined) joins.set(table.name, join);
  }
  return { base, tables, named, joins };
}

/**
 * Two tables are joined by a column of the same name and kind whose name marks it as a key, or by
 * `customer_id` and `customers.id`. One side must be unique; otherwise rows would be counted more than once.
 */
function joinOf(left: Table, right: Table): Join | undefined {
  const found: Join[] = [];
  for (const [one, other] of pairsOf(left, right)) {
    const isOne = isUnique(right, other);
    if (isOne || isUnique(left, one))
      found.push({ table: right.name, left: one.name, right: other.name, isMany: !isOne });
  }
  return found.find(({ isMany }) => !isMany) ?? found[0];
}

/** True if two tables may be joined, before it is known which of their columns are unique. */
export function mayJoin(left: Table, right: Table): boolean {
  return pairsOf(left, right).length > 0;
}

const maxKeys = 40;

function keysOf({ columns }: Table): { column: Column; key: string }[] {
  return columns
    .filter((column) => !isSystemColumn(column.name) && isKey(column))
    .slice(0, maxKeys)
    .map((column) => ({ column, key: keyOf(wordsOf(column.name)) }));
}

function pairsOf(left: Table, right: Table): [Column, Column][] {
  const [leftId, rightId] = [left, right].map(({ name }) => `${keyOf(wordsOf(name))}id`);
  const others = keysOf(right);
  return keysOf(left).flatMap((one) =>
    others
      .filter(({ column, key }) => {
        if (column.kind !== one.column.kind) return false;
        if (key === one.key) return key !== 'id';
        return (key === 'id' && one.key === rightId) || (one.key === 'id' && key === leftId);
      })
      .map(({ column }): [Column, Column] => [one.column, column]),
  );
}

function isUnique(table: Table, column: Column): boolean {
  if (!table.isDescribed || column.distinct === undefined || column.isApproximate === true) return false;
  return column.distinct + (column.nulls ?? 0) === table.rowCount;
}

export type Role = 'number' | 'group' | 'time' | 'boolean' | 'any';

export type Picked = { column: Column; trouble?: undefined } | { column?: undefined; trouble: string };

/**
 * The column that words refer to, seen from a table: its own columns take precedence over those of joined
 * tables.
 */
export function pick(scope: Scope, reference: Reference, role: Role): Picked {
  const rated = reference.columns
    .map(({ column, score }) => ({ column, rating: score + nearness(scope, column) + fitness(column, role) }))
    .filter(({ rating }) => rating > 0)
    .sort((one, other) => other.rating - one.rating);
  const [best] = rated;
  if (best === undefined) return { trouble: unreachable(scope, reference) };
  const equal = rated.filter(({ rating }) => rating === best.rating);
  if (equal.length === 1) return { column: best.column };
  const names = equal.map(({ column }) => `“${column.name}” of “${column.table}”`);
  return { trouble: `“${reference.said}” may be ${names.join(' or ')}: say which.` };
}

function nearness({ base, joins, named }: Scope, column: Column): number {
  if (column.table === base.name) return 3;
  const join = joins.get(column.table);
  if (join === undefined) return -100;
  return (join.isMany ? -2 : 0) + (named.includes(column.table) ? 2 : 0);
}

function fitness(column: Column, role: Role): number {
  if (role === 'any') return 0;
  if (role === 'number') return column.kind !== 'number' ? -30 : isKey(column) ? -2 : 0;
  if (role === 'boolean') return column.kind === 'boolean' ? 0 : -30;
  const isTime = timeKinds.includes(column.kind);
  if (role === 'time') return isTime ? 0 : -30;
  return column.kind === 'text' || column.kind === 'boolean' ? 0.6 : isKey(column) ? 0 : 0.3;
}

const timeKinds = ['date', 'timestamp', 'timestamptz'];

function unreachable({ base, tables }: Scope, { said, columns }: Reference): string {
  const first = columns[0]?.column;
  if (first === undefined) return `I found no column for “${said}”.`;
  if (first.table === base.name) return `“${first.name}” holds ${first.dataType}, which does not fit here.`;
  const other = tables.find(({ name }) => name === first.table);
  const why =
    other !== undefined && mayJoin(base, other)
      ? 'neither side of their common column is unique'
      : 'they have no key in common';
  return `“${first.name}” is a column of “${first.table}”, which I cannot join with “${base.name}”: ${why}.`;
}

/** The chosen date column of a table, and the other candidates. */
export function timeColumnOf(scope: Scope): { column: Column; others: Column[] } | undefined {
  const own = byName(scope.base);
  if (own.length > 0) return { column: own[0]!, others: own.slice(1) };
  for (const join of scope.joins.values()) {
    const table = scope.tables.find(({ name }) => name === join.table);
    const joined = join.isMany || table === undefined ? [] : byName(table);
    if (joined.length > 0) return { column: joined[0]!, others: joined.slice(1) };
  }
  return undefined;
}

function byName(table: Table): Column[] {
  const rating = (column: Column): number => {
    const words = wordsOf(column.name);
    const has = (...some: string[]) => some.some((word) => words.includes(word));
    const isOwn = words.some((word) => keyOf(wordsOf(table.name)).startsWith(word.slice(0, 4)));
    return (
      (isOwn ? 2 : 0) +
      (has('date', 'day') ? 2 : 0) +
      (has('created', 'ordered', 'placed', 'opened', 'measured', 'loaned') ? 1.5 : 0) +
      (has('at', 'on', 'time', 'timestamp') ? 0.5 : 0) -
      (has('updated', 'modified', 'deleted', 'birth', 'due', 'returned', 'closed', 'resolved') ? 3 : 0)
    );
  };
  return timeColumns(table).sort((one, other) => rating(other) - rating(one));
}

/** The column that names a table's rows for people, if it identifies them. */
export function labelColumn(table: Table): Column | undefined {
  const names = ['name', 'title', 'label', `${keyOf(wordsOf(table.name))}name`, 'fullname', 'station'];
  const keys = new Set(names.map((name) => keyOf(wordsOf(name))));
  return table.columns.find(
    (column) => column.kind === 'text' && keys.has(keyOf(wordsOf(column.name))) && isUnique(table, column),
  );
}
