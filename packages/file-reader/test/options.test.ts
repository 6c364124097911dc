import { expect, test } from 'vitest';
import type { CsvOptions, ReadOptions } from '../src/contract.ts';
import { formatOf } from '../src/format.ts';
import { checkOptions } from '../src/options.ts';
import { mapping } from './lab.ts';

function faultsOf(options: Partial<ReadOptions>): string[] {
  return checkOptions({ includeLoadDate: false, ...options }, 'csv').map(
    ({ path, type }) => `${path.join('.')} ${type}`,
  );
}

test.each<[CsvOptions, string[]]>([
  [{ charEncoding: 'UTF_8', columnSeparator: ';', quoteCharacter: '"', thousands: '.', dateFormat: '' }, []],
  [{ charEncoding: 'KLINGON' }, ['csv.charEncoding value_error']],
  [{ charEncoding: 'BASE64' }, ['csv.charEncoding value_error']],
  [{ columnSeparator: '' }, ['csv.columnSeparator string_too_short']],
  [{ columnSeparator: '||' }, ['csv.columnSeparator string_too_long']],
  [{ columnSeparator: '§' }, []],
  [{ quoteCharacter: 'ab' }, ['csv.quoteCharacter string_too_long']],
  [{ columnSeparator: ';', quoteCharacter: ';' }, ['csv.quoteCharacter value_error']],
  [{ escapeCharacter: '\\' }, []],
  [{ escapeCharacter: '' }, []],
  [{ escapeCharacter: 'ab' }, ['csv.escapeCharacter string_too_long']],
  [{ escapeCharacter: 'x' }, ['csv.escapeCharacter value_error']],
  [{ columnSeparator: ';', escapeCharacter: ';' }, ['csv.escapeCharacter value_error']],
  [{ columnSeparator: ',', thousands: ',' }, ['csv.thousands value_error']],
  [{ thousands: '5' }, ['csv.thousands value_error']],
  [{ headerRow: -1 }, ['csv.headerRow greater_than_equal']],
  [{ headerRow: 3, firstDataRow: 3 }, ['csv.firstDataRow value_error']],
  [{ firstDataRow: 0 }, ['csv.firstDataRow greater_than_equal']],
  [{ dateFormat: 'dd/MM/QQQ' }, ['csv.dateFormat value_error']],
  [{ dateFormat: '%d/%Q' }, ['csv.dateFormat value_error']],
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
    isKnown ? [] : ['columnMappings.0.dataType value_error'],
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
    'columnMappings.1.targetColumnName value_error',
    'columnMappings.2.targetColumnName value_error',
    'columnMappings.3.targetColumnName string_too_short',
  ]);
  expect(faultsOf({ columnMappings: [] })).toEqual(['columnMappings too_short']);
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
