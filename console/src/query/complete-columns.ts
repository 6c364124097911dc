import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import { written } from './dialect.ts';

/** Columns by table and view. */
export type Tables = Readonly<Record<string, readonly string[]>>;

/** More nobody looks through; a letter more finds the others. */
const most = 1_000;

/** Completes a word by the columns of the tables that the statement names, and by those of all while it names none. */
export const completeColumns =
  (tables: Tables) =>
  (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[\p{L}\p{N}_]*/u);
    if (word === null || (word.from === word.to && !context.explicit)) return null;
    // After a point are the columns of one table, which the language knows itself.
    if (/[."']/.test(context.state.sliceDoc(word.from - 1, word.from))) return null;
    if (/String|Comment|QuotedIdentifier/.test(syntaxTree(context.state).resolveInner(word.from, -1).name))
      return null;
    const { doc } = context.state;
    // There the language offers the tables, which no column comes before.
    if (isTablePlace(doc.sliceString(Math.max(0, word.from - looked), word.from))) return null;
    const rest = `${doc.sliceString(0, word.from)} ${doc.sliceString(context.pos)}`;
    return {
      from: word.from,
      options: optionsOf(tables, named(tables, rest)),
      validFor: /^[\p{L}\p{N}_]*$/u,
    };
  };

/** So much of a statement tells whether a table or a column comes next. */
const looked = 1_000;

/** Whether what comes next is the name of a table: after FROM or JOIN, or after the comma behind another table. */
export const isTablePlace = (before: string): boolean =>
  /\b(?:from|join)\s+(?:(?:[\w.]+|"[^"]*")(?:\s+(?:as\s+)?\w+)?\s*,\s*)*$/i.test(before);

/** The tables that are named anywhere in a statement. */
function named(tables: Tables, sql: string): string[] {
  const byName = new Map(Object.keys(tables).map((name) => [name.toLowerCase(), name]));
  const words = sql.match(/'[^']*'|--[^\n]*|"[^"]*"|[\p{L}\p{N}_$]+/gu) ?? [];
  const found = words.flatMap((word) => {
    const name = byName.get(word.replaceAll('"', '').toLowerCase());
    return name === undefined ? [] : [name];
  });
  return [...new Set(found)];
}

function optionsOf(tables: Tables, found: readonly string[]): Completion[] {
  const owners = new Map<string, string[]>();
  for (const table of found.length > 0 ? found : Object.keys(tables))
    for (const column of tables[table]!) {
      const before = owners.get(column);
      if (before !== undefined) before.push(table);
      else if (owners.size < most) owners.set(column, [table]);
    }
  return [...owners].map(([label, of]) => ({
    label,
    apply: written(label),
    type: 'property',
    detail: of.length > 2 ? `${of[0]} …` : of.join(', '),
    // Before tables, and before keywords by far.
    boost: 20,
  }));
}
