import { expect, test } from 'vitest';
import { ValidationError } from '../../../../data/errors.ts';
import {
  type CsvOptions,
  formatOf,
  type ImportOptions,
} from '../../../../domain/intake/file-imports/contract.ts';
import { checkOptions } from '../../../../domain/intake/file-imports/options.ts';
import { mapping } from './lab.ts';

function faultsOf(options: Partial<ImportOptions>): string[] {
  try {
    checkOptions({ includeLoadDate: false, ...options }, 'csv');
    return [];
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return error.faults.map(({ loc, type }) => `${loc.slice(1).join('.')} ${type}`);
  }
}

test.each<[CsvOptions, string[]]>([
  [{ charEncoding: 'UTF_8', columnSeparator: ';', quoteCharacter: '"', thousands: '.', dateFormat: '' }, []],
  [{ charEncoding: 'KLINGON' }, ['csv.char_encoding value_error']],
  [{ charEncoding: 'BASE64' }, ['csv.char_encoding value_error']],
  [{ columnSeparator: '' }, ['csv.column_separator string_too_short']],
  [{ columnSeparator: '||' }, ['csv.column_separator string_too_long']],
  [{ columnSeparator: '§' }, []],
  [{ quoteCharacter: 'ab' }, ['csv.quote_character string_too_long']],
  [{ columnSeparator: ';', quoteCharacter: ';' }, ['csv.quote_character value_error']],
  [{ escapeCharacter: '\\' }, []],
  [{ escapeCharacter: '' }, []],
  [{ escapeCharacter: 'ab' }, ['csv.escape_character string_too_long']],
  [{ escapeCharacter: 'x' }, ['csv.escape_character value_error']],
  [{ columnSeparator: ';', escapeCharacter: ';' }, ['csv.escape_character value_error']],
  [{ columnSeparator: ',', thousands: ',' }, ['csv.thousands value_error']],
  [{ thousands: '5' }, ['csv.thousands value_error']],
  [{ headerRow: -1 }, ['csv.header_row greater_than_equal']],
  [{ headerRow: 3, firstDataRow: 3 }, ['csv.first_data_row value_error']],
  [{ firstDataRow: 0 }, ['csv.first_data_row greater_than_equal']],
  [{ dateFormat: 'dd/MM/QQQ' }, ['csv.date_format value_error']],
  [{ dateFormat: '%d/%Q' }, ['csv.date_format value_error']],
  [{ dateFormat: "dd.MM.yyyy 'um' HH:mm" }, []],
])('csv options %j', (csv, faults) => {
  expect(faultsOf({ csv })).toEqual(faults);
});

test.each<[string, boolean]>([
  ['STRING', true],
  ['decimal(38, 10)', true],
  ['DECIMAL(5)', true],
  ['DECIMAL(39,2)', false],
  ['DECIMAL(0,0)', false],
  ['DECIMAL(3,4)', false],
  ['VARCHAR', false],
  ['', false],
])('the data type %j', (dataType, isKnown) => {
  expect(faultsOf({ columnMappings: [mapping('a', dataType)] })).toEqual(
    isKnown ? [] : ['column_mappings.0.data_type value_error'],
  );
});

test('target names are unique ignoring case, and not the load date', () => {
  const columnMappings = [
    mapping('a', 'STRING', { targetColumnName: 'X' }),
    mapping('b', 'STRING', { targetColumnName: 'x' }),
    mapping('c', 'STRING', { targetColumnName: '_Load_Date' }),
    mapping('d', 'STRING', { targetColumnName: ' ' }),
  ];
  expect(faultsOf({ columnMappings, includeLoadDate: true })).toEqual([
    'column_mappings.1.target_column_name value_error',
    'column_mappings.2.target_column_name value_error',
    'column_mappings.3.target_column_name string_too_short',
  ]);
  expect(faultsOf({ columnMappings: [] })).toEqual(['column_mappings too_short']);
});

test('the name of a file tells its format', () => {
  expect(['a.CSV', 'b.tsv', 'c.jsonl', 'd.parquet', 'x/e.xlsx', 'f.pdf', 'csv'].map(formatOf)).toEqual([
    'csv',
    'csv',
    'ndjson',
    'parquet',
    'xlsx',
    undefined,
    undefined,
  ]);
});
