export type BadFileCode =
  | 'bad_row'
  | 'empty_file'
  | 'not_text'
  | 'bad_encoding'
  | 'malformed_file'
  | 'quote_separates_columns'
  | 'thousands_separates_columns'
  | 'missing_column'
  | 'missing_sheet'
  | 'formulas_without_value'
  | 'too_many_columns'
  | 'too_large'
  | 'no_columns'
  | 'unsupported_column';

export interface FileFailure {
  code: BadFileCode;
  message: string;
  line: number | null;
  column: string | null;
  /** Source text of the record, cut to `rawLimitChars`. */
  raw: string | null;
  reason: string | null;
}

/** Maximum characters of a record shown in an error or preview. */
export const rawLimitChars = 500;

/** A permanent error: the file cannot be read. Message and location are meant for whoever gave the file. */
export class BadFileError extends Error {
  override readonly name = 'BadFileError';
  readonly failure: FileFailure;

  constructor(
    code: BadFileCode,
    message: string,
    place: Partial<Omit<FileFailure, 'code' | 'message'>> = {},
  ) {
    super(asSentence(message));
    this.failure = {
      code,
      message: asSentence(message),
      line: place.line ?? null,
      column: place.column ?? null,
      raw: place.raw?.slice(0, rawLimitChars) ?? null,
      reason: place.reason ?? null,
    };
  }
}

export function badRow(row: {
  line: number;
  column: string | null;
  raw: string;
  reason: string;
}): BadFileError {
  const place = row.column === null ? '' : `, column "${row.column}"`;
  return new BadFileError('bad_row', `Line ${row.line}${place}: ${row.reason}`, row);
}

export const asSentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

/** Why a record with this character is bad; every other one is text. */
export const nulReason = 'The record has a NUL character';

/** Maximum columns of a table; more indicates a wrong separator or a hostile file. */
export const maxColumns = 2_000;
/** Maximum bytes of a record; limits what a stray quote can swallow, and the reader's buffers. */
export const maxRecordBytes = 4 * 1024 * 1024;
