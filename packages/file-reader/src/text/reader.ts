import { maxRecordBytes } from '../bad-file.ts';
import { literal } from '../sql.ts';
import type { ReadMode } from './table.ts';

export interface ReaderLayout {
  url: string;
  separator: string;
  quote: string | undefined;
  newLine: '\\n' | '\\r\\n' | '\\r';
  skipLines: number;
  columns: number;
  nullValues: readonly string[];
  /** Whether an empty text in quotes is a text: only an empty field without quotes is null. */
  keepsEmpty: boolean;
  /** Each record starts with the three fields that `number.ts` writes. */
  isNumbered: boolean;
  /** Each value starts with a letter for its type in the source. */
  isTagged: boolean;
  /** Records may lack the last columns, because these first occurred later in the file. */
  isOpenEnded: boolean;
}

/** A text that occurs in no file; the reader's null if nulls are detected in the query instead. */
const unlikely = '\u0001\u0002';
const numberFields = ['_line', '_at', '_bytes'];

/**
 * Relation over a CSV file; all values are text, and the engine guesses nothing. In modes that report faults
 * (all but `skip`), every column must be read: a query that omits columns and encounters invalid bytes
 * triggers an assertion of the engine (1.5.5), which is then unusable in this process. `used` are the columns
 * that the query itself reads; the others are read by a condition that is always true.
 */
export function readCsv(layout: ReaderLayout, mode: ReadMode, used: ReadonlySet<number> = new Set()): string {
  const { isNumbered, isTagged } = layout;
  const inReader = readerNulls(layout);
  const nullValues = layout.nullValues.filter((value) => !inReader.includes(value));
  const nullsInReader = nullValues.length === 0;
  const indexes = Array.from({ length: layout.columns }, (_, index) => index);
  const unread =
    mode === 'skip'
      ? []
      : [
          // In `store` mode, the query reads the numbers itself, to locate faults.
          ...(isNumbered && mode !== 'store' ? numberFields : []),
          ...indexes.filter((index) => !used.has(index)).map((index) => `c${index}`),
        ];
  const source = scanCsv(layout, mode);
  const table = unread.length === 0 ? source : `(FROM ${source} WHERE ${alwaysTrue(unread)})`;
  if (nullsInReader && !isTagged && !isNumbered) return table;
  const column = (index: number): string => {
    if (isTagged)
      return `substring(nullif(c${index}, ''), 2) AS c${index}, left(nullif(c${index}, ''), 1) AS t${index}`;
    if (nullsInReader) return `c${index}`;
    // A function instead of IN: the engine turns a list of several values into a join, one per column.
    return `CASE WHEN list_contains([${nullValues.map(literal).join(', ')}], c${index}) THEN NULL ELSE c${index} END AS c${index}`;
  };
  const numbers = isNumbered ? numberFields.map((name) => `CAST(${name} AS BIGINT) AS ${name}`) : [];
  return `(SELECT ${[...numbers, ...indexes.map(column)].join(', ')} FROM ${table})`;
}

/** The reader's own relation, in which numbers and nulls are still as in the file. */
function scanCsv(layout: ReaderLayout, mode: ReadMode): string {
  const { separator, quote, isNumbered } = layout;
  const nulls = readerNulls(layout);
  const columns = Array.from({ length: layout.columns }, (_, index) => `c${index}`);
  const names = [...(isNumbered ? numberFields : []), ...columns];
  const options = [
    'auto_detect = false',
    "compression = 'none'",
    'header = false',
    `delim = ${literal(separator)}`,
    `quote = ${literal(quote ?? '')}`,
    `escape = ${literal(quote ?? '')}`,
    `new_line = '${layout.newLine}'`,
    `skip = ${layout.skipLines}`,
    `nullstr = [${(nulls.length === 0 ? [unlikely] : nulls).map(literal).join(', ')}]`,
    `columns = {${names.map((name) => `'${name}': 'VARCHAR'`).join(', ')}}`,
    ...(isNumbered ? [`max_line_size = ${2 * maxRecordBytes + 1_000}`, 'buffer_size = 33000000'] : []),
    ...(layout.keepsEmpty ? ['allow_quoted_nulls = false'] : []),
    ...(layout.isOpenEnded ? ['null_padding = true', 'parallel = false'] : []),
    ...(mode === 'skip' ? ['ignore_errors = true'] : []),
    ...(mode === 'store' ? ['store_rejects = true'] : []),
  ];
  return `read_csv(${literal(layout.url)}, ${options.join(', ')})`;
}

/** Relation of the ill-shaped records, which have a file of their own. */
export function readIllShaped(path: string): string {
  const columns = [...numberFields, 'fields', 'aside'].map((name) => `'${name}': 'BIGINT'`);
  return `read_csv(${literal(path)}, auto_detect = false, header = false, columns = {${columns.join(', ')}})`;
}

/**
 * The texts that the reader itself reads as null: all null values, or none if it cannot handle one of them.
 */
export function readerNulls(layout: ReaderLayout): readonly string[] {
  const { nullValues, separator, quote, isNumbered, keepsEmpty } = layout;
  // Others are null in quotes too.
  if (keepsEmpty) return [''];
  const canRead = nullValues.every(
    // A null value such as 9999 could also be a line number.
    (text) => isSafe(text, separator, quote) && !(isNumbered && /^\d+$/.test(text)),
  );
  return canRead ? nullValues : [];
}

/**
 * One function of all columns: an expression per column would be nested too deeply for the engine and take
 * long to plan.
 */
function alwaysTrue(columns: readonly string[]): string {
  return `strlen(concat(${columns.join(', ')})) < 1000000000000`;
}

/** The engine's reader rejects a null value that contains the file's own punctuation. */
function isSafe(text: string, separator: string, quote: string | undefined): boolean {
  return (
    !text.includes(separator) && !(quote !== undefined && text.includes(quote)) && !/[\r\n\0]/.test(text)
  );
}
