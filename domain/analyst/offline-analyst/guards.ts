import type { Findings } from './findings.ts';
import type { Draft, Question, Reference } from './question.ts';

/** Refuses a question if something it names is not used: it would otherwise be ignored silently. */
export function refuseUnused(draft: Draft, question: Question, findings: Findings): void {
  refuseUnusedTables(draft, question, findings);
  const asked = draft.subject?.column?.tables ?? [];
  if (question.kind === 'rows' && asked.length > 0 && !asked.includes(question.base))
    findings.trouble.push(`I do not know what “${asked[0]}” has to do with “${question.base}” here.`);
  if (question.kind === 'rows') return;
  const { groups, measures } = question;
  const columns = new Set([...groups, ...measures].map(({ column }) => column));
  const isUsed = (reference: Reference) => reference.columns.some(({ column }) => columns.has(column));
  if (findings.trouble.length > 0) return;
  for (const reference of [...draft.loose, ...(draft.order === undefined ? [] : [draft.order])])
    if (!isUsed(reference) && reference.columns.length > 0)
      findings.trouble.push(`I do not know what to do with “${reference.said}” here.`);
  if (draft.intent === 'first' || draft.intent === 'last')
    findings.trouble.push(`I can show the ${draft.intent} rows, but not compute with them.`);
  if (draft.limit !== undefined && groups.length === 0)
    findings.trouble.push(`“${draft.limit}” of what? Name a group, as in “top ${draft.limit} … by …”.`);
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
