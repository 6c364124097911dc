import type { Findings } from './findings.ts';
import type { Draft, Question, Reference } from './question.ts';
import { isUnique, type Scope } from './scope.ts';

/** Refuses a question if something it names is not used: it would otherwise be ignored silently. */
export function refuseUnused(draft: Draft, question: Question, scope: Scope, findings: Findings): void {
  refuseUnusedTables(draft, question, findings);
  const asked = draft.subject?.column?.tables ?? [];
  if (question.kind === 'rows' && asked.length > 0 && !asked.includes(question.base))
    findings.trouble.push(`I do not know what “${asked[0]}” has to do with “${question.base}” here.`);
  if (question.kind === 'rows') return;
  const { groups, measures } = question;
  const columns = new Set([...groups, ...measures].map(({ column }) => column));
  const isUsed = (reference: Reference) => reference.columns.some(({ column }) => columns.has(column));
  if (findings.trouble.length > 0) return;
  refuseOwnCounts(question, scope, findings);
  for (const reference of [...draft.loose, ...(draft.order === undefined ? [] : [draft.order])])
    if (!isUsed(reference) && reference.columns.length > 0)
      findings.trouble.push(`I do not know what to do with “${reference.said}” here.`);
  if (draft.intent === 'first' || draft.intent === 'last')
    findings.trouble.push(`I can show the ${draft.intent} rows, but not compute with them.`);
  if (draft.limit !== undefined && groups.length === 0)
    findings.trouble.push(`“${draft.limit}” of what? Name a group, as in “top ${draft.limit} … by …”.`);
}

/** "The most popular product" of a table with one row for each: there is nothing to count. */
function refuseOwnCounts(
  { groups, measures, order, limit }: Question,
  { base }: Scope,
  findings: Findings,
): void {
  const [group, another] = groups;
  const isCount = measures.every(({ column }) => column === undefined);
  if (group === undefined || another !== undefined || !isCount || order?.by !== 'measure') return;
  if (limit === undefined || group.column.table !== base.name || !isUnique(base, group.column)) return;
  findings.trouble.push(
    `“${base.name}” has one row for each “${group.column.name}”: say what to count, as in “top ${limit} … by number of …”.`,
  );
}

function refuseUnusedTables(draft: Draft, { base, joins }: Question, findings: Findings): void {
  const references = [
    draft.subject?.column,
    ...draft.groups.map(({ column }) => column),
    ...draft.measures.map(({ column }) => column),
  ];
  const used = new Set([base, ...joins.map(({ table }) => table)]);
  for (const reference of references) for (const table of reference?.tables ?? []) used.add(table);
  for (const { table } of draft.measures) if (table !== undefined) used.add(table);
  const unused = draft.tables.find((table) => !used.has(table));
  if (unused === undefined) return;
  findings.trouble.push(
    `I read “${base}” and do not know what “${unused}” has to do with it: name a column of it.`,
  );
}
