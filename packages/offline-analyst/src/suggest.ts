import { isCalendarPart } from './calendar.ts';
import { type Column, isSystemColumn, type Table } from './catalog.ts';
import { isKey, timeColumns } from './match.ts';

/** Three questions that these tables can answer, using their own names. */
export function examplesOf(tables: readonly Table[], first: readonly string[] = []): string[] {
  const ordered = [...tables].sort((a, b) => rank(first, a) - rank(first, b));
  const [main] = ordered;
  if (main === undefined) return [];
  const examples = [`How many ${main.name} are there?`];
  const columns = main.columns.filter(({ name }) => !isSystemColumn(name));
  const number = columns.find(
    (column) => column.kind === 'number' && !isKey(column) && !isCalendarPart(column) && !column.isBinary,
  );
  const text = columns.find((column) => column.kind === 'text' && isGrouping(column, main));
  const [time] = timeColumns(main);
  if (number !== undefined && text !== undefined)
    examples.push(`Average ${number.name} of ${main.name} by ${text.name}`);
  else if (number !== undefined) examples.push(`What is the highest ${number.name} of ${main.name}?`);
  if (time !== undefined) examples.push(`Number of ${main.name} by month of ${time.name}`);
  if (text !== undefined) examples.push(`Number of ${main.name} by ${text.name}`);
  examples.push(`Describe ${main.name}`, 'What tables are there?', `Show 5 rows of ${main.name}`);
  return examples.slice(0, 3);
}

/** True if rows share its values, as far as known. */
function isGrouping({ name, distinct, values }: Column, { rowCount }: Table): boolean {
  if (distinct === undefined) return !/(?:name|mail|title|id|code)$/i.test(name);
  return values !== null && distinct > 1 && distinct * 2 <= (rowCount ?? 0);
}

function rank(first: readonly string[], table: Table): number {
  const at = first.indexOf(table.name);
  return at < 0 ? first.length : at;
}
