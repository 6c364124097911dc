import { asSentence, maxColumns } from './bad-file.ts';
import type {
  ColumnMapping,
  FileFormat,
  IsReserved,
  OptionFault,
  ReadOptions,
  XlsxOptions,
} from './contract.ts';
import { checkCsv, checkRows } from './csv-options.ts';
import { parseDatePattern } from './values/date-pattern.ts';
import { parseDataType } from './values/types.ts';

export const loadDateColumn = '_load_date';
const maxNameChars = 255;

/**
 * Checks everything that can be checked without the file. Of the csv options, formats other than CSV only use
 * `date_format`, but all are validated; those of a workbook are refused for any other file.
 */
export function checkOptions(
  options: ReadOptions,
  format: FileFormat,
  isReserved: IsReserved = () => false,
): OptionFault[] {
  const faults: OptionFault[] = [];
  if (options.columnMappings !== undefined)
    faults.push(...mappingFaults(options.columnMappings, options.includeLoadDate, isReserved));
  if (options.csv !== undefined) faults.push(...checkCsv(options.csv));
  if (options.xlsx !== undefined) faults.push(...checkXlsx(options.xlsx, format));
  if (options.nested === 'native' && (format === 'csv' || format === 'xlsx'))
    faults.push({
      path: ['nested'],
      message: `A ${format} file has no nested values. Omit nested`,
      type: 'value_error',
    });
  return faults.map((fault) => ({ ...fault, message: asSentence(fault.message) }));
}

/** Options that cannot be meant, whatever the file. */
export class BadOptionsError extends Error {
  override readonly name = 'BadOptionsError';
  readonly faults: readonly OptionFault[];

  constructor(faults: readonly OptionFault[]) {
    super(faults.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
    this.faults = faults;
  }
}

/** @throws BadOptionsError with every fault */
export function refuseBadOptions(...given: Parameters<typeof checkOptions>): void {
  const faults = checkOptions(...given);
  if (faults.length > 0) throw new BadOptionsError(faults);
}

function checkXlsx(xlsx: XlsxOptions, format: FileFormat): OptionFault[] {
  if (format !== 'xlsx')
    return [{ path: ['xlsx'], message: `The file is read as ${format}, not xlsx`, type: 'value_error' }];
  const faults: OptionFault[] = [];
  checkRows(xlsx, (field, message, type = 'value_error') => {
    faults.push({ path: ['xlsx', field], message, type });
  });
  const { headerRow = 0, firstDataRow = headerRow + 1, lastDataRow } = xlsx;
  if (lastDataRow !== undefined && lastDataRow < firstDataRow)
    faults.push({
      path: ['xlsx', 'lastDataRow'],
      message: 'The last data row must not come before the first one',
      type: 'greater_than_equal',
    });
  return faults;
}

function mappingFaults(
  mappings: readonly ColumnMapping[],
  includeLoadDate: boolean,
  isReserved: IsReserved,
): OptionFault[] {
  const root = ['columnMappings'];
  if (mappings.length === 0)
    return [{ path: root, message: 'List at least one mapping, or omit the mappings', type: 'too_short' }];
  if (mappings.length > maxColumns) {
    return [{ path: root, message: `You can map at most ${maxColumns} columns`, type: 'too_long' }];
  }
  const faults: OptionFault[] = [];
  const taken = new Map<string, number>();
  for (const [index, mapping] of mappings.entries()) {
    const at = (field: string, message: string, type: string): number =>
      faults.push({ path: [...root, index, field], message, type });
    if (mapping.sourceColumnName === '')
      at('sourceColumnName', 'Enter the name of a column of the file', 'string_too_short');
    const type = parseDataType(mapping.dataType);
    if ('fault' in type) at('dataType', type.fault, 'value_error');
    else if (type.kind === 'NESTED' && mapping.unique)
      at('unique', 'Lists and objects cannot be unique', 'value_error');
    if (mapping.dateFormat !== undefined && mapping.dateFormat !== '') {
      const pattern = parseDatePattern(mapping.dateFormat);
      if ('fault' in pattern) at('dateFormat', pattern.fault, 'value_error');
    }
    const name = mapping.targetColumnName;
    if (name.trim() === '') at('targetColumnName', 'Enter a name for the column', 'string_too_short');
    if (name.length > 2 * maxNameChars || [...name].length > maxNameChars)
      at('targetColumnName', `A name must have at most ${maxNameChars} characters`, 'string_too_long');
    if (/\p{Cc}/u.test(name))
      at('targetColumnName', 'A name must not contain control characters', 'string_pattern_mismatch');
    if (isReserved(name))
      at('targetColumnName', 'The lake uses this name itself. Choose another name', 'value_error');
    const first = taken.get(name.toLowerCase());
    if (first !== undefined) {
      at('targetColumnName', `Mapping ${first} has the same name. Names ignore case`, 'value_error');
    } else taken.set(name.toLowerCase(), index);
    if (includeLoadDate && name.toLowerCase() === loadDateColumn) {
      at(
        'targetColumnName',
        `include_load_date already adds the column ${loadDateColumn}. Choose another name`,
        'value_error',
      );
    }
  }
  return faults;
}
