import type { CsvOptions, OptionFault } from './contract.ts';
import { resolveEncoding } from './text/encoding-names.ts';
import { parseDatePattern } from './values/date-pattern.ts';

const maxHeaderRow = 10_000;
const maxNullValues = 100;

/** The faults of `csv` options, all of them. */
export function checkCsv(csv: CsvOptions): OptionFault[] {
  const faults: OptionFault[] = [];
  const at = (field: string, message: string, type = 'value_error'): void => {
    faults.push({ path: ['csv', field], message, type });
  };
  if (csv.charEncoding !== undefined && resolveEncoding(csv.charEncoding) === undefined) {
    at('charEncoding', 'Unknown encoding. Use an IANA name such as UTF_8, ISO_8859_1 or WINDOWS_1252');
  }
  checkSeparators(csv, at);
  checkRows(csv, at);
  if (csv.dateFormat !== undefined && csv.dateFormat !== '') {
    const pattern = parseDatePattern(csv.dateFormat);
    if ('fault' in pattern) at('dateFormat', pattern.fault);
  }
  if (csv.nullValues !== undefined && csv.nullValues.length > maxNullValues) {
    at('nullValues', `List at most ${maxNullValues} values`, 'too_long');
  }
  return faults;
}

export type Report = (field: string, message: string, type?: string) => void;

function checkSeparators(csv: CsvOptions, at: Report): void {
  const { columnSeparator: separator, quoteCharacter: quote, thousands } = csv;
  if (separator !== undefined) {
    checkOneCharacter('columnSeparator', separator, at);
    if (/^[\r\n\0\d]$/.test(separator))
      at('columnSeparator', 'The column separator must not be a line end or a digit');
  }
  if (quote !== undefined) {
    checkOneCharacter('quoteCharacter', quote, at);
    if ([...quote].length === 1 && !/^[!-/:-@[-`{-~]$/.test(quote))
      at('quoteCharacter', 'The quote must be an ASCII punctuation character');
    else if (quote === (separator ?? undefined))
      at('quoteCharacter', 'The quote and the column separator must differ');
  }
  checkEscape(csv, at);
  if (thousands === undefined || thousands === '') return;
  checkOneCharacter('thousands', thousands, at);
  if (/^[\p{L}\p{N}+\-\r\n\0]$/u.test(thousands))
    at('thousands', 'The thousands separator must not be a letter, a digit, a sign or a line end');
  if (thousands === separator)
    at('thousands', 'The thousands separator and the column separator must differ');
  if (thousands === quote) at('thousands', 'The thousands separator and the quote must differ');
}

function checkEscape({ escapeCharacter: sign, columnSeparator }: CsvOptions, at: Report): void {
  if (sign === undefined || sign === '') return;
  checkOneCharacter('escapeCharacter', sign, at);
  if ([...sign].length === 1 && !/^[!-/:-@[-`{-~]$/.test(sign))
    at('escapeCharacter', 'The escape character must be an ASCII punctuation character');
  else if (sign === columnSeparator)
    at('escapeCharacter', 'The escape character and the column separator must differ');
}

function checkOneCharacter(field: string, text: string, at: Report): void {
  const { length } = [...text];
  if (length === 0) at(field, 'Enter exactly one character', 'string_too_short');
  if (length > 1) at(field, 'Enter exactly one character', 'string_too_long');
}

/** The rows of the header and of the first data, of a text or a sheet. */
export function checkRows(
  { headerRow, firstDataRow }: Pick<CsvOptions, 'headerRow' | 'firstDataRow'>,
  at: Report,
): void {
  if (headerRow !== undefined) {
    if (!Number.isInteger(headerRow))
      at('headerRow', 'The header row must be a whole number, or 0 for no header', 'int_type');
    else if (headerRow < 0)
      at('headerRow', 'The header row must be 1 or more, or 0 for no header', 'greater_than_equal');
    else if (headerRow > maxHeaderRow)
      at('headerRow', `The header row must be at most ${maxHeaderRow}`, 'less_than_equal');
  }
  if (firstDataRow === undefined) return;
  if (!Number.isInteger(firstDataRow)) at('firstDataRow', 'The row must be a whole number', 'int_type');
  else if (firstDataRow < 1) at('firstDataRow', 'The row must be 1 or more', 'greater_than_equal');
  else if (firstDataRow > maxHeaderRow)
    at('firstDataRow', `The row must be at most ${maxHeaderRow}`, 'less_than_equal');
  else if (headerRow !== undefined && firstDataRow <= headerRow) {
    at('firstDataRow', 'The first data row must come after the header row');
  }
}
