/** Longer values are texts; limits the input of the patterns below. */
const maxClassedChars = 60;
const nulls = new Set(['na', 'n/a', '#n/a', 'null', 'nil', 'none', 'nan', '-', '--']);

/** No value; occurs in data and among names. */
export const nothing = '';
/** A word for a missing value; only occurs in data. */
export const missing = 'missing';
export const text = 'text';
export const number = 'number';
/** A number that may also be a column name of a pivoted table. */
export const year = 'year';

/**
 * The kind of a cell's value. Texts with digits are distinguished by their shape (`a-0` for both AB-17 and
 * X-4), so that codes, times and dates of any format are separate kinds; all texts without digits are of one
 * kind.
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

/** Optionally with a currency, percent sign, digit groups and an exponent. */
function isNumber(value: string): boolean {
  const bare = value.replace(/^([+-]?)[$€£¥] ?/, '$1').replace(/ ?[%$€£¥]$/, '');
  // The first digit is matched separately, so that no digit can match in two ways (linear time).
  return /^[+-]?[.,]*\d[\d.,]*(e[+-]?\d+)?$/i.test(bare);
}

/** Numbers, dates and booleans are not column names; a year alone may be. */
export function looksLikeData(fields: readonly string[]): boolean {
  return fields.some((field) => {
    const kind = classOf(field);
    if (kind === number || kind === 'truth' || kind === 'address' || kind === missing) return true;
    return /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(field.trim());
  });
}
