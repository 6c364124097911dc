import { BadFileError } from '../bad-file.ts';
import type { CsvOptions, EffectiveCsv, SkippedLine } from '../contract.ts';
import { emptyFields } from './empty-fields.ts';
import { byteOrderMark, createTranscoder, detectEncoding, withByteOrder } from './encoding.ts';
import { encodingName, resolveEncoding } from './encoding-names.ts';
import { findHeader } from './header.ts';
import { detectQuote } from './quote.ts';
import { sample } from './sample.ts';
import { candidates, checkedDeclaration, declaredSeparator, detectSeparator } from './separator.ts';
import { detectThousands } from './thousands.ts';
import { createUnescaper } from './unescape.ts';

/** Number of bytes from which a file's dialect is detected. */
export const headBytes = 1024 * 1024;

export interface Dialect {
  encoding: string;
  /** Length of the byte order mark. */
  markBytes: number;
  separator: string;
  quote: string | undefined;
  /** What stands before a quote within a value; undefined where quotes are only doubled. */
  escaping: string | undefined;
  /** The first line end of the file, in the engine's notation. */
  newLine: '\\n' | '\\r\\n' | '\\r';
  /** Fields of the header, or without one as many empty names as there are columns. */
  header: string[];
  headerRow: number;
  firstDataRow: number;
  /**
   * Whether a line before the data has an unbalanced quote: only our own splitter skips such lines correctly.
   */
  hasOddLead: boolean;
  dateFormat: string;
  thousands: string;
  nullValues: string[];
  /** Whether an empty text in quotes is a text, and not null. */
  keepsEmpty: boolean;
  shortRows: 'bad' | 'pad';
  skipped: SkippedLine[];
}

/** Detects the dialect from the start of a file; given options are used unchanged. */
export function detectDialect(head: Buffer, isWhole: boolean, options: CsvOptions): Dialect {
  const { encoding, markBytes } = encodingOf(head, options);
  const transcoder = createTranscoder(encoding);
  const body = transcoder.write(head.subarray(markBytes));
  const read = isWhole ? Buffer.concat([body, transcoder.end()]) : body;
  if (read.length === 0) throw new BadFileError('empty_file', 'The file is empty');
  const { columnSeparator, quoteCharacter, thousands } = options;
  const quote = quoteCharacter ?? detectQuote(read, [columnSeparator, thousands]);
  const { escapeCharacter: escaping = '' } = options;
  const separators = columnSeparator === undefined ? candidates : [columnSeparator];
  const unescaper = escaping === '' ? undefined : createUnescaper({ escaping, quote, separators });
  const bytes = unescaper === undefined ? read : Buffer.concat([unescaper.write(read), unescaper.end()]);
  const declared =
    options.headerRow === 1 || options.firstDataRow === 1 ? undefined : declaredSeparator(bytes);
  const firstLine = declared === undefined ? 1 : 2;
  const separator =
    columnSeparator ??
    checkedDeclaration(declared, quote, thousands) ??
    detectSeparator(bytes, quote, options);
  const records = sample(bytes, isWhole, separator, quote).filter(({ line }) => line >= firstLine);
  const place = findHeader(records, options, firstLine);
  const data = records.filter(({ line }) => line >= place.firstDataRow);
  return {
    encoding,
    markBytes,
    separator,
    quote,
    escaping: unescaper === undefined ? undefined : escaping,
    newLine: firstLineEnd(bytes),
    header: place.header,
    headerRow: place.headerRow,
    firstDataRow: place.firstDataRow,
    hasOddLead: hasOddLead(bytes, place.firstDataRow, quote),
    dateFormat: options.dateFormat ?? '',
    thousands: thousands ?? detectThousands(data, place.header.length, separator),
    nullValues: options.nullValues ?? [''],
    keepsEmpty: keepsEmpty(bytes, separator, quote, options.nullValues ?? ['']),
    shortRows: options.shortRows ?? 'bad',
    skipped: [
      ...(declared === undefined ? [] : [{ line: 1, reason: 'Names the separator' }]),
      ...place.skipped,
    ],
  };
}

function encodingOf(head: Buffer, options: CsvOptions): { encoding: string; markBytes: number } {
  const mark = byteOrderMark(head);
  const given = options.charEncoding === undefined ? undefined : resolveEncoding(options.charEncoding);
  if (given === undefined) {
    const encoding = mark?.encoding ?? detectEncoding(head);
    if (encoding === undefined)
      throw new BadFileError('not_text', "The file isn't text in any known encoding");
    return { encoding, markBytes: mark?.bytes ?? 0 };
  }
  const encoding = withByteOrder(given, head);
  return { encoding, markBytes: mark?.encoding === encoding ? mark.bytes : 0 };
}

/**
 * An empty text in quotes is one where the file tells it from null: it has empty fields without quotes too,
 * or quotes no more texts than it must. Where every text is in quotes, an empty one is what it has for null.
 */
function keepsEmpty(
  bytes: Buffer,
  separator: string,
  quote: string | undefined,
  nullValues: readonly string[],
): boolean {
  if (quote === undefined) return false;
  const found = emptyFields(bytes, separator, quote);
  if (found.bare && found.quoted) return true;
  return nullValues.includes('') && (found.bare || found.bareText);
}

function firstLineEnd(bytes: Buffer): Dialect['newLine'] {
  const feed = bytes.indexOf(10);
  const carriage = bytes.indexOf(13);
  if (carriage === -1 || (feed !== -1 && feed < carriage)) return '\\n';
  return feed === carriage + 1 ? '\\r\\n' : '\\r';
}

function hasOddLead(bytes: Buffer, firstDataRow: number, quote: string | undefined): boolean {
  if (quote === undefined || firstDataRow === 1) return false;
  const lines = bytes.toString('utf8', 0, headBytes).split(/\r\n|\n|\r/, firstDataRow - 1);
  return lines.some((line) => line.split(quote).length % 2 === 0);
}

/** The options in effect, given or detected. */
export function effectiveCsv(dialect: Dialect, options: CsvOptions): EffectiveCsv {
  return {
    charEncoding: options.charEncoding ?? encodingName(dialect.encoding),
    columnSeparator: dialect.separator,
    quoteCharacter: dialect.quote ?? '',
    escapeCharacter: dialect.escaping ?? '',
    headerRow: dialect.headerRow,
    firstDataRow: dialect.firstDataRow,
    dateFormat: dialect.dateFormat,
    thousands: dialect.thousands,
    nullValues: dialect.nullValues,
    shortRows: dialect.shortRows,
    skippedLines: dialect.skipped,
  };
}
