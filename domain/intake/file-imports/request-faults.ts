import { AppError, ValidationError, type ValidationFault } from '../../../data/errors.ts';
import { isReservedColumn } from '../../../data/lake/ducklake/catalog.ts';
import {
  type BadFileError,
  BadOptionsError,
  type CsvOptions,
  checkCsv,
  checkOptions,
  type FileFormat,
  type OptionFault,
  type ReadOptions,
} from '../../../packages/file-reader/index.ts';

/** Names of a request's fields by those of the reader's options. */
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const ofRequest = ({ path, message, type }: OptionFault): ValidationFault => ({
  loc: ['body', ...path.map((part) => (typeof part === 'string' ? snakeCase(part) : part))],
  msg: message,
  type,
});

/** Faults of a request's `csv` options. */
export const csvFaults = (csv: CsvOptions): ValidationFault[] => checkCsv(csv).map(ofRequest);

/** @throws ValidationError with every fault that can be found without the file */
export function refuseBadOptions(options: ReadOptions, format: FileFormat): void {
  const faults = checkOptions(options, format, isReservedColumn);
  if (faults.length > 0) throw new ValidationError(faults.map(ofRequest));
}

/** The reader's refusal of options as that of a request; any other error as it is. */
export function asOptionsFault(error: unknown): unknown {
  return error instanceof BadOptionsError ? new ValidationError(error.faults.map(ofRequest)) : error;
}

/**
 * A preview reports an unreadable file as a fault of the request: a missing column as 422 at its mapping, a
 * missing sheet at its name.
 */
export function asRequestFault(error: BadFileError, options: ReadOptions): Error {
  const { code, column, message } = error.failure;
  if (code === 'missing_column') {
    const index = (options.columnMappings ?? []).findIndex(
      ({ sourceColumnName }) => sourceColumnName === column,
    );
    const loc = ['body', 'column_mappings', index, 'source_column_name'];
    return new ValidationError([{ loc, msg: message, type: 'value_error' }]);
  }
  const atCsv = (option: string) =>
    new ValidationError([{ loc: ['body', 'csv', option], msg: message, type: 'value_error' }]);
  if (code === 'quote_separates_columns') return atCsv('quote_character');
  if (code === 'thousands_separates_columns') return atCsv('thousands');
  if (code === 'missing_sheet')
    return new ValidationError([{ loc: ['body', 'xlsx', 'sheet'], msg: message, type: 'value_error' }]);
  return new AppError('invalid_request', message, { cause: error });
}
