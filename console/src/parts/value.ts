/** Longer, a text is of no use in a cell, and many of them would fill the page. */
const maxCell = 500;

/** Text of a cell. Values are shown as text, whatever they hold. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > maxCell ? `${text.slice(0, maxCell)}…` : text;
}

/** More than that a page does not show at once. */
const maxWhole = 200_000;

/** All of a value, as far as anybody would read it. */
export function wholeText(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
  return text.length > maxWhole ? `${text.slice(0, maxWhole)}…` : text;
}

const numeric = /^(INTEGER|BIGINT|HUGEINT|SMALLINT|TINYINT|U\w+INT\w*|DOUBLE|FLOAT|REAL|DECIMAL)/;

/** Whether a column is read from the right; a list of numbers is not. */
export const isNumeric = (dataType: string | null): boolean =>
  dataType !== null && numeric.test(dataType) && !dataType.endsWith(']');
