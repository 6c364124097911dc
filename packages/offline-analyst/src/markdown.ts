import { kindOf, type ResultSet } from './catalog.ts';

/** Markdown from data and names, escaped so that values stay text whatever they contain. */
const maxTableRows = 20;
const maxCellCharacters = 120;
const maxSentenceCharacters = 600;

/** A name as inline code; nothing in it can end the code, the cell or the line. */
export function code(name: string): string {
  return `\`${name.replace(/[`|\p{Cc}\p{Cf}]/gu, ' ').slice(0, maxCellCharacters)}\``;
}

/** A value as text, without markup. */
export function escaped(value: string): string {
  return escapedUpTo(value, maxCellCharacters);
}

/** The same for a sentence that names some values. */
export function escapedSentence(value: string): string {
  return escapedUpTo(value, maxSentenceCharacters);
}

function escapedUpTo(value: string, maxCharacters: number): string {
  const isCut = value.length > maxCharacters;
  const text = value.slice(0, maxCharacters).replace(/[\p{Cc}\p{Cf}]/gu, ' ');
  const safe = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*~|[\]]/g, '\\$&')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_');
  return isCut ? `${safe}…` : safe;
}

/** A value of a result. Fractions are shown with four digits; the result keeps them all. */
export function cell(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number')
    return Number.isInteger(value) ? String(value) : String(Number(value.toFixed(4)));
  if (typeof value === 'string')
    return escaped(value.endsWith('T00:00:00.000000') ? value.slice(0, 10) : value);
  return escaped(typeof value === 'boolean' ? String(value) : JSON.stringify(value));
}

export interface TableColumn {
  name: string;
  isNumber?: boolean;
}

/** A Markdown table with numbers right-aligned. */
export function table(columns: readonly TableColumn[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ name }) => escaped(name))),
    line(columns.map(({ isNumber = false }) => (isNumber ? '--:' : '---'))),
    ...rows.map((row) => line(columns.map((_, index) => cell(row[index])))),
  ].join('\n');
}

export function resultTable(result: ResultSet): string {
  const { rows, rowCount } = result;
  const columns = result.columns.map(({ name, dataType }) => ({
    name,
    isNumber: kindOf(dataType) === 'number',
  }));
  const shown = rows.slice(0, maxTableRows);
  const more = Math.max(rowCount, rows.length) - shown.length;
  const rest = more > 0 ? `\n\n… and ${more} more row${more === 1 ? '' : 's'}, kept in the result.` : '';
  return table(columns, shown) + rest;
}

/**
 * The result as a table, or, if it has more rows than are shown here, as a reference that a document replaces
 * by all of them.
 */
export function allRows(result: ResultSet): string {
  if (Math.max(result.rowCount, result.rows.length) <= maxTableRows) return resultTable(result);
  return `![${result.rowCount} rows](result:${result.resultId})`;
}

/** SQL in a code block whose fence is longer than any in it. */
export function sqlBlock(sql: string): string {
  let fence = '```';
  while (sql.includes(fence)) fence += '`';
  return `${fence}sql\n${sql}\n${fence}`;
}
