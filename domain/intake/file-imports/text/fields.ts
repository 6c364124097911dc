/**
 * The values of one record, quotes resolved: for the few records of a header or a sample, not for the data.
 */
export function parseFields(record: string, separator: string, quote: string | undefined): string[] {
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    const opened = quote === undefined ? undefined : openingQuote(record, at, separator, quote);
    if (opened !== undefined && quote !== undefined) {
      let close = record.indexOf(quote, opened + 1);
      while (close !== -1 && record[close + 1] === quote) close = record.indexOf(quote, close + 2);
      const end = close === -1 ? record.length : close;
      const next = record.indexOf(separator, end);
      fields.push(record.slice(opened + 1, end).replaceAll(quote + quote, quote));
      if (next === -1) return fields;
      at = next + separator.length;
    } else {
      const next = record.indexOf(separator, at);
      fields.push(record.slice(at, next === -1 ? undefined : next));
      if (next === -1) return fields;
      at = next + separator.length;
    }
  }
}

function openingQuote(record: string, from: number, separator: string, quote: string): number | undefined {
  let at = from;
  if (separator !== ' ') while (record[at] === ' ') at += 1;
  return record[at] === quote ? at : undefined;
}

/** What is longer is no header that anybody reads. */
const maxLiteralChars = 64 * 1024;

/**
 * The same where the quotes are not placed as they should be: one that is not closed at a field's end is a
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
