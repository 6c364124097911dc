import { ValidationError, type ValidationFault } from '../../../data/errors.ts';
import { isReservedColumn } from '../../../data/lake/ducklake/catalog.ts';
import { isLongerThan } from '../../../data/text.ts';
import { maxColumns } from './bad-file.ts';
import type { ColumnMapping, ImportFormat, ImportOptions, XlsxOptions } from './contract.ts';
import { checkCsv, checkRows } from './csv-options.ts';
import { parseDatePattern } from './values/date-pattern.ts';
import { parseDataType } from './values/types.ts';

export const loadDateColumn = '_load_date';
const maxNameChars = 255;

/**
 * Checks everything that can be checked without the file. Of the csv options, formats other than CSV only use
 * `date_format`, but all are validated; those of a workbook are refused for any other file.
 *
 * @throws ValidationError with every fault
 */
export function checkOptions(options: ImportOptions, format: ImportFormat): void {
  const faults: ValidationFault[] = [];
  if (options.columnMappings !== undefined)
    faults.push(...mappingFaults(options.columnMappings, options.includeLoadDate));
  if (options.csv !== undefined) faults.push(...checkCsv(options.csv));
  if (options.xlsx !== undefined) faults.push(...checkXlsx(options.xlsx, format));
  if (options.nested === 'native' && (format === 'csv' || format === 'xlsx'))
    faults.push({
      loc: ['body', 'nested'],
      msg: `A ${format} file has no lists or objects: leave nested out`,
      type: 'value_error',
    });
  if (faults.length > 0) throw new ValidationError(faults);
}

function checkXlsx(xlsx: XlsxOptions, format: ImportFormat): ValidationFault[] {
  if (format !== 'xlsx')
    return [{ loc: ['body', 'xlsx'], msg: `The file is read as ${format}, not xlsx`, type: 'value_error' }];
  const faults: ValidationFault[] = [];
  checkRows(xlsx, (field, msg, type = 'value_error') => {
    faults.push({ loc: ['body', 'xlsx', field], msg, type });
  });
  const { headerRow = 0, firstDataRow = headerRow + 1, lastDataRow } = xlsx;
  if (lastDataRow !== undefined && lastDataRow < firstDataRow)
    faults.push({
      loc: ['body', 'xlsx', 'last_data_row'],
      msg: 'The last data row comes before the first one',
      type: 'greater_than_equal',
    });
  return faults;
}

function mappingFaults(mappings: readonly ColumnMapping[], includeLoadDate: boolean): ValidationFault[] {
  const root = ['body', 'column_mappings'];
  if (mappings.length === 0)
    return [{ loc: root, msg: 'Give at least one mapping, or leave them out', type: 'too_short' }];
  if (mappings.length > maxColumns) {
    return [{ loc: root, msg: `At most ${maxColumns} columns can be mapped`, type: 'too_long' }];
  }
  const faults: ValidationFault[] = [];
  const taken = new Map<string, number>();
  for (const [index, mapping] of mappings.entries()) {
    const at = (field: string, msg: string, type: string): number =>
      faults.push({ loc: [...root, index, field], msg, type });
    if (mapping.sourceColumnName === '')
      at('source_column_name', 'Name the column of the file', 'string_too_short');
    const type = parseDataType(mapping.dataType);
    if ('fault' in type) at('data_type', type.fault, 'value_error');
    else if (type.kind === 'NESTED' && mapping.unique)
      at('unique', 'Lists and objects cannot be unique', 'value_error');
    if (mapping.dateFormat !== undefined && mapping.dateFormat !== '') {
      const pattern = parseDatePattern(mapping.dateFormat);
      if ('fault' in pattern) at('date_format', pattern.fault, 'value_error');
    }
    const name = mapping.targetColumnName;
    if (name.trim() === '') at('target_column_name', 'A column needs a name', 'string_too_short');
    if (isLongerThan(name, maxNameChars))
      at('target_column_name', `A name has at most ${maxNameChars} characters`, 'string_too_long');
    if (/\p{Cc}/u.test(name))
      at('target_column_name', 'A name has no control characters', 'string_pattern_mismatch');
    if (isReservedColumn(name))
      at('target_column_name', 'The lake keeps this name for itself', 'value_error');
    const first = taken.get(name.toLowerCase());
    if (first !== undefined) {
      at(
        'target_column_name',
        `The same name as mapping ${first}; names are compared ignoring case`,
        'value_error',
      );
    } else taken.set(name.toLowerCase(), index);
    if (includeLoadDate && name.toLowerCase() === loadDateColumn) {
      at('target_column_name', `${loadDateColumn} is the column that include_load_date adds`, 'value_error');
    }
  }
  return faults;
}
