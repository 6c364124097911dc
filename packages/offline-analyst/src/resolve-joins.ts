import type { Column } from './catalog.ts';
import type { Findings } from './findings.ts';
import type { Condition, Join, Question } from './question.ts';
import { type Scope, withoutJoin } from './scope.ts';

function columnsOf(filter: Condition): Column[] {
  if (filter.kind === 'related') return [];
  return filter.kind === 'anyText' ? filter.columns : [filter.column];
}

/**
 * The joins that the columns need. A join that would repeat rows of the base table is used only for filters,
 * as a subquery.
 */
export function joinsOf(question: Question, scope: Scope, findings: Findings): Question['joins'] {
  const shown = [
    ...question.measures.flatMap(({ column }) => column ?? []),
    ...question.groups.map(({ column }) => column),
    ...question.columns,
    ...(typeof question.order?.by === 'object' ? [question.order.by] : []),
  ];
  const names = new Set<string>();
  for (const filter of question.filters) if (filter.kind === 'related') names.add(filter.table);
  for (const { table } of [...shown, ...question.filters.flatMap(columnsOf)])
    if (table !== scope.base.name) names.add(table);
  const joins = [...names].flatMap((name) => scope.joins.get(name) ?? []);
  for (const name of names) {
    const table = scope.tables.find((table) => table.name === name);
    if (scope.joins.has(name) || table === undefined) continue;
    findings.trouble.push(
      `I cannot join “${name}” with “${scope.base.name}”: ${withoutJoin(scope.base, table)}.`,
    );
  }
  const related = new Set(
    question.filters.flatMap((filter) => (filter.kind === 'related' ? filter.table : [])),
  );
  for (const { table, left, right, isMany, others = [] } of joins) {
    if (others.length === 0 || related.has(table)) continue;
    const ways = [left, ...others.map((one) => one.left)];
    const rights = [right, ...others.map((one) => one.right)];
    const names = [...new Set(isMany ? rights : ways)].map((name) => `“${name}”`).join(' or ');
    findings.trouble.push(
      `“${scope.base.name}” and “${table}” can be joined by ${names}. I do not know which to use.`,
    );
  }
  for (const join of joins) noteValues(join, scope.base.name, findings);
  for (const join of joins) {
    if (!join.isMany || !shown.some(({ table }) => table === join.table)) continue;
    findings.trouble.push(
      `A row of “${scope.base.name}” has many rows of “${join.table}”: its figures would be counted more than once. Ask for figures of “${join.table}”.`,
    );
  }
  if (
    joins.some(
      ({ table, isMany }) =>
        !isMany && question.filters.some((filter) => filter.kind === 'related' && filter.table === table),
    )
  )
    findings.trouble.push(
      'I can only leave out rows that have none of the rows of a table that refers to them.',
    );
  return joins;
}

/** Says which columns were taken for a key because of what they hold. */
function noteValues(
  { table, left, right, isByValues, via, others = [] }: Join,
  base: string,
  findings: Findings,
): void {
  if (via !== undefined) noteValues(via, base, findings);
  if (isByValues !== true) return;
  for (const join of [{ left, right }, ...others])
    findings.notes.push(
      `I joined “${via?.table ?? base}” and “${table}” by “${join.left}” and “${join.right}”, whose values fit.`,
    );
}
