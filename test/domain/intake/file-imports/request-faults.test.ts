import { expect, test } from 'vitest';
import { AppError, ValidationError } from '../../../../data/errors.ts';
import { asRequestFault, refuseBadOptions } from '../../../../domain/intake/file-imports/request-faults.ts';
import { BadFileError } from '../../../../packages/file-reader/index.ts';
import { mapping } from './lab.ts';

const columnMappings = [mapping('a', 'STRING'), mapping('c', 'STRING')];

test('a missing column of a preview is the fault of its mapping', () => {
  const error = asRequestFault(new BadFileError('missing_column', 'There is no c', { column: 'c' }), {
    columnMappings,
    includeLoadDate: false,
  });
  expect(error).toBeInstanceOf(ValidationError);
  const { faults } = error as ValidationError;
  expect(faults[0]?.loc).toEqual(['body', 'column_mappings', 1, 'source_column_name']);
});

test('a file that cannot be read is the request that is not valid', () => {
  const error = asRequestFault(new BadFileError('not_text', 'No text'), { includeLoadDate: false });
  expect(error).toBeInstanceOf(AppError);
  expect(error).toMatchObject({ code: 'invalid_request' });
});

test('faults of options name the fields of the request, and no name of the lake is taken', () => {
  const reserved = mapping('a', 'STRING', { targetColumnName: '_ducklake_internal_x' });
  const options = {
    includeLoadDate: false,
    csv: { charEncoding: 'KLINGON', firstDataRow: 0 },
    columnMappings: [reserved],
  };
  const work = () => refuseBadOptions(options, 'csv');
  expect(work).toThrow(ValidationError);
  expect(work).toThrow(/body.column_mappings.0.target_column_name: /);
  expect(work).toThrow(/body.csv.char_encoding: /);
  expect(work).toThrow(/body.csv.first_data_row: /);
});
