/** Parses one record, with quotes resolved. For the few records of a header or sample, not for the data. */
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

/** Where the first fields of a record end. */
export function endOfFields(
  record: string,
  count: number,
  separator: string,
  quote: string | undefined,
): number {
  let end = 0;
  for (let field = 0; field < count; field += 1) {
    const at = field === 0 ? 0 : end + separator.length;
    const opened = quote === undefined ? undefined : openingQuote(record, at, separator, quote);
    let from = at;
    if (opened !== undefined && quote !== undefined) {
      let close = record.indexOf(quote, opened + 1);
      while (close !== -1 && record[close + 1] === quote) close = record.indexOf(quote, close + 2);
      from = close === -1 ? record.length : close;
    }
    const next = record.indexOf(separator, from);
    if (next === -1) return record.length;
    end = next;
  }
  return end;
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
