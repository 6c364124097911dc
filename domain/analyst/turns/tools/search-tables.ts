import { z } from 'zod';
import { stem, wordsOf } from '../../../../packages/offline-analyst/index.ts';
import { type KnownTable, knownTables } from './known-tables.ts';
import { cut, notesOf } from './table-notes.ts';
import { defineTool, text } from './tool.ts';

const maxFound = 20;
/** Columns shown of a found table: those that were meant, then the first ones. */
const maxColumns = 20;
const maxText = 300;
const maxWords = 20;

/** How much a word counts where it is found. */
const inName = 4;
const inColumn = 2;
const inText = 1;

/** Words of a name or a text, comparable: `orderDate` and `Order dates` are alike. */
export const searchWords = (text: string): string[] => wordsOf(text, text.length).map(stem);

/** 1 if a text has the word, half of it if one of its words begins with it or is its beginning. */
function found(word: string, within: readonly string[]): number {
  if (within.includes(word)) return 1;
  const isBeginning = (term: string) =>
    Math.min(term.length, word.length) > 2 && (term.startsWith(word) || word.startsWith(term));
  return within.some(isBeginning) ? 0.5 : 0;
}

export interface Rated {
  rating: number;
  /** Names of columns that have one of the words, best first. */
  columns: string[];
}

/** How well a table fits words: by its name, its columns, and what people wrote about both. */
export function rate(
  table: Pick<KnownTable, 'name' | 'description' | 'note'> & { columns: readonly { name: string }[] },
  notes: { columns: ReadonlyMap<string, unknown> } | undefined,
  words: readonly string[],
): Rated {
  const about = searchWords(`${table.description} ${table.note}`);
  const name = searchWords(table.name);
  const columns = table.columns
    .map((column) => {
      const own = searchWords(column.name);
      const said = searchWords(JSON.stringify(notes?.columns.get(column.name) ?? ''));
      const rated = words.map((word) => Math.max(inColumn * found(word, own), inText * found(word, said)));
      return { name: column.name, rated, rating: rated.reduce((sum, one) => sum + one, 0) };
    })
    .filter(({ rating }) => rating > 0)
    .sort((a, b) => b.rating - a.rating);
  // Each word counts once, however many columns have it.
  const rating = words.reduce((sum, word, index) => {
    const best = Math.max(0, ...columns.map(({ rated }) => rated[index]!));
    return sum + Math.max(inName * found(word, name), inText * found(word, about), best);
  }, 0);
  return { rating, columns: columns.map((column) => column.name) };
}

export const searchTables = defineTool({
  name: 'search_tables',
  description:
    'Finds attached tables and views by words in their names, in the names of their columns, and in the descriptions of both. The best matches come first, with the columns that matched. Use it if list_tables left out columns.',
  input: z.strictObject({
    words: text(1, 500).describe('Words of the question, in the language of the names.'),
  }),
  async run(call, { words: said }) {
    const words = [...new Set(searchWords(said))].slice(0, maxWords);
    const tables = await knownTables(call);
    const ids = tables.map(({ id }) => id);
    const notes = await notesOf(call, ids, maxText);
    const best = tables
      .map((table) => ({ table, ...rate(table, notes.get(table.id), words) }))
      .filter(({ rating }) => rating > 0)
      .sort((a, b) => b.rating - a.rating || a.table.name.localeCompare(b.table.name))
      .slice(0, maxFound);
    const output = best.map(({ table, columns: named }) => {
      const { name, description, note, rowCount, columns } = table;
      const rest = columns.filter((column) => !named.includes(column.name));
      const own = named.flatMap((columnName) => columns.filter((column) => column.name === columnName));
      const shown = [...own, ...rest].slice(0, maxColumns);
      return {
        name,
        description: cut(description, maxText),
        note: cut(note, maxText),
        rowCount,
        columns: shown.map((column) => ({ name: column.name, dataType: column.dataType })),
        columnCount: columns.length,
      };
    });
    const count = best.length === 1 ? '1 table found.' : `${best.length} tables found.`;
    return { output: { tables: output }, summary: count };
  },
});
