import { isTime, type Table } from './catalog.ts';
import { foldAll } from './fold.ts';
import { languageOf } from './languages.ts';
import { vocabularyOf } from './match.ts';
import { parse } from './parse.ts';
import type { Draft, Question, Reference } from './question.ts';
import { resolve } from './resolve.ts';
import { mayJoin } from './scope.ts';

/** What to do about the last message. */
export type Plan = { draft: Draft } & (
  | { kind: 'help' | 'tables' }
  | { kind: 'refuse'; trouble: string[] }
  | { kind: 'describe'; tables: Table[]; reference?: Reference }
  | { kind: 'sample'; table: Table; limit: number }
  | { kind: 'query'; question: Question }
);

const maxDescribed = 8;
const sampleRows = 10;

/** Parses messages, each only once, because a document asks many questions about the same tables. */
export type MessageReader = (message: string) => Draft;

export function readerOf(tables: readonly Table[]): MessageReader {
  const vocabulary = vocabularyOf(tables);
  const drafts = new Map<string, Draft>();
  return (message) => {
    const known = drafts.get(message);
    if (known !== undefined) return known;
    const draft = parse(message, vocabulary);
    drafts.set(message, draft);
    return draft;
  };
}

export function planOf(messages: readonly string[], tables: readonly Table[], read = readerOf(tables)): Plan {
  const drafts = messages.map(read);
  const last = drafts.at(-1)!;
  if (last.intent === 'help' || last.intent === 'tables') return { kind: last.intent, draft: last };
  const draft = foldAll(drafts)!.draft;
  const language = last.unknown.length === 0 ? undefined : languageOf(messages.at(-1)!);
  if (language !== undefined)
    return { kind: 'refuse', draft: { ...draft, unknown: [], corrections: [] }, trouble: [language] };
  if (draft.unknown.length + draft.problems.length > 0)
    return { kind: 'refuse', draft, trouble: draft.problems };
  if (draft.intent === 'describe' || draft.intent === 'values') return describing(draft, tables);
  const [name] = draft.tables;
  const sampled = tables.find((table) => table.name === name);
  if (sampled !== undefined && isSample(draft))
    return { kind: 'sample', draft, table: sampled, limit: Math.min(draft.limit ?? sampleRows, 100) };
  const { question, trouble } = resolve(draft, tables);
  return question === undefined ? { kind: 'refuse', draft, trouble } : { kind: 'query', draft, question };
}

function describing(draft: Draft, tables: readonly Table[]): Plan {
  const named = tables.filter(({ name }) => draft.tables.includes(name));
  const subject = draft.subject?.column?.tables.length === 0 ? draft.subject.column : undefined;
  if (draft.filters.length + draft.groups.length > 0)
    return {
      kind: 'refuse',
      draft,
      trouble: ['I describe whole tables and columns only, without filters or groups.'],
    };
  const reference =
    draft.loose[0] ?? subject ?? draft.measures.find(({ column }) => column !== undefined)?.column;
  if (reference !== undefined) return { kind: 'describe', draft, tables: named, reference };
  if (named.length > 0) return { kind: 'describe', draft, tables: named };
  if (tables.length === 1) return { kind: 'describe', draft, tables: [...tables] };
  return { kind: 'refuse', draft, trouble: ['Which table or column should I describe?'] };
}

/** Any rows of one table, without conditions. */
function isSample({
  tables,
  measures,
  groups,
  filters,
  loose,
  order,
  direction,
  isRows,
  intent,
  isShare,
  subject,
}: Draft): boolean {
  const isBare = measures.length + groups.length + filters.length + loose.length === 0;
  const isPlain = !isShare && order === undefined && direction === undefined && subject === undefined;
  return (
    isBare && isPlain && new Set(tables).size === 1 && (isRows || intent === 'rows' || intent === undefined)
  );
}

/** The tables that must be described before the last message can be understood. */
export function tablesToDescribe(
  messages: readonly string[],
  tables: readonly Table[],
  read = readerOf(tables),
): string[] {
  const drafts = messages.map(read).reverse();
  const last = drafts[0]!;
  const isOwn = last.tables.length > 0 && !last.isOpener;
  const names = new Set<string>();
  for (const draft of isOwn ? [last] : drafts) for (const name of tablesOf(draft)) names.add(name);
  const isDescription = last.intent === 'describe' || last.intent === 'values';
  if (!(isDescription && names.size > 0) && needsMore(drafts, names, tables)) {
    // Also those behind a table between.
    for (let round = 0; round < 2; round += 1) {
      const chosen = tables.filter(({ name }) => names.has(name));
      for (const table of tables)
        if (chosen.length === 0 || chosen.some((one) => mayJoin(one, table))) names.add(table.name);
    }
  }
  return [...names].slice(0, maxDescribed);
}

/** True if there are words that only values or dates of other tables may explain. */
function needsMore(drafts: readonly Draft[], names: ReadonlySet<string>, tables: readonly Table[]): boolean {
  if (names.size === 0) return true;
  const [last] = drafts;
  const related = last?.filters.flatMap((filter) => (filter.kind === 'related' ? filter.table : [])) ?? [];
  const asked = tables.filter(({ name }) => last?.tables.includes(name) || related.includes(name));
  if (asked.some((one) => asked.some((other) => one !== other && !mayJoin(one, other)))) return true;
  const hasTime = tables.some((table) => names.has(table.name) && table.columns.some(isTime));
  return drafts.some(
    ({ unknown, corrections, filters, groups, problems }) =>
      unknown.length + corrections.length + problems.length > 0 ||
      filters.some(({ kind, column }) => kind === 'quoted' && column === undefined) ||
      (!hasTime &&
        (filters.some(({ kind }) => kind === 'dates') || groups.some(({ period }) => period !== undefined))),
  );
}

export function tablesOf(draft: Draft): string[] {
  const references = [
    ...draft.measures.map(({ column }) => column),
    ...draft.groups.map(({ column }) => column),
    ...draft.filters.map(({ column }) => column),
    ...draft.loose,
    draft.order,
    draft.subject?.column,
  ];
  const names = references.flatMap((reference) => [
    ...(reference?.tables ?? []),
    ...(reference?.columns ?? []).map(({ column }) => column.table),
  ]);
  const related = draft.filters.flatMap((filter) => (filter.kind === 'related' ? [filter.table] : []));
  return [...draft.tables, ...related, ...names];
}
