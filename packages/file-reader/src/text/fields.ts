/** A field of a record, and where the separator behind it, or the record, ends it. */
interface Field {
  text: string;
  isQuoted: boolean;
  end: number;
}

/** Walks over the fields of one record, with quotes resolved. */
export function* fieldsOf(
  record: string,
  separator: string,
  quote: string | undefined,
): Generator<Field, void, undefined> {
  for (let at = 0; ; ) {
    const opened = quote === undefined ? undefined : openingQuote(record, at, separator, quote);
    let text: string | undefined;
    let from = at;
    if (opened !== undefined && quote !== undefined) {
      let close = record.indexOf(quote, opened + 1);
      while (close !== -1 && record[close + 1] === quote) close = record.indexOf(quote, close + 2);
      from = close === -1 ? record.length : close;
      text = record.slice(opened + 1, from).replaceAll(quote + quote, quote);
    }
    const next = record.indexOf(separator, from);
    const end = next === -1 ? record.length : next;
    yield { text: text ?? record.slice(at, end), isQuoted: text !== undefined, end };
    if (next === -1) return;
    at = next + separator.length;
  }
}

/** Parses one record. For the few records of a header or sample, not for the data. */
export const parseFields = (record: string, separator: string, quote: string | undefined): string[] =>
  Array.from(fieldsOf(record, separator, quote), ({ text }) => text);

/** Where the first fields of a record end. */
export function endOfFields(
  record: string,
  count: number,
  separator: string,
  quote: string | undefined,
): number {
  let left = count;
  for (const { end } of fieldsOf(record, separator, quote)) {
    left -= 1;
    if (left === 0) return end;
  }
  return record.length;
}

function openingQuote(record: string, from: number, separator: string, quote: string): number | undefined {
  let at = from;
  if (separator !== ' ') while (record[at] === ' ') at += 1;
  return record[at] === quote ? at : undefined;
}

/** A longer record is not a plausible header. */
const maxLiteralChars = 64 * 1024;

/**
 * Like `parseFields`, for misplaced quotes: a quote that is not closed at the end of a field is an ordinary
 * character.
 */
export function parseFieldsLiterally(record: string, separator: string, quote: string | undefined): string[] {
  if (quote === undefined || record.length > maxLiteralChars)
    return parseFields(record, separator, undefined);
  const fields: string[] = [];
  for (let at = 0; ; ) {
    const quoted = quotedField(record, at, separator, quote);
    const next = quoted?.end ?? record.indexOf(separator, at);
    fields.push(quoted?.value ?? record.slice(at, next === -1 ? undefined : next));
    if (next === -1 || next >= record.length) return fields;
    at = next + separator.length;
  }
}

function quotedField(
  record: string,
  from: number,
  separator: string,
  quote: string,
): { value: string; end: number } | undefined {
  const opened = openingQuote(record, from, separator, quote);
  if (opened === undefined) return undefined;
  let close = record.indexOf(quote, opened + 1);
  while (close !== -1 && record[close + 1] === quote) close = record.indexOf(quote, close + 2);
  if (close === -1) return undefined;
  let end = close + 1;
  if (separator !== ' ') while (record[end] === ' ') end += 1;
  if (end < record.length && !record.startsWith(separator, end)) return undefined;
  return { value: record.slice(opened + 1, close).replaceAll(quote + quote, quote), end };
}
