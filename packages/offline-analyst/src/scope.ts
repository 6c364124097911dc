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
  for (const table of tables) {
    if (table === base || joins.has(table.name)) continue;
    const join = joinThrough(base, table, tables, named);
    if (join !== undefined) joins.set(table.name, join);
  }
  return { base, tables, named, joins };
}

/** Joins between two tables: those by which a row has one row of the other come first. */
function joinsBetween(left: Table, right: Table): Join[] {
  const found: Join[] = [];
  const add = (join: Omit<Join, 'table'>) => {
    if (!found.some((one) => one.left === join.left && one.right === join.right))
      found.push({ ...join, table: right.name });
  };
  const pairs = pairsOf(left, right).filter(([one, other]) => isUnique(right, other) || isUnique(left, one));
  const keys = pairs.filter(([one, other]) => isKey(one) || isKey(other));
  for (const [one, other] of keys.length > 0 ? keys : pairs)
    add({ left: one.name, right: other.name, isMany: !isUnique(right, other) });
  for (const { column, table, key } of left.references)
    if (table === right.name) add({ left: column, right: key, isMany: false, isByValues: true });
  for (const { column, table, key } of right.references)
    if (table === left.name) add({ left: key, right: column, isMany: true, isByValues: true });
  return found.sort((a, b) => Number(a.isMany) - Number(b.isMany));
}

/**
 * Two tables are joined by a column of the same name and kind, if its name marks it as a key or if it is the
 * first column of one of them, by `customer_id` and `customers.id`, or by columns whose values were found in
 * a unique column of the other. One side must be unique; otherwise rows would be counted more than once.
 */
function joinOf(left: Table, right: Table): Join | undefined {
  const ofLeft = joins.get(left) ?? new WeakMap<Table, { join: Join | undefined }>();
  joins.set(left, ofLeft);
  const known = ofLeft.get(right) ?? { join: foundJoin(left, right) };
  ofLeft.set(right, known);
  return known.join;
}

/** A document asks many questions about the same tables, and each looks at every pair of them. */
const joins = new WeakMap<Table, WeakMap<Table, { join: Join | undefined }>>();

function foundJoin(left: Table, right: Table): Join | undefined {
  const found = joinsBetween(left, right);
  const [first, ...others] = found;
  if (first === undefined) return undefined;
  const same = others.filter(({ isMany }) => isMany === first.isMany);
  return same.length === 0 ? first : { ...first, others: same };
}

/** True if two tables may be joined, before it is known which of their columns are unique. */
export function mayJoin(left: Table, right: Table): boolean {
  return pairsOf(left, right).length > 0;
}

/** A table joined by way of another: a row has one row of it, or many of the one between. */
function joinThrough(
  base: Table,
  table: Table,
  tables: readonly Table[],
  named: readonly string[],
): Join | undefined {
  const found = tables.flatMap((between): Join[] => {
    if (between === base || between === table) return [];
    const via = joinOf(base, between);
    const join = via === undefined ? undefined : joinOf(between, table);
    if (via === undefined || join === undefined || join.isMany) return [];
    return [{ ...join, isMany: via.isMany, via }];
  });
  const preferred = found.filter(({ via }) => named.includes(via!.table));
  const [only, second] = preferred.length > 0 ? preferred : found.filter(({ isMany }) => !isMany);
  const [any, other] = found;
  if (only !== undefined) return second === undefined ? only : undefined;
  return other === undefined ? any : undefined;
}

const maxKeys = 40;

/** Columns that many tables have, which identify nothing. */
const plainNames = new Set(
  'name title label description comment note status type kind category year month day date hour time'.split(
    ' ',
  ),
);

function keysOf(table: Table): { column: Column; key: string; isNamed: boolean }[] {
  const columns = table.columns.filter(({ name }) => !isSystemColumn(name));
  const others = columns.filter((column) => !isKey(column) && isPlainKey(column));
  return [...columns.filter(isKey), ...others].slice(0, maxKeys).map((column) => ({
    column,
    key: keyOf(wordsOf(column.name)),
    isNamed: isKey(column) || column === columns[0],
  }));
}

/** A column of text or whole numbers whose name may be that of a key elsewhere. */
function isPlainKey({ name, kind, dataType }: Column): boolean {
  const isWhole = kind === 'text' || (kind === 'number' && /INT/.test(dataType.toUpperCase()));
  return isWhole && !plainNames.has(keyOf(wordsOf(name))) && !plainNames.has(name.toLowerCase());
}

function pairsOf(left: Table, right: Table): [Column, Column][] {
  const [leftId, rightId] = [left, right].map(({ name }) => `${keyOf(wordsOf(name))}id`);
  const others = keysOf(right);
  return keysOf(left).flatMap((one) =>
    others
      .filter(({ column, key, isNamed }) => {
        if (column.kind !== one.column.kind) return false;
        if (key === one.key) return key !== 'id' && (one.isNamed || isNamed);
        return (key === 'id' && one.key === rightId) || (one.key === 'id' && key === leftId);
      })
      .map(({ column }): [Column, Column] => [one.column, column]),
  );
}

/** True if every row has a value of its own in the column, as far as is known. */
export function isUnique(table: Table, column: Column): boolean {
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
    .sort((a, b) => b.rating - a.rating);
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
  return (join.isMany ? -2 : 0) + (join.via === undefined ? 0 : -1) + (named.includes(column.table) ? 2 : 0);
}

function fitness(column: Column, role: Role): number {
  if (role === 'any') return 0;
  if (role === 'number') return column.kind !== 'number' ? -30 : isKey(column) ? -2 : 0;
  if (role === 'boolean') return column.kind === 'boolean' || column.isBinary === true ? 0 : -30;
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
  const why = other === undefined ? '' : `: ${withoutJoin(base, other)}`;
  return `“${first.name}” is a column of “${first.table}”, which I cannot join with “${base.name}”${why}.`;
}

const maxLookedAt = 5;

/** Why two tables cannot be joined, and which columns were looked at. */
export function withoutJoin(left: Table, right: Table): string {
  const pairs = pairsOf(left, right).slice(0, maxLookedAt);
  const isKnown = pairs.length > 0;
  const looked = pairs.map(([one, other]) => `“${one.name}” and “${other.name}”`).join(', ');
  const key = 'a column that both have, and whose values occur once in one of them';
  return isKnown
    ? `they have no key in common, which is ${key} (I looked at ${looked})`
    : `they have no key in common, which is ${key}`;
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
  return timeColumns(table).sort((a, b) => rating(b) - rating(a));
}

/** The column that names a table's rows for people, if it identifies them. */
export function labelColumn(table: Table): Column | undefined {
  const own = wordsOf(table.name);
  const names = [
    ['name'],
    ['title'],
    ['label'],
    [...own, 'name'],
    ['full', 'name'],
    ['fullname'],
    ['station'],
  ];
  const keys = new Set(names.map(keyOf));
  const unique = table.columns.filter((column) => column.kind === 'text' && isUnique(table, column));
  const isName = ({ name }: Column) => ['name', 'title'].includes(wordsOf(name).at(-1) ?? '');
  return unique.find(({ name }) => keys.has(keyOf(wordsOf(name)))) ?? unique.find(isName);
}
