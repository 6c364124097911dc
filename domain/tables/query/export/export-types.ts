import type { DuckDBType } from '@duckdb/node-api';
import { dataTypeName, tooManyDigits, unheldMessage } from '../../../../packages/row-formats/index.ts';
import { type StoredType, storedType } from '../build/stored-type.ts';
import type { CopiedFormat } from './contract.ts';

const hugeIntegers: readonly string[] = ['HUGEINT', 'UHUGEINT', 'BIGNUM'];

/** How a format writes the values of a type: as the lake stores them, unless the format can hold more. */
export const exportType: Record<CopiedFormat, (type: DuckDBType) => StoredType> = {
  csv: csvType,
  'csv.gz': csvType,
  parquet: (type) => {
    const name = dataTypeName(type);
    if (name === 'BLOB' || name === 'TIMESTAMP_NS' || isKeptNested(name))
      return { dataType: name, cast: undefined };
    return refusing(type, 'an integer of more than 38 digits', 'a Parquet file');
  },
  xlsx: (type) => refusing(type, tooManyDigits, 'a workbook'),
};

/** Lists, structs and maps of values that Parquet holds as they are. A HUGEINT would become a DOUBLE. */
function isKeptNested(name: string): boolean {
  if (!/^(?:STRUCT|MAP)\(|\[\d*\]$/.test(name)) return false;
  const words = name.replaceAll(/"(?:[^"]|"")*"/g, '').match(/[A-Za-z_]\w*/g) ?? [];
  return words.every((word) => keptInParquet.has(word));
}

const keptInParquet = new Set([
  ...['STRUCT', 'MAP', 'STRING', 'INTEGER', 'FLOAT', 'DOUBLE', 'DECIMAL', 'BOOLEAN'],
  ...['DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMPTZ', 'TIMESTAMP_NS', 'BLOB', 'JSON'],
]);

function csvType(type: DuckDBType): StoredType {
  const name = dataTypeName(type);
  const isWhole = name === 'TIMESTAMP_NS' || hugeIntegers.includes(name);
  return isWhole ? { dataType: name, cast: undefined } : storedType(type);
}

function refusing(type: DuckDBType, why: string, holder: string): StoredType {
  const stored = storedType(type);
  if (!hugeIntegers.includes(dataTypeName(type))) return stored;
  return { ...stored, refusal: (name) => unheldMessage(name, why, holder) };
}
