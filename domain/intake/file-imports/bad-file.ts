export type BadFileCode =
  | 'bad_row'
  | 'empty_file'
  | 'not_text'
  | 'bad_encoding'
  | 'malformed_file'
  | 'missing_column'
  | 'too_many_columns'
  | 'too_large'
  | 'no_columns'
  | 'unsupported_column';

export interface ImportFailure {
  code: BadFileCode;
  message: string;
  line: number | null;
  column: string | null;
  /** The record's own text, cut to `rawLimitChars`. */
  raw: string | null;
  reason: string | null;
}

/** As much of a record as an error or a preview shows. */
export const rawLimitChars = 500;

/** A file that cannot be imported however often it is tried: the message and the place are for the caller. */
export class BadFileError extends Error {
  override readonly name = 'BadFileError';
  readonly failure: ImportFailure;

  constructor(
    code: BadFileCode,
    message: string,
    place: Partial<Omit<ImportFailure, 'code' | 'message'>> = {},
  ) {
    super(message);
    this.failure = {
      code,
      message,
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

/** Columns a table may have; more is taken for a wrong separator or a hostile file. */
export const maxColumns = 2_000;
/** Bytes one record may have: bounds what a stray quote can swallow, and the reader's buffers. */
export const maxRecordBytes = 4 * 1024 * 1024;
