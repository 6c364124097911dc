import { fieldsOf } from './fields.ts';
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
    for (const { text, isQuoted } of fieldsOf(record.toString(), separator, quote)) {
      if (isQuoted) found.quoted ||= text === '';
      else if (text.trim() === '') found.bare = true;
      else found.bareText ||= !/^\s*[\d.,+-]/.test(text);
    }
  });
  splitter.write(bytes);
  return found;
}
