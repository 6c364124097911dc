/** The values of one record, quotes resolved: for the few records of a header or a sample, not for the data. */
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
