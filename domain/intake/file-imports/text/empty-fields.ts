import { createSplitter } from './split.ts';

/** Which kinds of fields a part of a file has. */
export interface EmptyFields {
  /** Empty, without quotes. */
  bare: boolean;
  /** Empty, in quotes. */
  quoted: boolean;
  /** A text without quotes that is not a number, among others a name of the header. */
  bareText: boolean;
}

/** How the fields of a file's beginning are written when they are empty. */
export function emptyFields(bytes: Buffer, separator: string, quote: string): EmptyFields {
  const found: EmptyFields = { bare: false, quoted: false, bareText: false };
  const layout = { separator: Buffer.from(separator), quote: quote.charCodeAt(0), skipLines: 0 };
  const splitter = createSplitter(layout, (record, _line, fault) => {
    if (fault !== undefined || (found.bare && found.quoted && found.bareText)) return;
    lookAt(record.toString(), separator, quote, found);
  });
  splitter.write(bytes);
  return found;
}

function lookAt(record: string, separator: string, quote: string, found: EmptyFields): void {
  for (let at = 0; at <= record.length; ) {
    let from = at;
    if (separator !== ' ') while (record[from] === ' ') from += 1;
    const isQuoted = record[from] === quote;
    let end = from;
    if (isQuoted) {
      end = record.indexOf(quote, from + 1);
      while (end !== -1 && record[end + 1] === quote) end = record.indexOf(quote, end + 2);
      if (end === -1) return;
    }
    const next = record.indexOf(separator, end);
    const to = next === -1 ? record.length : next;
    const text = isQuoted ? record.slice(from + 1, end) : record.slice(at, to).trim();
    if (isQuoted) found.quoted ||= text === '';
    else if (text === '') found.bare = true;
    else found.bareText ||= !/^[\d.,+-]/.test(text);
    if (next === -1) return;
    at = next + separator.length;
  }
}
