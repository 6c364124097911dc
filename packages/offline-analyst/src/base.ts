import { isTime, type Table } from './catalog.ts';
import { headOf } from './match.ts';
import type { Draft, DraftGroup, Join, Reference } from './question.ts';
import { amountColumn } from './resolve-measures.ts';
import { type Scope, scopeOf } from './scope.ts';

export type Chosen = { scope: Scope; trouble?: undefined } | { scope?: undefined; trouble: string };

/** The table that the question is about: the one whose rows are counted, or whose column is computed. */
export function chooseBase(draft: Draft, tables: readonly Table[]): Chosen {
  const rated = candidatesOf(draft, tables)
    .map((table) => {
      const scope = scopeOf(table, candidatesOf(draft, tables), draft.tables);
      return { scope, rating: rate(draft, scope) };
    })
    .sort((a, b) => b.rating - a.rating);
  const [best, second] = rated;
  if (best === undefined) return { trouble: 'No table is attached.' };
  if (second === undefined || best.rating > second.rating + 0.001) return { scope: best.scope };
  if (draft.isBusy && draft.tables.length === 0) {
    const equal = rated.filter(({ rating }) => rating > best.rating - 0.001);
    return { scope: largest(equal.map(({ scope }) => scope)) };
  }
  const names = rated
    .filter(({ rating }) => rating > best.rating - 0.001)
    .slice(0, 5)
    .map(({ scope }) => `“${scope.base.name}”`);
  return { trouble: `The question could be about ${names.join(' or ')}. Say which table you mean.` };
}

/** What is busy is the table in which most happens. */
function largest(scopes: readonly Scope[]): Scope {
  return scopes.reduce((most, one) => ((one.base.rowCount ?? 0) > (most.base.rowCount ?? 0) ? one : most));
}

/** Tables that were described; if none could be, those that are named. */
function candidatesOf(draft: Draft, tables: readonly Table[]): readonly Table[] {
  const described = tables.filter(({ isDescribed }) => isDescribed);
  if (described.length > 0) return described;
  const named = tables.filter(({ name }) => draft.tables.includes(name));
  return (named.length > 0 ? named : tables).slice(0, maxCandidates);
}

const maxCandidates = 12;

function rate(draft: Draft, scope: Scope): number {
  const name = scope.base.name;
  let rating = draft.tables.includes(name) ? 4 : 0;
  if (draft.tables.at(-1) === name) rating += 0.1;
  const isPlainRows = draft.measures.length === 0 && draft.tables[0] === name;
  if (isPlainRows) rating += draft.subject === undefined ? 6 : 2;
  for (const { aggregate, table, column } of draft.measures) {
    if (table !== undefined) rating += table === name ? 40 : -10;
    else if (column !== undefined) rating += 2 * own(scope, column, 4) + namedWith(draft, scope, column);
    else if (aggregate !== 'count' && aggregate !== 'distinct') rating += amountRating(scope);
  }
  const numbers = draft.loose.filter(isNumber);
  for (const column of numbers) rating += own(scope, column, 4);
  const { order } = draft;
  if (order !== undefined && order.columns.length > 0)
    rating += isNumber(order) ? 1.5 * own(scope, order, 4) : 0.3 * reach(scope, order);
  const periods = draft.groups.flatMap((group) => (isPeriodOf(group, scope) ? group.column : []));
  const others = [
    ...draft.groups.map(({ column }) => column).filter((column) => !periods.includes(column!)),
    ...draft.filters.map(({ column }) => column),
    ...draft.loose.filter((one) => !numbers.includes(one)),
    draft.subject?.column,
  ];
  for (const column of others) if (column !== undefined) rating += 0.3 * reach(scope, column);
  for (const filter of draft.filters)
    if (filter.kind === 'values' && filter.column === undefined)
      rating +=
        0.3 *
        reach(scope, {
          said: '',
          tables: [],
          columns: filter.matches.map(({ column }) => ({ column, score: 8 })),
        });
  return rating;
}

/** A group by month of a table that has dates, but no column of that name. */
function isPeriodOf(group: DraftGroup, { base }: Scope): group is DraftGroup & { column: Reference } {
  if (group.period !== undefined || group.orPeriod === undefined) return false;
  return base.columns.some(isTime) && !group.column.columns.some(({ column }) => column.table === base.name);
}

/** A table that is named, and has a column that the words may mean, comes before others that fit better. */
function namedWith({ tables }: Draft, { base }: Scope, { columns }: Reference): number {
  const isNamed = tables.length > 0 && tables.every((name) => name === base.name);
  return isNamed && columns.some(({ column }) => column.table === base.name) ? 16 : 0;
}

function isNumber({ columns }: Reference): boolean {
  return columns[0]?.column.kind === 'number';
}

/** For "how much", a table with an amount is preferred; one with prices is less likely. */
function amountRating(scope: Scope): number {
  const column = amountColumn(scope);
  if (column === undefined) return -6;
  return headOf(column) === 'price' || headOf(column) === 'cost' ? 1 : 3;
}

/** How well a reference names a column of the table itself. */
function own({ base }: Scope, { columns }: Reference, missing: number): number {
  const scores = columns.filter(({ column }) => column.table === base.name).map(({ score }) => score);
  return scores.length === 0 ? -missing * 3 : Math.max(...scores);
}

/** The same, including tables that can be joined. */
function reach({ base, joins }: Scope, { columns, tables }: Reference): number {
  const ratings = columns.map(({ column, score }) => {
    if (column.table === base.name) return score;
    const join = joins.get(column.table);
    return join === undefined ? -20 : join.isMany ? -10 : score - 2 - behind(join);
  });
  for (const table of tables) {
    const join = joins.get(table);
    ratings.push(table === base.name ? 8 : join === undefined ? -20 : join.isMany ? -10 : 9 - behind(join));
  }
  return ratings.length === 0 ? 0 : Math.max(...ratings);
}

/** A table behind another is further away. */
const behind = ({ via }: Join): number => (via === undefined ? 0 : 2);
