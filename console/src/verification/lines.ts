/** A text in one line: as it is, or quoted as in JSON where it would not be read as it was. */
export const toLine = (text: string): string =>
  text === text.trim() && text !== '' && !/["\n\r]/.test(text) ? text : JSON.stringify(text);

/** The text of a line; what is quoted badly is the text as it is written. */
export function fromLine(line: string): string {
  const written = line.trim();
  if (!written.startsWith('"')) return written;
  try {
    const read: unknown = JSON.parse(written);
    return typeof read === 'string' ? read : written;
  } catch {
    return written;
  }
}

/** Lines that say something. */
export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

type Value = string | number | boolean;

/** A value in one line; a text that would be read as yes or no is quoted. */
export const toValueLine = (value: Value): string =>
  typeof value !== 'string' ? String(value) : /^(true|false)$/.test(value) ? `"${value}"` : toLine(value);

/** What nobody has changed stays as it was; what is new is yes, no, or a text, which the service reads by the column. */
export function fromValueLine(line: string, before: readonly Value[]): Value {
  const written = line.trim();
  const same = before.find((value) => toValueLine(value) === written);
  if (same !== undefined) return same;
  return written === 'true' ? true : written === 'false' ? false : fromLine(written);
}

/** Whether a number has more digits than a browser keeps of it. */
export const isInexact = (value: unknown): boolean =>
  typeof value === 'number' && String(value).replace(/\D/g, '').length > 15;
