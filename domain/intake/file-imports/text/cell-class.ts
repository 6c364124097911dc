/** What is longer is a text: bounds what the patterns below work through. */
const maxClassedChars = 60;
const nulls = new Set(['na', 'n/a', '#n/a', 'null', 'nil', 'none', 'nan', '-', '--']);

/** No value: neither data nor a name. */
export const nothing = '';
/** A word for a missing value: only data has one. */
export const missing = 'missing';
export const text = 'text';
export const number = 'number';
/** A number, which may also name a column of a pivoted table. */
export const year = 'year';

/**
 * What kind of value a cell has. Texts with digits are told apart by their shape (`a-0` for both AB-17 and
 * X-4), so that codes, times and dates of any form are kinds of their own; texts without are all of one.
 */
export function classOf(cell: string): string {
  const value = cell.length > maxClassedChars * 2 ? cell : cell.trim();
  if (value === '') return nothing;
  if (value.length > maxClassedChars) return /^https?:\/\//i.test(value) ? 'address' : text;
  if (nulls.has(value.toLowerCase())) return missing;
  if (/^(19|20)\d\d$/.test(value)) return year;
  if (isNumber(value)) return number;
  if (/^(true|false)$/i.test(value)) return 'truth';
  if (/^https?:\/\//i.test(value)) return 'address';
  return /\d/.test(value) ? value.replaceAll(/\p{L}+/gu, 'a').replaceAll(/\d+/g, '0') : text;
}

/** With or without a currency, a percent sign, groups and an exponent. */
function isNumber(value: string): boolean {
  const bare = value.replace(/^([+-]?)[$€£¥] ?/, '$1').replace(/ ?[%$€£¥]$/, '');
  // The first digit is sought before all others, so that no digit can be matched in two ways.
  return /^[+-]?[.,]*\d[\d.,]*(e[+-]?\d+)?$/i.test(bare);
}

/** Numbers, dates and truth values do not name columns; a year alone may. */
export function looksLikeData(fields: readonly string[]): boolean {
  return fields.some((field) => {
    const kind = classOf(field);
    if (kind === number || kind === 'truth' || kind === 'address' || kind === missing) return true;
    return /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(field.trim());
  });
}
